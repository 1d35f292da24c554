// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ISubscriptionToken } from "src/interfaces/external/ISubscriptionToken.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { PlainSubscription } from "test/mocks/tokens/PlainSubscription.sol";
import { SelectorOverrideToken } from "test/mocks/tokens/SelectorOverrideToken.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract SubscriptionPredicateGetSubscriptionStatusTest is TokenPredicateTest {
    uint64 private constant NOW = 1_800_000_000;

    PlainSubscription private token;

    function setUp() public override {
        super.setUp();
        vm.warp(NOW);
        _setUp(_deployArtifact("SubscriptionPredicate", abi.encode(registry)));
        token = new PlainSubscription();
    }

    function test_GivenNotConfigured() external view {
        _assertStatus(agent, false, abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, tool));
    }

    function test_GivenSubscription() external {
        _set(address(token), 3);
        _assertStatus(agent, true, abi.encode(false, 0, 3, 0, false));
        token.set(agent, 5, NOW + 1, 4);
        _assertStatus(agent, true, abi.encode(true, 4, 3, NOW + 1, true));
        token.set(agent, 5, NOW, 255);
        _assertStatus(agent, true, abi.encode(true, 255, 3, NOW, false));
        token.set(agent, 5, type(uint64).max, 2);
        _assertStatus(agent, true, abi.encode(true, 2, 3, type(uint64).max, false));
        assertDenied(agent);
        _set(address(token), 0);
        _assertStatus(agent, true, abi.encode(true, 2, 0, type(uint64).max, true));
        assertGranted(agent);
    }

    function test_WhenAccountIsZero() external {
        _set(address(token), 3);
        token.set(address(0), 5, NOW + 1, 4);
        _assertStatus(address(0), true, abi.encode(false, 0, 3, 0, false));
    }

    function test_GivenCollectionLosesItsCode() external {
        _set(address(token), 9);
        vm.etch(address(token), "");
        _assertStatus(agent, false, _callFailed(address(token)));
    }

    function test_GivenCollectionFails() external {
        token.set(agent, 5, NOW + 1, 4);
        address[] memory failing = _failingTokens();
        bytes4[3] memory selectors = [
            ISubscriptionToken.tokenOfOwner.selector,
            ISubscriptionToken.expiresAt.selector,
            ISubscriptionToken.tierOf.selector
        ];
        for (uint256 i = 0; i < failing.length; i++) {
            for (uint256 j = 0; j < selectors.length; j++) {
                address broken = address(new SelectorOverrideToken(address(token), failing[i], selectors[j]));
                _set(broken, 0);
                _assertStatus(agent, false, _callFailed(broken));
            }
        }
    }

    function _assertStatus(address account, bool success, bytes memory expected) private view {
        (bool succeeded, bytes memory returndata) =
            predicate.staticcall(abi.encodeCall(ISubscriptionPredicate.getSubscriptionStatus, (tool, account)));
        assertEq(succeeded, success, "success");
        assertEq(returndata, expected, "status");
    }

    function _set(address collection, uint8 minTier) private {
        _configure(abi.encodeWithSignature("configureToolGating(uint256,address,uint8)", tool, collection, minTier));
    }
}
