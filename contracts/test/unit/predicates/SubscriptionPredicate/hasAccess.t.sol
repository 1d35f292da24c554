// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ISubscriptionToken } from "src/interfaces/external/ISubscriptionToken.sol";
import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { OversizeReturnToken } from "test/mocks/tokens/OversizeReturnToken.sol";
import { PlainSubscription } from "test/mocks/tokens/PlainSubscription.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { SelectorOverrideToken } from "test/mocks/tokens/SelectorOverrideToken.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract SubscriptionPredicateHasAccessTest is TokenPredicateTest {
    uint64 private constant NOW = 1_800_000_000;

    PlainSubscription private token;

    function setUp() public override {
        super.setUp();
        vm.warp(NOW);
        _setUp(_deployShipped("SubscriptionPredicate", abi.encode(registry)));
        token = new PlainSubscription();
        token.set(agent, 5, NOW + 1, 2);
    }

    /* HONEST COLLECTIONS */

    function test_GivenSubscription() external {
        _set(address(token), 1);
        assertYes(agent);
        assertNo(stranger);
        PlainSubscription proxied = PlainSubscription(
            _proxied(address(token), abi.encodeCall(PlainSubscription.set, (stranger, type(uint256).max, NOW + 1, 1)))
        );
        _set(address(proxied), 1);
        assertYes(stranger);
        assertNo(agent);
        proxied.set(stranger, 0, NOW + 1, 1);
        assertNo(stranger);
    }

    function test_GivenSubscriptionEnds() external {
        _set(address(token), 2);
        assertYes(agent);
        vm.warp(NOW + 1);
        assertNo(agent);
        vm.warp(NOW + 2);
        assertNo(agent);
        vm.warp(NOW);
        uint64[4] memory ends = [0, 1, NOW - 1, NOW];
        for (uint256 i = 0; i < ends.length; i++) {
            token.set(agent, 5, ends[i], 2);
            assertNo(agent);
        }
        token.set(agent, 5, type(uint64).max, 2);
        assertYes(agent);
    }

    function test_GivenTier() external {
        uint8[6] memory tiers = [0, 1, 2, 127, 254, 255];
        for (uint256 i = 0; i < tiers.length; i++) {
            token.set(agent, 5, NOW + 1, tiers[i]);
            for (uint256 j = 0; j < tiers.length; j++) {
                _set(address(token), tiers[j]);
                if (tiers[i] >= tiers[j]) assertYes(agent);
                else assertNo(agent);
                assertNo(stranger);
            }
        }
    }

    function test_GivenAnyTierWillDo() external {
        _set(address(token), 0);
        vm.expectCall(address(token), abi.encodeWithSelector(ISubscriptionToken.tierOf.selector), 0);
        assertYes(agent);
        address[] memory hostile = _hostileTokens();
        for (uint256 i = 0; i < hostile.length; i++) {
            _set(address(new SelectorOverrideToken(address(token), hostile[i], ISubscriptionToken.tierOf.selector)), 0);
            assertYes(agent);
            assertNo(stranger);
        }
    }

    function test_WhenDataAreGiven() external {
        _set(address(token), 1);
        assertAnswer(agent, "junk", abi.encode(true));
        assertAnswer(stranger, abi.encode(uint256(5)), abi.encode(false));
    }

    function test_WhenAsking() external {
        _set(address(token), 1);
        uint64 stipend = uint64(ISubscriptionPredicate(predicate).GAS_PER_QUESTION());
        vm.expectCall(address(token), 0, stipend, abi.encodeCall(ISubscriptionToken.tokenOfOwner, (agent)), 1);
        vm.expectCall(address(token), 0, stipend, abi.encodeCall(ISubscriptionToken.expiresAt, (5)), 1);
        vm.expectCall(address(token), 0, stipend, abi.encodeCall(ISubscriptionToken.tierOf, (5)), 1);
        ISubscriptionPredicate(predicate).hasAccess(tool, agent, "");
    }

    /* NO CODE */

    function test_GivenCollectionHasNoCode() external {
        address[4] memory empty = [stranger, address(0), address(4), agent];
        for (uint256 i = 0; i < empty.length; i++) {
            _set(empty[i], 0);
            assertNo(agent);
            _set(empty[i], 1);
            assertNo(agent);
        }
    }

    function test_GivenCollectionComesAlive() external {
        bytes memory initCode = type(PlainSubscription).creationCode;
        address future = vm.computeCreate2Address("salt", keccak256(initCode), address(this));
        _set(future, 0);
        assertNo(agent);

        PlainSubscription deployed = new PlainSubscription{ salt: "salt" }();

        assertEq(address(deployed), future, "deployed elsewhere");
        assertNo(agent);
        deployed.set(agent, 1, NOW + 1, 0);
        assertYes(agent);
    }

    /* COLLECTIONS THAT DO NOT ANSWER */

    function test_GivenCollectionDoesNotAnswer() external {
        address[] memory hostile = _hostileTokens();
        for (uint256 i = 0; i < hostile.length; i++) {
            for (uint8 minTier = 0; minTier < 3; minTier++) {
                _set(hostile[i], minTier);
                assertUnknown(agent, _noAnswer(hostile[i]));
            }
        }
    }

    function test_GivenOneQuestionIsNotAnswered() external {
        address[] memory hostile = _hostileTokens();
        for (uint256 i = 0; i < hostile.length; i++) {
            address bad = _half(hostile[i], ISubscriptionToken.expiresAt.selector);
            _set(bad, 0);
            assertUnknown(agent, _noAnswer(bad));
            assertNo(stranger);
            bad = _half(hostile[i], ISubscriptionToken.tierOf.selector);
            _set(bad, 1);
            assertUnknown(agent, _noAnswer(bad));
            assertNo(stranger);
        }
    }

    function test_GivenExpiredAndTierIsNotAnswered() external {
        // An ended subscription is a no, whatever its tier.
        token.set(agent, 5, NOW, 2);
        _set(_half(_hostileTokens()[0], ISubscriptionToken.tierOf.selector), 1);
        assertNo(agent);
    }

    function test_GivenAnswerIsOutOfItsType() external {
        PresetResponseToken odd = new PresetResponseToken();
        _set(address(odd), 1);
        odd.setResponse(ISubscriptionToken.tokenOfOwner.selector, true, abi.encode(type(uint256).max));
        odd.setResponse(ISubscriptionToken.tierOf.selector, true, abi.encode(uint256(255)));
        odd.setResponse(ISubscriptionToken.expiresAt.selector, true, abi.encode(uint256(type(uint64).max)));
        assertYes(agent);
        for (uint256 bit = 64; bit < 256; bit++) {
            odd.setResponse(ISubscriptionToken.expiresAt.selector, true, abi.encode(2 ** bit | NOW + 1));
            assertUnknown(agent, _noAnswer(address(odd)));
        }
        odd.setResponse(ISubscriptionToken.expiresAt.selector, true, abi.encode(uint256(NOW + 1)));
        for (uint256 bit = 8; bit < 256; bit++) {
            odd.setResponse(ISubscriptionToken.tierOf.selector, true, abi.encode(2 ** bit | 2));
            assertUnknown(agent, _noAnswer(address(odd)));
        }
        odd.setResponse(ISubscriptionToken.tierOf.selector, true, abi.encode(uint256(1)));
        assertYes(agent);
    }

    function test_GivenAnswerIsLong() external {
        _set(_half(address(new OversizeReturnToken(NOW + 1, 0)), ISubscriptionToken.expiresAt.selector), 1);
        assertYes(agent);
        _set(_half(address(new OversizeReturnToken(NOW, NOW + 1)), ISubscriptionToken.expiresAt.selector), 1);
        assertNo(agent);
        _set(_half(address(new OversizeReturnToken(0, 9)), ISubscriptionToken.tierOf.selector), 1);
        assertNo(agent);
    }

    /* AS A LEAF */

    function test_GivenPredicateIsALeaf() external {
        ICompositePredicate composite = ICompositePredicate(_deployShipped("CompositePredicate", abi.encode(registry)));
        uint256 composed = _register(address(composite));
        vm.startPrank(creator);
        ISubscriptionPredicate(predicate).configureToolGating(composed, address(token), 2);
        Term[] memory terms = new Term[](2);
        terms[0] = Term({ predicate: predicate, negate: false });
        terms[1] = Term({ predicate: address(yesPredicate), negate: false });
        composite.setComposition(composed, composite.ALL(), terms);
        vm.stopPrank();
        assertAccess(registry, composed, agent, "", true, true);
        assertAccess(registry, composed, stranger, "", true, false);

        terms[0].negate = true;
        vm.startPrank(creator);
        composite.setComposition(composed, composite.ALL(), terms);
        assertAccess(registry, composed, agent, "", true, false);
        assertAccess(registry, composed, stranger, "", true, true);
        ISubscriptionPredicate(predicate).configureToolGating(composed, _hostileTokens()[1], 2);
        vm.stopPrank();
        assertAccess(registry, composed, agent, "", false, false);
        assertAccess(registry, composed, stranger, "", false, false);
    }

    function _half(address bad, bytes4 selector) private returns (address) {
        return address(new SelectorOverrideToken(address(token), bad, selector));
    }

    function _set(address collection, uint8 minTier) private {
        _configure(abi.encodeCall(ISubscriptionPredicate.configureToolGating, (tool, collection, minTier)));
    }
}
