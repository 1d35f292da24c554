// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ISubscriptionToken } from "src/interfaces/external/ISubscriptionToken.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { GasDependentToken } from "test/mocks/tokens/GasDependentToken.sol";
import { PlainSubscription } from "test/mocks/tokens/PlainSubscription.sol";
import { SelectorOverrideToken } from "test/mocks/tokens/SelectorOverrideToken.sol";
import { Answer, TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract SubscriptionPredicateGasTest is TokenPredicateTest {
    uint64 private constant NOW = 1_800_000_000;

    address private proxied;

    function setUp() public override {
        super.setUp();
        vm.warp(NOW);
        _setUp(_deployShipped("SubscriptionPredicate", abi.encode(registry)));
        proxied =
            _proxied(address(new PlainSubscription()), abi.encodeCall(PlainSubscription.set, (agent, 1, NOW + 1, 2)));
        PlainSubscription(proxied).set(creator, 2, NOW, 2);
    }

    function test_StateIsCold() external {
        _set(proxied, 2);
        uint256 first = _gasNeeded(agent, "", Answer.Yes);
        assertGt(first, 2100 + 2600, "storage and collection were warm");
        assertEq(_gasNeeded(agent, "", Answer.Yes), first, "asking warms something up");
    }

    function test_GasDecidesNothing_GivenHonestCollection() external {
        for (uint8 minTier = 0; minTier < 4; minTier++) {
            _set(proxied, minTier);
            assertGasDecidesNothing(agent, "", minTier < 3 ? Answer.Yes : Answer.No);
            assertGasDecidesNothing(creator, "", Answer.No);
            assertGasDecidesNothing(stranger, "", Answer.No);
        }
    }

    function test_GasDecidesNothing_GivenCollectionDoesNotAnswer() external {
        bytes4[3] memory questions = _questions();
        address burner = address(new GasBurner());
        for (uint256 i = 0; i < questions.length; i++) {
            _set(address(new SelectorOverrideToken(proxied, burner, questions[i])), 1);
            assertGasDecidesNothing(agent, "", Answer.Unknown);
        }
    }

    function test_GasDecidesNothing_GivenCollectionSwallowsOutOfGas() external {
        uint256 stipend = ISubscriptionPredicate(predicate).GAS_PER_QUESTION();
        uint256[2] memory thresholds = [stipend - 300, stipend / 4];
        for (uint256 i = 0; i < thresholds.length; i++) {
            // The same word is a token id, an end far in the future or the past, and a tier.
            _set(address(new GasDependentToken(thresholds[i], 0, 200)), 0);
            assertGasDecidesNothing(agent, "", Answer.No);
            vm.warp(100);
            assertGasDecidesNothing(agent, "", Answer.Yes);
            _set(address(new GasDependentToken(thresholds[i], 0, 200)), 200);
            assertGasDecidesNothing(agent, "", Answer.Yes);
            _set(address(new GasDependentToken(thresholds[i], 200, 0)), 200);
            assertGasDecidesNothing(agent, "", Answer.No);
            vm.warp(NOW);
        }
    }

    function test_Usable() external {
        _set(proxied, 2);
        assertUsable(agent, "", Answer.Yes);
        vm.warp(100);
        _set(address(new GasConsumingToken(200)), 200);
        assertUsable(agent, "", Answer.Yes);
    }

    function _questions() private pure returns (bytes4[3] memory) {
        return [
            ISubscriptionToken.tokenOfOwner.selector,
            ISubscriptionToken.expiresAt.selector,
            ISubscriptionToken.tierOf.selector
        ];
    }

    function _set(address collection, uint8 minTier) private {
        _configure(abi.encodeCall(ISubscriptionPredicate.configureToolGating, (tool, collection, minTier)));
    }
}
