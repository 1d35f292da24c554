// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { Answer, KleeneEvaluator } from "test/support/KleeneEvaluator.sol";

/// @notice The predicates under test.
struct Predicates {
    IERC721OwnerPredicate list;
    IERC20BalancePredicate balance;
    ISubscriptionPredicate subscription;
    ICompositePredicate composite;
    IPredicate deny;
}

/// @notice What a tool's creator last set up; `isSet` is false until then.
struct ListConfig {
    bool isSet;
    address[] collections;
}

struct BalanceConfig {
    bool isSet;
    address token;
    uint256 minBalance;
}

struct SubscriptionConfig {
    bool isSet;
    address collection;
    uint8 minTier;
}

struct CompositeConfig {
    bool isSet;
    uint8 op;
    uint256 termGas;
    Term[] terms;
}

struct Subscription {
    bool isHeld;
    uint64 end;
    uint8 tier;
}

/// @dev What was done to predicates and tokens, as told by the handler, and the answers that follow from it. Asks neither.
contract PredicateStore {
    /// @dev The predicate puts its question only if it can give the token 30,000, and needs 38,952 in all. One of four terms
    ///      gets 37,500 and so never answers.
    uint256 public constant GAS_FOR_BALANCE = 39_000;

    /// @dev With this any of the handler's predicates answers, a list even if one collection burns what it gets. One of four
    ///      terms gets 37,500.
    uint256 public constant GAS_FOR_ANY = 45_000;

    /// @dev How many handler entries were called, and what the clock says.
    uint256 public calls;
    uint256 public time;

    /// @dev How often a stranger tried to set up a predicate, and how often that was refused with the right error.
    uint256 public attempts;
    uint256 public refusals;

    mapping(bytes4 entry => uint256) public callsOf;
    mapping(uint256 toolId => address) public predicateOf;
    mapping(address token => bool) public isToken;
    mapping(address token => bool) public isSilent;
    mapping(address token => bool) public burnsGas;
    mapping(address token => mapping(address account => uint256)) public held;

    Predicates private _predicates;
    mapping(address token => mapping(address account => Subscription)) private _subscriptions;
    mapping(uint256 toolId => ListConfig) private _lists;
    mapping(uint256 toolId => BalanceConfig) private _balances;
    mapping(uint256 toolId => SubscriptionConfig) private _gatings;
    mapping(uint256 toolId => CompositeConfig) private _composites;

    constructor(Predicates memory predicates) {
        _predicates = predicates;
    }

    /* THE MODEL */

    /// @dev What any of the predicates must answer.
    function answerOf(address predicate, uint256 toolId, address account) public view returns (Answer) {
        if (predicate == address(_predicates.list)) return listAnswer(toolId, account);
        if (predicate == address(_predicates.balance)) return balanceAnswer(toolId, account);
        if (predicate == address(_predicates.subscription)) return subscriptionAnswer(toolId, account);
        if (predicate == address(_predicates.composite)) return compositeAnswer(toolId, account);
        return Answer.No;
    }

    function listAnswer(uint256 toolId, address account) public view returns (Answer) {
        ListConfig storage config = _lists[toolId];
        Answer answer = config.isSet ? Answer.No : Answer.Unknown;
        for (uint256 i = 0; i < config.collections.length; ++i) {
            address collection = config.collections[i];
            if (isSilent[collection]) answer = Answer.Unknown;
            else if (held[collection][account] != 0) return Answer.Yes;
        }
        return answer;
    }

    function balanceAnswer(uint256 toolId, address account) public view returns (Answer) {
        BalanceConfig storage config = _balances[toolId];
        if (!config.isSet || isSilent[config.token]) return Answer.Unknown;
        return _yesIf(isToken[config.token] && held[config.token][account] >= config.minBalance);
    }

    function subscriptionAnswer(uint256 toolId, address account) public view returns (Answer) {
        SubscriptionConfig storage config = _gatings[toolId];
        if (!config.isSet || isSilent[config.collection]) return Answer.Unknown;
        Subscription storage current = _subscriptions[config.collection][account];
        return _yesIf(current.isHeld && current.end > time && current.tier >= config.minTier);
    }

    function compositeAnswer(uint256 toolId, address account) public view returns (Answer) {
        return _compositeAnswer(toolId, account, false);
    }

    /// @dev Whether "cannot tell" is an answer too, for want of gas.
    function mayNotTell(address predicate, uint256 toolId, address account) external view returns (bool) {
        return predicate == address(_predicates.composite) && _composites[toolId].termGas < GAS_FOR_ANY
            && _isListShort(toolId, account) && _compositeAnswer(toolId, account, true) == Answer.Unknown;
    }

    /// @dev As one of four terms a list may not get to put its third question if the gas for one before was burnt.
    function _isListShort(uint256 toolId, address account) private view returns (bool) {
        address[] storage collections = _lists[toolId].collections;
        uint256 asked = 0;
        bool isBurnt = false;
        for (uint256 i = 0; i < collections.length; ++i) {
            address collection = collections[i];
            if (!isToken[collection]) continue;
            if (asked++ == 2) return isBurnt;
            if (burnsGas[collection]) isBurnt = true;
            else if (!isSilent[collection] && held[collection][account] != 0) return false;
        }
        return false;
    }

    function _compositeAnswer(uint256 toolId, address account, bool listIsStarved) private view returns (Answer) {
        CompositeConfig storage config = _composites[toolId];
        if (!config.isSet) return Answer.Unknown;
        uint256 count = config.terms.length;
        Answer[] memory answers = new Answer[](count);
        bool[] memory negated = new bool[](count);
        for (uint256 i = 0; i < count; ++i) {
            address predicate = config.terms[i].predicate;
            negated[i] = config.terms[i].negate;
            bool isList = predicate == address(_predicates.list);
            answers[i] = isStarved(toolId, predicate) || (isList && listIsStarved)
                ? Answer.Unknown
                : answerOf(predicate, toolId, account);
        }
        return KleeneEvaluator.combine(config.op, answers, negated);
    }

    /// @dev Whether a term certainly has too little gas to put its question; only that about a balance is so dear.
    function isStarved(uint256 toolId, address predicate) public view returns (bool) {
        return predicate == address(_predicates.balance) && isToken[_balances[toolId].token]
            && _composites[toolId].termGas < GAS_FOR_BALANCE;
    }

    function _yesIf(bool isYes) private pure returns (Answer) {
        return isYes ? Answer.Yes : Answer.No;
    }

    /* WHAT WAS LAST ACCEPTED */

    function listConfigOf(uint256 toolId) external view returns (ListConfig memory) {
        return _lists[toolId];
    }

    function balanceConfigOf(uint256 toolId) external view returns (BalanceConfig memory) {
        return _balances[toolId];
    }

    function subscriptionConfigOf(uint256 toolId) external view returns (SubscriptionConfig memory) {
        return _gatings[toolId];
    }

    function compositeConfigOf(uint256 toolId) external view returns (CompositeConfig memory) {
        return _composites[toolId];
    }

    function subscriptionOf(address token, address account) external view returns (Subscription memory) {
        return _subscriptions[token][account];
    }

    /* NOTES OF THE HANDLER */

    function addCall(bytes4 entry) external {
        calls++;
        callsOf[entry]++;
    }

    function addAttempt(bool isRefused) external {
        attempts++;
        if (isRefused) refusals++;
    }

    function setList(uint256 toolId, address[] calldata collections) external {
        _lists[toolId] = ListConfig({ isSet: true, collections: collections });
    }

    function setBalance(uint256 toolId, address token, uint256 minBalance) external {
        _balances[toolId] = BalanceConfig({ isSet: true, token: token, minBalance: minBalance });
    }

    function setGating(uint256 toolId, address collection, uint8 minTier) external {
        _gatings[toolId] = SubscriptionConfig({ isSet: true, collection: collection, minTier: minTier });
    }

    function setComposite(uint256 toolId, uint8 op, Term[] calldata terms, uint256 budget) external {
        CompositeConfig storage config = _composites[toolId];
        config.isSet = true;
        config.op = op;
        config.termGas = terms.length == 0 ? 0 : budget / terms.length;
        delete config.terms;
        for (uint256 i = 0; i < terms.length; ++i) {
            config.terms.push(terms[i]);
        }
    }

    function setPredicate(uint256 toolId, address predicate) external {
        predicateOf[toolId] = predicate;
    }

    function addToken(address token) external {
        isToken[token] = true;
    }

    function setSilent(address token, bool silent, bool burns) external {
        isSilent[token] = silent;
        burnsGas[token] = burns;
    }

    function mint(address token, address to, uint256 amount) external {
        held[token][to] += amount;
    }

    function move(address token, address from, address to, uint256 amount) external {
        held[token][from] -= amount;
        held[token][to] += amount;
    }

    function setSubscription(address token, address account, Subscription calldata current) external {
        _subscriptions[token][account] = current;
    }

    function setTime(uint256 now_) external {
        time = now_;
    }
}
