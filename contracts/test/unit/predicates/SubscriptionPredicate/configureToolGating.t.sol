// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { PlainSubscription } from "test/mocks/tokens/PlainSubscription.sol";
import { ConfiguredPredicateTest } from "test/unit/predicates/base/ConfiguredPredicate.t.sol";

contract SubscriptionPredicateConfigureToolGatingTest is ConfiguredPredicateTest {
    PlainSubscription private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("SubscriptionPredicate", abi.encode(registry)));
        token = new PlainSubscription();
        token.set(agent, 1, type(uint64).max, 2);
    }

    function test_ConfigureToolGating() external {
        for (uint256 tier = 0; tier < 256; tier++) {
            _set(address(token), uint8(tier));
        }
        _set(address(type(uint160).max), 255);
        _set(stranger, 0);
        _set(address(0), 255);
        _set(address(0), 0);
        _set(address(token), 1);
    }

    function test_RevertWhen_AnArgumentHasHighBits() external {
        bytes memory call = _call(tool, address(token), 1);
        call[4 + 32] = 0x01;
        _assertRefused(call, "");
        call = _call(tool, address(token), 1);
        call[4 + 94] = 0x01;
        _assertRefused(call, "");
    }

    function test_ConfigureToolGating_WhenToolsDiffer() external {
        _set(address(token), 1);
        uint256 other = _register(predicate);
        _configure(_call(other, stranger, 2));
        _assertRead(tool, address(token), 1);
        _assertRead(other, stranger, 2);
    }

    function _set(address collection, uint8 minTier) private {
        _configure(
            _call(tool, collection, minTier),
            _topics(ISubscriptionPredicate.ToolGatingConfigured.selector, tool, collection),
            abi.encode(minTier)
        );
        _assertRead(tool, collection, minTier);
    }

    function _assertRead(uint256 toolId, address collection, uint8 minTier) private view {
        (address actual, uint8 tier) = ISubscriptionPredicate(predicate).getToolGatingConfig(toolId);
        assertEq(actual, collection, "collection");
        assertEq(tier, minTier, "tier");
    }

    function _call(uint256 toolId, address collection, uint8 minTier) private pure returns (bytes memory) {
        return abi.encodeCall(ISubscriptionPredicate.configureToolGating, (toolId, collection, minTier));
    }

    /* OF THE BASES */

    function _nameOfPredicate() internal pure override returns (string memory) {
        return "SubscriptionPredicate";
    }

    function _configuration(uint256 toolId) internal view override returns (bytes memory) {
        return _call(toolId, address(token), 2);
    }

    function _emptyConfiguration(uint256 toolId) internal pure override returns (bytes memory) {
        return _call(toolId, address(0), 0);
    }

    function _reading(uint256 toolId) internal pure override returns (bytes memory) {
        return abi.encodeCall(ISubscriptionPredicate.getToolGatingConfig, (toolId));
    }

    function _readingOfNothing() internal pure override returns (bytes memory) {
        return abi.encode(address(0), uint8(0));
    }
}
