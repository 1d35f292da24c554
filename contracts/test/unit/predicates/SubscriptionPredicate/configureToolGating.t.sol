// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { PlainSubscription } from "test/mocks/tokens/PlainSubscription.sol";
import { StipendPredicateTest } from "test/unit/predicates/base/StipendPredicate.t.sol";

contract SubscriptionPredicateConfigureToolGatingTest is StipendPredicateTest {
    PlainSubscription private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("SubscriptionPredicate", abi.encode(registry)));
        token = new PlainSubscription();
        token.set(agent, 1, type(uint64).max, 2);
    }

    function test_ConfigureToolGating() external {
        for (uint256 tier = 0; tier < 256; tier++) {
            _set(address(token), uint8(tier));
        }
        vm.etch(address(type(uint160).max), address(token).code);
        _set(address(type(uint160).max), 255);
        _set(address(token), 1);
    }

    function test_RevertWhen_ConfigurationIsInvalid() external {
        _set(address(token), 3);
        _assertReverts(
            _call(tool, address(0), 3), abi.encodeWithSelector(ISubscriptionPredicate.ZeroCollection.selector)
        );
        _assertReverts(
            _call(tool, eve, 3), abi.encodeWithSelector(ISubscriptionPredicate.CollectionNotAContract.selector, eve)
        );
        assertEq(_configurationOf(tool), abi.encode(token, 3), "a rejected call changed the configuration");
    }

    function test_LowercaseRegistry() external view {
        assertEq(address(ISubscriptionPredicate(predicate).registry()), address(registry), "registry");
    }

    function test_GetRequirements() external {
        // B-03
        _set(address(token), 200);
        AccessRequirement[] memory expected = new AccessRequirement[](1);
        expected[0] = AccessRequirement({
            kind: 0x44387cc2,
            data: abi.encode(token, uint8(200)),
            label: "Hold an active subscription of this tier or higher"
        });
        assertRequirements(expected, RequirementLogic.AND);
    }

    function _set(address collection, uint8 minTier) private {
        _configure(
            _call(tool, collection, minTier),
            _topics(ISubscriptionPredicate.ToolGatingConfigured.selector, tool, collection),
            abi.encode(minTier)
        );
        assertEq(_configurationOf(tool), abi.encode(collection, minTier), "stored configuration differs");
    }

    function _call(uint256 toolId, address collection, uint8 minTier) private pure returns (bytes memory) {
        return abi.encodeWithSignature("configureToolGating(uint256,address,uint8)", toolId, collection, minTier);
    }

    /* IMPLEMENTATION OF THE BASE TEST */

    function _predicateName() internal pure override returns (string memory) {
        return "SubscriptionPredicate";
    }

    function _configuration(uint256 toolId) internal view override returns (bytes memory) {
        return _call(toolId, address(token), 2);
    }

    function _configuration(uint256 toolId, uint256 stipend) internal view override returns (bytes memory) {
        return abi.encodeWithSignature(
            "configureToolGating(uint256,address,uint8,uint256)", toolId, address(token), 2, stipend
        );
    }

    function _defaultStipends() internal pure override returns (uint256, uint256) {
        return (12_000, uint256(140_000) / 3);
    }

    function _stipendBounds() internal pure override returns (uint256, uint256) {
        return (2300, (uint256(190_000) / 3 - 3400 - 500) * 63 / 64);
    }

    function _otherConfiguration(uint256 toolId) internal view override returns (bytes memory) {
        return _call(toolId, address(token), 3);
    }

    function _getter(uint256 toolId) internal pure override returns (bytes memory) {
        return abi.encodeCall(ISubscriptionPredicate.getToolGatingConfig, (toolId));
    }

    function _emptyGetterReturn() internal pure override returns (bytes memory) {
        return abi.encode(address(0), uint8(0));
    }

    function _paddingOffsets() internal pure override returns (uint256[2] memory) {
        return [uint256(32), 94];
    }
}
