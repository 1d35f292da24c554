// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ISubscriptionToken } from "src/interfaces/external/ISubscriptionToken.sol";
import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { MinGasToken } from "test/mocks/tokens/MinGasToken.sol";
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
        _setUp(_deployArtifact("SubscriptionPredicate", abi.encode(registry)));
        token = new PlainSubscription();
        token.set(agent, 5, NOW + 1, 2);
    }

    /* VALID COLLECTIONS */

    function test_GivenSubscription() external {
        _set(address(token), 1);
        assertGranted(agent);
        assertDenied(eve);
        for (uint256 kind = 0; kind < 3; kind++) {
            PlainSubscription proxied = PlainSubscription(_deployProxy(Proxy(kind), address(token), _set(eve)));
            _set(address(proxied), 1);
            assertGranted(eve);
            assertDenied(agent);
            proxied.set(eve, 0, NOW + 1, 1);
            assertDenied(eve);
        }
    }

    function test_GivenSubscriptionExpires() external {
        _set(address(token), 2);
        assertGranted(agent);
        vm.warp(NOW + 1);
        assertDenied(agent);
        vm.warp(NOW + 2);
        assertDenied(agent);
        vm.warp(NOW);
        uint64[4] memory ends = [0, 1, NOW - 1, NOW];
        for (uint256 i = 0; i < ends.length; i++) {
            token.set(agent, 5, ends[i], 2);
            assertDenied(agent);
        }
        token.set(agent, 5, type(uint64).max, 2);
        assertGranted(agent);
    }

    function test_GivenTier() external {
        uint8[6] memory tiers = [0, 1, 2, 127, 254, 255];
        for (uint256 i = 0; i < tiers.length; i++) {
            token.set(agent, 5, NOW + 1, tiers[i]);
            for (uint256 j = 0; j < tiers.length; j++) {
                _set(address(token), tiers[j]);
                if (tiers[i] >= tiers[j]) assertGranted(agent);
                else assertDenied(agent);
                assertDenied(eve);
            }
        }
    }

    function test_GivenMinTierIsZero() external {
        _set(address(token), 0);
        vm.expectCall(address(token), abi.encodeWithSelector(ISubscriptionToken.tierOf.selector), 0);
        assertGranted(agent);
        address[] memory failing = _failingTokens();
        for (uint256 i = 0; i < failing.length; i++) {
            _set(address(new SelectorOverrideToken(address(token), failing[i], ISubscriptionToken.tierOf.selector)), 0);
            assertGranted(agent);
            assertDenied(eve);
        }
    }

    function test_WhenDataIsGiven() external {
        _set(address(token), 1);
        assertResult(agent, "junk", abi.encode(true));
        assertResult(eve, abi.encode(uint256(5)), abi.encode(false));
    }

    function test_GivenCollectionLosesItsCode() external {
        _set(address(token), 1);
        vm.etch(address(token), "");
        assertUnknown(agent, _callFailed(address(token)));
    }

    /* STIPENDS */

    /// @dev Each call is repeated on its own.
    function test_CallsWithStipends() external {
        address demanding =
            _withOverride(address(new MinGasToken(13_000, NOW + 1)), ISubscriptionToken.expiresAt.selector);
        _set(demanding, 1);
        vm.expectCall(demanding, 0, 12_000, abi.encodeCall(ISubscriptionToken.tokenOfOwner, (agent)), 1);
        vm.expectCall(demanding, 0, 46_666, abi.encodeCall(ISubscriptionToken.expiresAt, (5)), 1);
        vm.expectCall(demanding, 0, 12_000, abi.encodeCall(ISubscriptionToken.tierOf, (5)), 1);
        assertTrue(ISubscriptionPredicate(predicate).hasAccess(tool, agent, ""), "not granted");
    }

    function test_CallsWithStipends_GivenChosenStipend() external {
        address demanding = _withOverride(address(new MinGasToken(20_000, 2)), ISubscriptionToken.tierOf.selector);
        _configure(
            abi.encodeWithSignature("configureToolGating(uint256,address,uint8,uint256)", tool, demanding, 1, 20_000)
        );
        vm.expectCall(demanding, 0, 20_000, abi.encodeCall(ISubscriptionToken.tokenOfOwner, (agent)), 1);
        vm.expectCall(demanding, 0, 20_000, abi.encodeCall(ISubscriptionToken.expiresAt, (5)), 1);
        vm.expectCall(demanding, 0, 20_000, abi.encodeCall(ISubscriptionToken.tierOf, (5)), 1);
        (bool success,) =
            predicate.staticcall(abi.encodeCall(ISubscriptionPredicate(predicate).hasAccess, (tool, agent, "")));
        assertFalse(success, "a call that failed with the chosen stipend was repeated");
    }

    function test_GivenTokenNeedsMoreGas() external {
        uint256[3] memory needs = [uint256(11_000), 30_000, 46_667];
        vm.warp(100);
        for (uint256 i = 0; i < 9; i++) {
            address implementation = address(new MinGasToken(needs[i / 3], 200));
            address demanding = _deployProxy(Proxy(i % 3), implementation, _set(agent));
            _set(demanding, 1);
            assertResult(agent, "", i < 6 ? abi.encode(true) : _callFailed(demanding));
        }
    }

    /* FAILING COLLECTIONS */

    function test_GivenCollectionFails() external {
        address[] memory failing = _failingTokens();
        for (uint256 i = 0; i < failing.length; i++) {
            for (uint8 minTier = 0; minTier < 3; minTier++) {
                _set(failing[i], minTier);
                assertUnknown(agent, _callFailed(failing[i]));
            }
        }
    }

    function test_GivenOneCallFails() external {
        address[] memory failing = _failingTokens();
        for (uint256 i = 0; i < failing.length; i++) {
            address broken = _withOverride(failing[i], ISubscriptionToken.expiresAt.selector);
            _set(broken, 0);
            assertUnknown(agent, _callFailed(broken));
            assertDenied(eve);
            broken = _withOverride(failing[i], ISubscriptionToken.tierOf.selector);
            _set(broken, 1);
            assertUnknown(agent, _callFailed(broken));
            assertDenied(eve);
        }
    }

    function test_GivenExpiredAndTierOfFails() external {
        // An expired subscription is denied, whatever its tier.
        token.set(agent, 5, NOW, 2);
        _set(_withOverride(_failingTokens()[0], ISubscriptionToken.tierOf.selector), 1);
        assertDenied(agent);
    }

    function test_GivenReturnExceedsType() external {
        PresetResponseToken preset = new PresetResponseToken();
        _set(address(preset), 1);
        preset.setResponse(ISubscriptionToken.tokenOfOwner.selector, true, abi.encode(type(uint256).max));
        preset.setResponse(ISubscriptionToken.tierOf.selector, true, abi.encode(uint256(255)));
        preset.setResponse(ISubscriptionToken.expiresAt.selector, true, abi.encode(uint256(type(uint64).max)));
        assertGranted(agent);
        for (uint256 bit = 64; bit < 256; bit++) {
            preset.setResponse(ISubscriptionToken.expiresAt.selector, true, abi.encode(2 ** bit | NOW + 1));
            assertUnknown(agent, _callFailed(address(preset)));
        }
        preset.setResponse(ISubscriptionToken.expiresAt.selector, true, abi.encode(uint256(NOW + 1)));
        for (uint256 bit = 8; bit < 256; bit++) {
            preset.setResponse(ISubscriptionToken.tierOf.selector, true, abi.encode(2 ** bit | 2));
            assertUnknown(agent, _callFailed(address(preset)));
        }
        preset.setResponse(ISubscriptionToken.tierOf.selector, true, abi.encode(uint256(1)));
        assertGranted(agent);
    }

    function test_GivenReturnIsLong() external {
        _set(_withOverride(address(new OversizeReturnToken(NOW + 1, 0)), ISubscriptionToken.expiresAt.selector), 1);
        assertGranted(agent);
        _set(_withOverride(address(new OversizeReturnToken(NOW, NOW + 1)), ISubscriptionToken.expiresAt.selector), 1);
        assertDenied(agent);
        _set(_withOverride(address(new OversizeReturnToken(0, 9)), ISubscriptionToken.tierOf.selector), 1);
        assertDenied(agent);
    }

    /* AS A TERM OF A COMPOSITE */

    function test_GivenPredicateIsTermOfComposite() external {
        ICompositePredicate composite = ICompositePredicate(_deployArtifact("CompositePredicate", abi.encode(registry)));
        uint256 composed = _register(address(composite));
        vm.startPrank(creator);
        ISubscriptionPredicate(predicate).configureToolGating(composed, address(token), 2);
        Term[] memory terms = new Term[](2);
        terms[0] = Term({ predicate: predicate, negate: false });
        terms[1] = Term({ predicate: address(grantingPredicate), negate: false });
        composite.setComposition(composed, composite.ALL(), terms);
        vm.stopPrank();
        assertAccess(registry, composed, agent, "", true, true);
        assertAccess(registry, composed, eve, "", true, false);

        terms[0].negate = true;
        vm.startPrank(creator);
        composite.setComposition(composed, composite.ALL(), terms);
        assertAccess(registry, composed, agent, "", true, false);
        assertAccess(registry, composed, eve, "", true, true);
        ISubscriptionPredicate(predicate).configureToolGating(composed, _failingTokens()[1], 2);
        vm.stopPrank();
        assertAccess(registry, composed, agent, "", false, false);
        assertAccess(registry, composed, eve, "", false, false);
    }

    /// @dev A call that gives the account a subscription.
    function _set(address account) private pure returns (bytes memory) {
        return abi.encodeCall(PlainSubscription.set, (account, type(uint256).max, NOW + 1, 1));
    }

    function _withOverride(address broken, bytes4 selector) private returns (address) {
        return address(new SelectorOverrideToken(address(token), broken, selector));
    }

    function _set(address collection, uint8 minTier) private {
        _configure(abi.encodeWithSignature("configureToolGating(uint256,address,uint8)", tool, collection, minTier));
    }
}
