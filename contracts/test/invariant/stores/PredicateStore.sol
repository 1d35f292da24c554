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
    uint256[] stipends;
    Term[][] clauses;
}

struct Subscription {
    bool isHeld;
    uint64 end;
    uint8 tier;
}

/// @dev The state of predicates and tokens as recorded by the handler, and the results it implies. Calls neither.
contract PredicateStore {
    /// @dev The sum of the stipends of a composition.
    uint256 public constant MAX_BUDGET = 156_000;

    /// @dev As a stipend of a term, sufficient for every predicate of the handler, if no token fails.
    uint256 public constant GAS_FOR_ANY = 45_000;

    /// @dev Number of handler calls, and the block timestamp.
    uint256 public calls;
    uint256 public time;

    /// @dev Configuration attempts by callers other than the creator, and how many reverted with the right error.
    uint256 public attempts;
    uint256 public reverts;

    mapping(bytes4 selector => uint256) public callsOf;
    mapping(uint256 toolId => address) public predicateOf;
    mapping(address token => bool) public isFailing;
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
        return _accessFrom(balanceOf[config.token][account] >= config.minBalance);
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

    /// @dev Whether `Unknown` is also allowed because a term may lack gas.
    function mayBeUnknown(address predicate, uint256 toolId, address account) external view returns (bool) {
        return predicate == address(_predicates.composite) && _compositeAccess(toolId, account, true) == Access.Unknown;
    }

    /// @dev A term may lack gas if it was configured after the composition, and a list if it repeats a failed call.
    function mayLackGas(uint256 toolId, address predicate, uint256 stipend) public view returns (bool) {
        if (stipend < gasNeeded(toolId, predicate)) return true;
        if (predicate != address(_predicates.list)) return false;
        address[] storage collections = _lists[toolId].collections;
        for (uint256 i = 0; i < collections.length; ++i) {
            if (isFailing[collections[i]]) return true;
        }
        return false;
    }

    /// @dev What a predicate reports as `gasNeeded`, and at least 3,000.
    function gasNeeded(uint256 toolId, address predicate) public view returns (uint256) {
        uint256 one = 12_000 + uint256(12_000) / 63 + 500 + 3400 + 3300;
        if (predicate == address(_predicates.balance)) return _balances[toolId].isSet ? one : 3000;
        if (predicate == address(_predicates.subscription)) {
            return _gatings[toolId].isSet ? one + 2700 + 2 * 6300 : 3000;
        }
        if (predicate != address(_predicates.list) || !_lists[toolId].isSet) return 3000;
        uint256 count = _lists[toolId].collections.length;
        return count < 2 ? one : one + 2700 + (count - 1) * 6300;
    }

    /// @dev The sum of what the terms need.
    function neededFor(uint256 toolId, Term[][] calldata clauses) public view returns (uint256 sum) {
        for (uint256 i = 0; i < clauses.length; ++i) {
            for (uint256 j = 0; j < clauses[i].length; ++j) {
                sum += gasNeeded(toolId, clauses[i][j].predicate);
            }
        }
    }

    function countOf(Term[][] calldata clauses) public pure returns (uint256 count) {
        for (uint256 i = 0; i < clauses.length; ++i) {
            count += clauses[i].length;
        }
    }

    function _compositeAccess(uint256 toolId, address account, bool lacksGas) private view returns (Access) {
        CompositeConfig memory config = _composites[toolId];
        if (!config.isSet) return Access.Unknown;
        Access[] memory results = new Access[](config.clauses.length);
        uint256 index = 0;
        for (uint256 i = 0; i < results.length; ++i) {
            Term[] memory terms = config.clauses[i];
            Access[] memory termResults = new Access[](terms.length);
            bool[] memory negated = new bool[](terms.length);
            for (uint256 j = 0; j < terms.length; ++j) {
                address predicate = terms[j].predicate;
                negated[j] = terms[j].negate;
                termResults[j] = lacksGas && mayLackGas(toolId, predicate, config.stipends[index++])
                    ? Access.Unknown
                    : accessOf(predicate, toolId, account);
            }
            results[i] = KleeneEvaluator.combine(1 - config.op, termResults, negated);
        }
        return KleeneEvaluator.combine(config.op, results, new bool[](results.length));
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

    /// @dev By default a term has what it needs and an equal share of the rest.
    function setComposite(uint256 toolId, uint8 op, Term[][] calldata clauses, uint256[] calldata stipends) external {
        CompositeConfig storage config = _composites[toolId];
        config.isSet = true;
        config.op = op;
        config.stipends = stipends;
        delete config.clauses;
        uint256 count = countOf(clauses);
        uint256 share = count == 0 ? 0 : (MAX_BUDGET - neededFor(toolId, clauses)) / count;
        for (uint256 i = 0; i < clauses.length; ++i) {
            config.clauses.push();
            for (uint256 j = 0; j < clauses[i].length; ++j) {
                config.clauses[i].push(clauses[i][j]);
                if (stipends.length == 0) config.stipends.push(gasNeeded(toolId, clauses[i][j].predicate) + share);
            }
        }
    }

    function setPredicate(uint256 toolId, address predicate) external {
        predicateOf[toolId] = predicate;
    }

    function setFailing(address token, bool failed) external {
        isFailing[token] = failed;
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
