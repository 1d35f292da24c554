// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { ICompositePredicate } from "src/interfaces/predicates/ICompositePredicate.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { PredicateHandler } from "test/invariant/handlers/PredicateHandler.sol";
import {
    BalanceConfig,
    CompositeConfig,
    PredicateStore,
    Predicates,
    SubscriptionConfig
} from "test/invariant/stores/PredicateStore.sol";
import { Access } from "test/support/Access.sol";

/// @dev The invariants of README.md, section "Predicates", in the same order.
contract PredicatesInvariantTest is BaseTest {
    /// @dev Enough for the registry to forward 200,000 to the predicate.
    uint256 private constant SUFFICIENT_GAS = 225_000;

    Predicates private _predicates;
    PredicateStore private _store;
    PredicateHandler private _handler;
    address[] private _accounts;
    bytes4[] private _selectors;

    function setUp() public override {
        super.setUp();
        bytes memory arguments = abi.encode(registry);
        _predicates.list = IERC721OwnerPredicate(_deployArtifact("ERC721OwnerPredicate", arguments));
        _predicates.balance = IERC20BalancePredicate(_deployArtifact("ERC20BalancePredicate", arguments));
        _predicates.subscription = ISubscriptionPredicate(_deployArtifact("SubscriptionPredicate", arguments));
        _predicates.composite = ICompositePredicate(_deployArtifact("CompositePredicate", arguments));
        _predicates.deny = IPredicate(_deployArtifact("AlwaysDenyPredicate", ""));
        _store = new PredicateStore(_predicates);
        _handler = new PredicateHandler(registry, _store, _predicates);
        _accounts = _handler.accounts();
        _selectors = [
            PredicateHandler.setCollections.selector,
            PredicateHandler.setBalance.selector,
            PredicateHandler.setGating.selector,
            PredicateHandler.setComposition.selector,
            PredicateHandler.clear.selector,
            PredicateHandler.setAccessPredicate.selector,
            PredicateHandler.configureAsNonCreator.selector,
            PredicateHandler.configureInvalidly.selector,
            PredicateHandler.transferNFT.selector,
            PredicateHandler.transferBalance.selector,
            PredicateHandler.changeSubscription.selector,
            PredicateHandler.warp.selector,
            PredicateHandler.switchToken.selector
        ];
        targetContract(address(_handler));
        targetSelector(FuzzSelector({ addr: address(_handler), selectors: _selectors }));
    }

    function invariant_ListMatchesModel() external view {
        _requireModel(address(_predicates.list));
    }

    function invariant_BalanceAndSubscriptionMatchModel() external view {
        assertEq(vm.getBlockTimestamp(), _store.time(), "the store has the wrong time");
        _requireModel(address(_predicates.balance));
        _requireModel(address(_predicates.subscription));
    }

    function invariant_CompositeIsKleeneOverItsTerms() external view {
        _requireModel(address(_predicates.composite));
    }

    function invariant_ConfigurationIsLastAccepted() external view {
        for (uint256 toolId = 1; toolId <= _handler.TOOLS(); ++toolId) {
            assertEq(_predicates.list.getCollections(toolId), _store.listConfigOf(toolId).collections, "collections");

            BalanceConfig memory balance = _store.balanceConfigOf(toolId);
            (address token, uint256 minBalance) = _predicates.balance.getToolERC20Config(toolId);
            assertEq(token, balance.token, "token");
            assertEq(minBalance, balance.minBalance, "minimum balance");

            SubscriptionConfig memory gating = _store.subscriptionConfigOf(toolId);
            (address collection, uint8 minTier) = _predicates.subscription.getToolGatingConfig(toolId);
            assertEq(collection, gating.collection, "subscription collection");
            assertEq(minTier, gating.minTier, "minimum tier");

            CompositeConfig memory composition = _store.compositeConfigOf(toolId);
            assertEq(_predicates.composite.getOp(toolId), composition.op, "operator");
            assertEq(_predicates.composite.termGas(toolId), composition.stipends, "stipends of the terms");
            assertEq(abi.encode(_predicates.composite.getClauses(toolId)), abi.encode(composition.clauses), "clauses");
        }
    }

    function invariant_OnlyCreatorConfigures() external view {
        assertEq(_store.reverts(), _store.attempts(), "a caller that is not the creator was accepted");
    }

    function invariant_GrantsOnlyWhenPredicateGrants() external view {
        for (uint256 toolId = 1; toolId <= _handler.TOOLS(); ++toolId) {
            for (uint256 i = 0; i < _accounts.length; ++i) {
                address predicate = _store.predicateOf(toolId);
                Access expected = _store.accessOf(predicate, toolId, _accounts[i]);
                bool mayBeUnknown = _store.mayBeUnknown(predicate, toolId, _accounts[i]);
                Access ampleGasAccess = _registryAccess(toolId, _accounts[i], AMPLE_GAS);
                if (!mayBeUnknown || ampleGasAccess != Access.Unknown) {
                    assertResult(ampleGasAccess, expected, "with ample gas");
                }

                uint256 seed = uint256(keccak256(abi.encode(_store.calls(), toolId, i)));
                uint256 gasLimit = 20_000 + seed % 280_001;
                Access access = _registryAccess(toolId, _accounts[i], gasLimit);
                bool mustBeKnown = gasLimit >= SUFFICIENT_GAS && !mayBeUnknown;
                if (mustBeKnown || access != Access.Unknown) assertResult(access, expected, "with limited gas");
            }
        }
    }

    /// @dev Checks that the handler reaches every function and every result of each predicate, and `Unknown` for other
    ///      reasons than a missing configuration.
    function test_HandlerReachesEveryState() external {
        address[5] memory predicates = [
            address(_predicates.list),
            address(_predicates.balance),
            address(_predicates.subscription),
            address(_predicates.composite),
            address(_predicates.deny)
        ];
        uint256[3][5] memory found;
        uint256[3] memory registryFound;
        uint256 limited = 0;
        uint256 clauses = 0;
        for (uint256 i = 0; i < 40 * _selectors.length; ++i) {
            (bool success,) = address(_handler).call(abi.encodeWithSelector(_selectors[i % _selectors.length], i));
            assertTrue(success, "a handler function reverted");
            if (i < 20 * _selectors.length || i % 7 != 0) continue;
            _requireAllConfigured();
            for (uint256 toolId = 1; toolId <= _handler.TOOLS(); ++toolId) {
                if (_store.compositeConfigOf(toolId).clauses.length == 2) clauses++;
                for (uint256 j = 0; j < _accounts.length; ++j) {
                    for (uint256 k = 0; k < predicates.length; ++k) {
                        found[k][uint256(_predicateAccess(predicates[k], toolId, _accounts[j]))]++;
                        if (_store.mayBeUnknown(predicates[k], toolId, _accounts[j])) limited++;
                    }
                    registryFound[uint256(_registryAccess(toolId, _accounts[j], AMPLE_GAS))]++;
                }
            }
        }

        for (uint256 i = 0; i < _selectors.length; ++i) {
            assertEq(_store.callsOf(_selectors[i]), 40, "a handler call was not counted");
        }
        for (uint256 access = 0; access < 3; ++access) {
            for (uint256 k = 0; k < 4; ++k) {
                assertGe(found[k][access], 10, "a predicate rarely returns one of its results");
            }
            assertGe(registryFound[access], 10, "the registry rarely returns one of its results");
        }
        assertEq(
            found[4][uint256(Access.Unknown)] + found[4][uint256(Access.Granted)],
            0,
            "AlwaysDenyPredicate does not deny"
        );
        assertGe(limited, 1, "no composite had a term that may lack gas");
        assertGe(clauses, 1, "no composite had two clauses");
        assertEq(_store.attempts(), 160, "number of attempts by other callers");
    }

    /* HELPERS */

    function _requireAllConfigured() private view {
        for (uint256 toolId = 1; toolId <= _handler.TOOLS(); ++toolId) {
            assertTrue(_store.listConfigOf(toolId).isSet, "no list was configured");
            assertTrue(_store.balanceConfigOf(toolId).isSet, "no balance was configured");
            assertTrue(_store.subscriptionConfigOf(toolId).isSet, "no subscription was configured");
            assertTrue(_store.compositeConfigOf(toolId).isSet, "no composite was configured");
        }
    }

    function _requireModel(address predicate) private view {
        for (uint256 toolId = 1; toolId <= _handler.TOOLS(); ++toolId) {
            for (uint256 i = 0; i < _accounts.length; ++i) {
                Access access = _predicateAccess(predicate, toolId, _accounts[i]);
                bool mayBeUnknown = _store.mayBeUnknown(predicate, toolId, _accounts[i]);
                if (mayBeUnknown && access == Access.Unknown) continue;
                assertResult(access, _store.accessOf(predicate, toolId, _accounts[i]), "result differs from the model");
            }
        }
    }

    function _predicateAccess(address predicate, uint256 toolId, address account) private view returns (Access) {
        (bool success, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, "")));
        if (!success) return Access.Unknown;
        assertEq(returndata.length, 32, "return data is not 32 bytes");
        return abi.decode(returndata, (bool)) ? Access.Granted : Access.Denied;
    }

    function _registryAccess(uint256 toolId, address account, uint256 gasLimit) private view returns (Access) {
        (bool success, bytes memory returndata) =
            address(registry).staticcall{ gas: gasLimit }(abi.encodeCall(registry.tryHasAccess, (toolId, account, "")));
        if (!success) return Access.Unknown;
        (bool ok, bool granted) = abi.decode(returndata, (bool, bool));
        assertTrue(ok || !granted, "granted without ok");
        if (!ok) return Access.Unknown;
        return granted ? Access.Granted : Access.Denied;
    }

    function assertResult(Access actual, Access expected, string memory label) private pure {
        assertEq(uint256(actual), uint256(expected), label);
    }
}
