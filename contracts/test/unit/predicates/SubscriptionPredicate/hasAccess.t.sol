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
        _setUp(_deployArtifact("SubscriptionPredicate", abi.encode(registry)));
        token = new PlainSubscription();
        token.set(agent, 5, NOW + 1, 2);
    }

    /* VALID COLLECTIONS */

    function test_GivenSubscription() external {
        _set(address(token), 1);
        assertGranted(agent);
        assertDenied(eve);
        PlainSubscription proxied = PlainSubscription(
            _deployProxy(address(token), abi.encodeCall(PlainSubscription.set, (eve, type(uint256).max, NOW + 1, 1)))
        );
        _set(address(proxied), 1);
        assertGranted(eve);
        assertDenied(agent);
        proxied.set(eve, 0, NOW + 1, 1);
        assertDenied(eve);
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

    function test_CallsWithStipend() external {
        _set(address(token), 1);
        uint64 stipend = uint64(ISubscriptionPredicate(predicate).GAS_PER_QUESTION());
        vm.expectCall(address(token), 0, stipend, abi.encodeCall(ISubscriptionToken.tokenOfOwner, (agent)), 1);
        vm.expectCall(address(token), 0, stipend, abi.encodeCall(ISubscriptionToken.expiresAt, (5)), 1);
        vm.expectCall(address(token), 0, stipend, abi.encodeCall(ISubscriptionToken.tierOf, (5)), 1);
        ISubscriptionPredicate(predicate).hasAccess(tool, agent, "");
    }

    /* NO CODE */

    function test_GivenCollectionHasNoCode() external {
        address[4] memory empty = [eve, address(0), address(4), agent];
        for (uint256 i = 0; i < empty.length; i++) {
            _set(empty[i], 0);
            assertDenied(agent);
            _set(empty[i], 1);
            assertDenied(agent);
        }
    }

    function test_GivenCollectionIsDeployedLater() external {
        bytes memory initCode = type(PlainSubscription).creationCode;
        address future = vm.computeCreate2Address("salt", keccak256(initCode), address(this));
        _set(future, 0);
        assertDenied(agent);

        PlainSubscription deployed = new PlainSubscription{ salt: "salt" }();

        assertEq(address(deployed), future, "deployed at another address");
        assertDenied(agent);
        deployed.set(agent, 1, NOW + 1, 0);
        assertGranted(agent);
    }

    /* FAILING COLLECTIONS */

    function test_GivenCollectionFails() external {
        address[] memory failing = _failingTokens();
        for (uint256 i = 0; i < failing.length; i++) {
            for (uint8 minTier = 0; minTier < 3; minTier++) {
                _set(failing[i], minTier);
                assertUnknown(agent, _noAnswer(failing[i]));
            }
        }
    }

    function test_GivenOneCallFails() external {
        address[] memory failing = _failingTokens();
        for (uint256 i = 0; i < failing.length; i++) {
            address broken = _withOverride(failing[i], ISubscriptionToken.expiresAt.selector);
            _set(broken, 0);
            assertUnknown(agent, _noAnswer(broken));
            assertDenied(eve);
            broken = _withOverride(failing[i], ISubscriptionToken.tierOf.selector);
            _set(broken, 1);
            assertUnknown(agent, _noAnswer(broken));
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
            assertUnknown(agent, _noAnswer(address(preset)));
        }
        preset.setResponse(ISubscriptionToken.expiresAt.selector, true, abi.encode(uint256(NOW + 1)));
        for (uint256 bit = 8; bit < 256; bit++) {
            preset.setResponse(ISubscriptionToken.tierOf.selector, true, abi.encode(2 ** bit | 2));
            assertUnknown(agent, _noAnswer(address(preset)));
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

    function _withOverride(address broken, bytes4 selector) private returns (address) {
        return address(new SelectorOverrideToken(address(token), broken, selector));
    }

    function _set(address collection, uint8 minTier) private {
        _configure(abi.encodeCall(ISubscriptionPredicate.configureToolGating, (tool, collection, minTier)));
    }
}
