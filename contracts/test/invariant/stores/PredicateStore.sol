// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { Access } from "test/support/Access.sol";
import { KleeneEvaluator } from "test/support/KleeneEvaluator.sol";

/// @notice The predicates under test.
struct Predicates {
    IERC721OwnerPredicate list;
    IERC20BalancePredicate balance;
    ISubscriptionPredicate subscription;
    ICompositePredicate composite;
    IPredicate deny;
}

/// @notice The last accepted configuration; `isSet` is false until the first.
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

/// @dev The state of predicates and tokens as recorded by the handler, and the results it implies. Calls neither.
contract PredicateStore {
    /// @dev The predicate calls the token only if it can forward 30,000 gas, and needs 38,952 in total. With four terms, each
    ///      term gets 37,500, so this one always fails.
    uint256 public constant GAS_FOR_BALANCE = 39_000;

    /// @dev With this gas every predicate of the handler returns a result, even a list with one collection that burns its
    ///      stipend. With four terms, each term gets 37,500.
    uint256 public constant GAS_FOR_ANY = 45_000;

    /// @dev Number of handler calls, and the block timestamp.
    uint256 public calls;
    uint256 public time;

    /// @dev Configuration attempts by callers other than the creator, and how many reverted with the right error.
    uint256 public attempts;
    uint256 public reverts;

    mapping(bytes4 selector => uint256) public callsOf;
    mapping(uint256 toolId => address) public predicateOf;
    mapping(address token => bool) public isToken;
    mapping(address token => bool) public isFailing;
    mapping(address token => bool) public burnsGas;
    mapping(address token => mapping(address account => uint256)) public balanceOf;

    Predicates private _predicates;
    mapping(address token => mapping(address account => Subscription)) private _subscriptions;
    mapping(uint256 toolId => ListConfig) private _lists;
    mapping(uint256 toolId => BalanceConfig) private _balances;
    mapping(uint256 toolId => SubscriptionConfig) private _gatings;
    mapping(uint256 toolId => CompositeConfig) private _composites;

    constructor(Predicates memory predicates) {
        _predicates = predicates;
    }

    /* MODEL */

    /// @dev The expected result of any predicate.
    function accessOf(address predicate, uint256 toolId, address account) public view returns (Access) {
        if (predicate == address(_predicates.list)) return listAccess(toolId, account);
        if (predicate == address(_predicates.balance)) return balanceAccess(toolId, account);
        if (predicate == address(_predicates.subscription)) return subscriptionAccess(toolId, account);
        if (predicate == address(_predicates.composite)) return compositeAccess(toolId, account);
        return Access.Denied;
    }

    function listAccess(uint256 toolId, address account) public view returns (Access) {
        ListConfig storage config = _lists[toolId];
        Access access = config.isSet ? Access.Denied : Access.Unknown;
        for (uint256 i = 0; i < config.collections.length; ++i) {
            address collection = config.collections[i];
            if (isFailing[collection]) access = Access.Unknown;
            else if (balanceOf[collection][account] != 0) return Access.Granted;
        }
        return access;
    }

    function balanceAccess(uint256 toolId, address account) public view returns (Access) {
        BalanceConfig storage config = _balances[toolId];
        if (!config.isSet || isFailing[config.token]) return Access.Unknown;
        return _accessFrom(isToken[config.token] && balanceOf[config.token][account] >= config.minBalance);
    }

    function subscriptionAccess(uint256 toolId, address account) public view returns (Access) {
        SubscriptionConfig storage config = _gatings[toolId];
        if (!config.isSet || isFailing[config.collection]) return Access.Unknown;
        Subscription storage current = _subscriptions[config.collection][account];
        return _accessFrom(current.isHeld && current.end > time && current.tier >= config.minTier);
    }

    function compositeAccess(uint256 toolId, address account) public view returns (Access) {
        return _compositeAccess(toolId, account, false);
    }

    /// @dev Whether `Unknown` is also allowed because gas may be insufficient.
    function mayBeUnknown(address predicate, uint256 toolId, address account) external view returns (bool) {
        return predicate == address(_predicates.composite) && _composites[toolId].termGas < GAS_FOR_ANY
            && _mayListLackGas(toolId, account) && _compositeAccess(toolId, account, true) == Access.Unknown;
    }

    /// @dev As one of four terms, a list may lack the gas for its third call if an earlier collection burned its stipend.
    function _mayListLackGas(uint256 toolId, address account) private view returns (bool) {
        address[] storage collections = _lists[toolId].collections;
        uint256 tokenCalls = 0;
        bool isGasBurned = false;
        for (uint256 i = 0; i < collections.length; ++i) {
            address collection = collections[i];
            if (!isToken[collection]) continue;
            if (tokenCalls++ == 2) return isGasBurned;
            if (burnsGas[collection]) isGasBurned = true;
            else if (!isFailing[collection] && balanceOf[collection][account] != 0) return false;
        }
        return false;
    }

    function _compositeAccess(uint256 toolId, address account, bool listLacksGas) private view returns (Access) {
        CompositeConfig storage config = _composites[toolId];
        if (!config.isSet) return Access.Unknown;
        uint256 count = config.terms.length;
        Access[] memory results = new Access[](count);
        bool[] memory negated = new bool[](count);
        for (uint256 i = 0; i < count; ++i) {
            address predicate = config.terms[i].predicate;
            negated[i] = config.terms[i].negate;
            bool isList = predicate == address(_predicates.list);
            results[i] = lacksGas(toolId, predicate) || (isList && listLacksGas)
                ? Access.Unknown
                : accessOf(predicate, toolId, account);
        }
        return KleeneEvaluator.combine(config.op, results, negated);
    }

    /// @dev Whether a term always lacks the gas for its call. Only the balance predicate needs that much.
    function lacksGas(uint256 toolId, address predicate) public view returns (bool) {
        return predicate == address(_predicates.balance) && isToken[_balances[toolId].token]
            && _composites[toolId].termGas < GAS_FOR_BALANCE;
    }

    function _accessFrom(bool isGranted) private pure returns (Access) {
        return isGranted ? Access.Granted : Access.Denied;
    }

    /* LAST ACCEPTED CONFIGURATIONS */

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

    /* RECORDED BY THE HANDLER */

    function addCall(bytes4 selector) external {
        calls++;
        callsOf[selector]++;
    }

    function addAttempt(bool hasReverted) external {
        attempts++;
        if (hasReverted) reverts++;
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

    function setFailing(address token, bool failed, bool burns) external {
        isFailing[token] = failed;
        burnsGas[token] = burns;
    }

    function mint(address token, address to, uint256 amount) external {
        balanceOf[token][to] += amount;
    }

    function move(address token, address from, address to, uint256 amount) external {
        balanceOf[token][from] -= amount;
        balanceOf[token][to] += amount;
    }

    function setSubscription(address token, address account, Subscription calldata current) external {
        _subscriptions[token][account] = current;
    }

    function setTime(uint256 now_) external {
        time = now_;
    }
}
