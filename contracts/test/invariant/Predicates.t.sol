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
import { Answer } from "test/support/KleeneEvaluator.sol";

/// @dev The properties of README.md, section "Predicates", in the same order.
contract PredicatesInvariantTest is BaseTest {
    /// @dev With this the registry can give a predicate all of its 200,000.
    uint256 private constant ENOUGH = 225_000;

    Predicates private _predicates;
    PredicateStore private _store;
    PredicateHandler private _handler;
    address[] private _accounts;
    bytes4[] private _entries;

    function setUp() public override {
        super.setUp();
        bytes memory arguments = abi.encode(registry);
        _predicates.list = IERC721OwnerPredicate(_deployShipped("ERC721OwnerPredicate", arguments));
        _predicates.balance = IERC20BalancePredicate(_deployShipped("ERC20BalancePredicate", arguments));
        _predicates.subscription = ISubscriptionPredicate(_deployShipped("SubscriptionPredicate", arguments));
        _predicates.composite = ICompositePredicate(_deployShipped("CompositePredicate", arguments));
        _predicates.deny = IPredicate(_deployShipped("AlwaysDenyPredicate", ""));
        _store = new PredicateStore(_predicates);
        _handler = new PredicateHandler(registry, _store, _predicates);
        _accounts = _handler.accounts();
        _entries = [
            PredicateHandler.setCollections.selector,
            PredicateHandler.setBalance.selector,
            PredicateHandler.setGating.selector,
            PredicateHandler.setComposition.selector,
            PredicateHandler.clear.selector,
            PredicateHandler.setAccessPredicate.selector,
            PredicateHandler.setUpAsStranger.selector,
            PredicateHandler.setUpInvalidly.selector,
            PredicateHandler.transferCollectible.selector,
            PredicateHandler.transferBalance.selector,
            PredicateHandler.changeSubscription.selector,
            PredicateHandler.passTime.selector,
            PredicateHandler.switchToken.selector
        ];
        targetContract(address(_handler));
        targetSelector(FuzzSelector({ addr: address(_handler), selectors: _entries }));
    }

    function invariant_ListAnswersAsTheModel() external view {
        _requireModel(address(_predicates.list));
    }

    function invariant_BalanceAndSubscriptionAnswerAsTheModel() external view {
        assertEq(vm.getBlockTimestamp(), _store.time(), "the clock of the store is wrong");
        _requireModel(address(_predicates.balance));
        _requireModel(address(_predicates.subscription));
    }

    function invariant_CompositeIsKleeneOverItsTerms() external view {
        _requireModel(address(_predicates.composite));
    }

    function invariant_ConfigurationIsTheLastAcceptedOne() external view {
        for (uint256 toolId = 1; toolId <= _handler.TOOLS(); ++toolId) {
            assertEq(
                _predicates.list.getCollections(toolId), _store.listConfigOf(toolId).collections, "the collections"
            );

            BalanceConfig memory balance = _store.balanceConfigOf(toolId);
            (address token, uint256 minBalance) = _predicates.balance.getToolERC20Config(toolId);
            assertEq(token, balance.token, "the token");
            assertEq(minBalance, balance.minBalance, "the minimum");

            SubscriptionConfig memory gating = _store.subscriptionConfigOf(toolId);
            (address collection, uint8 minTier) = _predicates.subscription.getToolGatingConfig(toolId);
            assertEq(collection, gating.collection, "the subscriptions");
            assertEq(minTier, gating.minTier, "the tier");

            CompositeConfig memory composition = _store.compositeConfigOf(toolId);
            assertEq(_predicates.composite.getOp(toolId), composition.op, "the operator");
            assertEq(_predicates.composite.termGas(toolId), composition.termGas, "the gas of a term");
            assertEq(
                abi.encode(_predicates.composite.getTerms(toolId)), abi.encode(composition.terms), "the terms differ"
            );
        }
    }

    function invariant_OnlyTheCreatorConfigures() external view {
        assertEq(_store.refusals(), _store.attempts(), "a stranger was not refused");
    }

    function invariant_NobodyIsGrantedWithoutAYes() external view {
        for (uint256 toolId = 1; toolId <= _handler.TOOLS(); ++toolId) {
            for (uint256 i = 0; i < _accounts.length; ++i) {
                address predicate = _store.predicateOf(toolId);
                Answer expected = _store.answerOf(predicate, toolId, _accounts[i]);
                bool mayNotTell = _store.mayNotTell(predicate, toolId, _accounts[i]);
                Answer plain = _askRegistry(toolId, _accounts[i], PLENTY);
                if (!mayNotTell || plain != Answer.Unknown) assertAnswer(plain, expected, "with plenty of gas");

                uint256 seed = uint256(keccak256(abi.encode(_store.calls(), toolId, i)));
                uint256 gasLimit = 20_000 + seed % 280_001;
                Answer answer = _askRegistry(toolId, _accounts[i], gasLimit);
                bool mustTell = gasLimit >= ENOUGH && !mayNotTell;
                if (mustTell || answer != Answer.Unknown) assertAnswer(answer, expected, "with some gas");
            }
        }
    }

    /// @dev The invariants are worth what the handler does: every entry, and each predicate gives each of its answers. The
    ///      third one in more ways than never having been set up.
    function test_HandlerReachesEveryState() external {
        address[5] memory asked = [
            address(_predicates.list),
            address(_predicates.balance),
            address(_predicates.subscription),
            address(_predicates.composite),
            address(_predicates.deny)
        ];
        uint256[3][5] memory found;
        uint256[3] memory registryFound;
        uint256 starved = 0;
        for (uint256 i = 0; i < 40 * _entries.length; ++i) {
            (bool success,) = address(_handler).call(abi.encodeWithSelector(_entries[i % _entries.length], i));
            assertTrue(success, "a handler entry reverted");
            if (i < 20 * _entries.length || i % 7 != 0) continue;
            _requireAllSetUp();
            for (uint256 toolId = 1; toolId <= _handler.TOOLS(); ++toolId) {
                if (_store.compositeConfigOf(toolId).terms.length == 4) {
                    if (_store.isStarved(toolId, address(_predicates.balance))) starved++;
                }
                for (uint256 j = 0; j < _accounts.length; ++j) {
                    for (uint256 k = 0; k < asked.length; ++k) {
                        found[k][uint256(_ask(asked[k], toolId, _accounts[j]))]++;
                    }
                    registryFound[uint256(_askRegistry(toolId, _accounts[j], PLENTY))]++;
                }
            }
        }

        for (uint256 i = 0; i < _entries.length; ++i) {
            assertEq(_store.callsOf(_entries[i]), 40, "an entry was not counted");
        }
        for (uint256 answer = 0; answer < 3; ++answer) {
            for (uint256 k = 0; k < 4; ++k) {
                assertGe(found[k][answer], 10, "a predicate hardly ever gives one of its answers");
            }
            assertGe(registryFound[answer], 10, "the registry hardly ever gives one of its answers");
        }
        assertEq(found[4][uint256(Answer.Unknown)] + found[4][uint256(Answer.Yes)], 0, "the pause does not deny");
        assertGe(starved, 1, "no composite has too many terms for one about a balance");
        assertEq(_store.attempts(), 160, "strangers did not try");
    }

    /* PARTS */

    function _requireAllSetUp() private view {
        for (uint256 toolId = 1; toolId <= _handler.TOOLS(); ++toolId) {
            assertTrue(_store.listConfigOf(toolId).isSet, "no list was set up");
            assertTrue(_store.balanceConfigOf(toolId).isSet, "no balance was set up");
            assertTrue(_store.subscriptionConfigOf(toolId).isSet, "no subscription was set up");
            assertTrue(_store.compositeConfigOf(toolId).isSet, "no composite was set up");
        }
    }

    function _requireModel(address predicate) private view {
        for (uint256 toolId = 1; toolId <= _handler.TOOLS(); ++toolId) {
            for (uint256 i = 0; i < _accounts.length; ++i) {
                Answer answer = _ask(predicate, toolId, _accounts[i]);
                bool mayNotTell = _store.mayNotTell(predicate, toolId, _accounts[i]);
                if (mayNotTell && answer == Answer.Unknown) continue;
                assertAnswer(answer, _store.answerOf(predicate, toolId, _accounts[i]), "not the answer of the model");
            }
        }
    }

    function _ask(address predicate, uint256 toolId, address account) private view returns (Answer) {
        (bool success, bytes memory answer) =
            predicate.staticcall(abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, "")));
        if (!success) return Answer.Unknown;
        assertEq(answer.length, 32, "an answer is one word");
        return abi.decode(answer, (bool)) ? Answer.Yes : Answer.No;
    }

    function _askRegistry(uint256 toolId, address account, uint256 gasLimit) private view returns (Answer) {
        (bool success, bytes memory answer) =
            address(registry).staticcall{ gas: gasLimit }(abi.encodeCall(registry.tryHasAccess, (toolId, account, "")));
        if (!success) return Answer.Unknown;
        (bool ok, bool granted) = abi.decode(answer, (bool, bool));
        assertTrue(ok || !granted, "granted without an answer");
        if (!ok) return Answer.Unknown;
        return granted ? Answer.Yes : Answer.No;
    }

    function assertAnswer(Answer actual, Answer expected, string memory what) private pure {
        assertEq(uint256(actual), uint256(expected), what);
    }
}
