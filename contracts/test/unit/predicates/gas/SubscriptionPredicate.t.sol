// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ISubscriptionToken } from "src/interfaces/external/ISubscriptionToken.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { GasDependentToken } from "test/mocks/tokens/GasDependentToken.sol";
import { MinGasToken } from "test/mocks/tokens/MinGasToken.sol";
import { PlainSubscription } from "test/mocks/tokens/PlainSubscription.sol";
import { SelectorOverrideToken } from "test/mocks/tokens/SelectorOverrideToken.sol";
import { Access } from "test/support/Access.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract SubscriptionPredicateGasTest is TokenPredicateTest {
    uint64 private constant NOW = 1_800_000_000;

    address private proxied;

    function setUp() public override {
        super.setUp();
        vm.warp(NOW);
        _setUp(_deployArtifact("SubscriptionPredicate", abi.encode(registry)));
        bytes memory set = abi.encodeCall(PlainSubscription.set, (agent, 1, NOW + 1, 2));
        proxied = _deployProxy(Proxy.Beacon, address(new PlainSubscription()), set);
        PlainSubscription(proxied).set(creator, 2, NOW, 2);
    }

    function test_StateIsCold() external {
        _set(proxied, 2);
        uint256 first = _gasNeeded(agent, "", Access.Granted);
        assertGt(first, 2100 + 2600, "storage or collection was warm");
        assertEq(_gasNeeded(agent, "", Access.Granted), first, "the first check left warm state");
    }

    function test_IndependentOfGas_GivenValidCollection() external {
        for (uint8 minTier = 0; minTier < 4; minTier++) {
            _set(proxied, minTier);
            assertIndependentOfGas(agent, "", minTier < 3 ? Access.Granted : Access.Denied);
            assertIndependentOfGas(creator, "", Access.Denied);
            assertIndependentOfGas(eve, "", Access.Denied);
        }
    }

    function test_IndependentOfGas_GivenCollectionFails() external {
        bytes4[3] memory selectors = _selectors();
        address burner = address(new GasBurner());
        for (uint256 i = 0; i < selectors.length; i++) {
            _set(address(new SelectorOverrideToken(proxied, burner, selectors[i])), 1);
            assertIndependentOfGas(agent, "", Access.Unknown);
        }
    }

    function test_IndependentOfGas_GivenCollectionCatchesOutOfGas() external {
        uint256 stipend = 12_000;
        uint256[2] memory thresholds = [stipend - 300, stipend / 4];
        for (uint256 i = 0; i < thresholds.length; i++) {
            // The same value is a token id, an expiry in the future or the past, and a tier.
            _set(address(new GasDependentToken(thresholds[i], 0, 200)), 0);
            assertIndependentOfGas(agent, "", Access.Denied);
            vm.warp(100);
            assertIndependentOfGas(agent, "", Access.Granted);
            _set(address(new GasDependentToken(thresholds[i], 0, 200)), 200);
            assertIndependentOfGas(agent, "", Access.Granted);
            _set(address(new GasDependentToken(thresholds[i], 200, 0)), 200);
            assertIndependentOfGas(agent, "", Access.Denied);
            vm.warp(NOW);
        }
    }

    function test_IndependentOfGas_GivenRetry() external {
        vm.warp(100);
        for (uint8 minTier = 200; minTier < 202; minTier++) {
            _set(address(new MinGasToken(46_300, 200)), minTier);
            assertIndependentOfGas(agent, "", minTier == 200 ? Access.Granted : Access.Denied);
        }
    }

    function test_FitsGasLimit() external {
        _set(proxied, 2);
        assertFitsGasLimit(agent, "", Access.Granted);
        vm.warp(100);
        _set(address(new GasConsumingToken(200)), 200);
        assertFitsGasLimit(agent, "", Access.Granted);
        _set(address(new MinGasToken(46_300, 200)), 200);
        assertFitsGasLimit(agent, "", Access.Granted);
    }

    function _selectors() private pure returns (bytes4[3] memory) {
        return [
            ISubscriptionToken.tokenOfOwner.selector,
            ISubscriptionToken.expiresAt.selector,
            ISubscriptionToken.tierOf.selector
        ];
    }

    function _set(address collection, uint8 minTier) private {
        _configure(abi.encodeWithSignature("configureToolGating(uint256,address,uint8)", tool, collection, minTier));
    }
}
