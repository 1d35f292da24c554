// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { StipendPredicateTest } from "test/unit/predicates/base/StipendPredicate.t.sol";

contract ERC20BalancePredicateConfigureToolERC20Test is StipendPredicateTest {
    PlainERC20 private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC20BalancePredicate", abi.encode(registry)));
        token = new PlainERC20();
        token.mint(agent, 100);
    }

    function test_ConfigureToolERC20() external {
        _set(address(token), 1);
        _set(address(token), type(uint256).max);
        vm.etch(address(type(uint160).max), address(token).code);
        _set(address(type(uint160).max), 2 ** 255);
        _set(address(token), 7);
    }

    function test_RevertWhen_ConfigurationIsInvalid() external {
        _set(address(token), 3);
        _assertReverts(_call(tool, address(0), 3), abi.encodeWithSelector(IERC20BalancePredicate.ZeroToken.selector));
        _assertReverts(_call(tool, eve, 3), abi.encodeWithSelector(IERC20BalancePredicate.TokenNoCode.selector, eve));
        _assertReverts(
            _call(tool, address(token), 0), abi.encodeWithSelector(IERC20BalancePredicate.ZeroMinBalance.selector)
        );
        assertEq(_configurationOf(tool), abi.encode(token, 3), "a rejected call changed the configuration");
    }

    function test_GetRequirements() external {
        // B-03
        _set(address(token), 12 ether);
        AccessRequirement[] memory expected = new AccessRequirement[](1);
        expected[0] = AccessRequirement({
            kind: 0x812b02ee, data: abi.encode(token, 12 ether), label: "Hold at least this amount of this token"
        });
        assertRequirements(expected, RequirementLogic.AND);
    }

    function _set(address required, uint256 minBalance) private {
        _configure(
            _call(tool, required, minBalance),
            _topics(IERC20BalancePredicate.ToolERC20Configured.selector, tool, required),
            abi.encode(minBalance)
        );
        assertEq(_configurationOf(tool), abi.encode(required, minBalance), "stored configuration differs");
    }

    function _call(uint256 toolId, address required, uint256 minBalance) private pure returns (bytes memory) {
        return abi.encodeWithSignature("configureToolERC20(uint256,address,uint256)", toolId, required, minBalance);
    }

    /* IMPLEMENTATION OF THE BASE TEST */

    function _predicateName() internal pure override returns (string memory) {
        return "ERC20BalancePredicate";
    }

    function _configuration(uint256 toolId) internal view override returns (bytes memory) {
        return _call(toolId, address(token), 100);
    }

    function _configuration(uint256 toolId, uint256 stipend) internal view override returns (bytes memory) {
        return abi.encodeWithSignature(
            "configureToolERC20(uint256,address,uint256,uint256)", toolId, address(token), 100, stipend
        );
    }

    function _defaultStipends() internal pure override returns (uint256, uint256) {
        return (12_000, 140_000);
    }

    function _stipendBounds() internal pure override returns (uint256, uint256) {
        return (2300, (190_000 - 3400 - 500) * uint256(63) / 64);
    }

    function _otherConfiguration(uint256 toolId) internal view override returns (bytes memory) {
        return _call(toolId, address(token), 101);
    }

    function _getter(uint256 toolId) internal pure override returns (bytes memory) {
        return abi.encodeCall(IERC20BalancePredicate.getToolERC20Config, (toolId));
    }

    function _emptyGetterReturn() internal pure override returns (bytes memory) {
        return abi.encode(address(0), uint256(0));
    }

    function _paddingOffsets() internal pure override returns (uint256[2] memory) {
        return [uint256(32), 32];
    }
}
