// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { ConfiguredPredicateTest } from "test/unit/predicates/base/ConfiguredPredicate.t.sol";

contract ERC20BalancePredicateConfigureToolERC20Test is ConfiguredPredicateTest {
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
        _set(eve, 2);
        _set(address(type(uint160).max), 2 ** 255);
        _set(address(0), 0);
        _set(address(0), 5);
        _set(address(token), 7);
    }

    function test_RevertWhen_MinBalanceIsZero() external {
        _set(address(token), 3);
        address[3] memory tokens = [address(token), eve, address(1)];
        for (uint256 i = 0; i < tokens.length; i++) {
            _assertReverts(
                _call(tool, tokens[i], 0), abi.encodeWithSelector(IERC20BalancePredicate.MinBalanceIsZero.selector)
            );
        }
        assertEq(_configurationOf(tool), abi.encode(token, 3), "a rejected minimum changed the configuration");
    }

    function test_GetRequirements() external {
        // B-03
        _set(eve, 12 ether);
        AccessRequirement[] memory expected = new AccessRequirement[](1);
        expected[0] = AccessRequirement({
            kind: 0x812b02ee, data: abi.encode(eve, 12 ether), label: "Hold at least this amount of this token"
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
        return abi.encodeCall(IERC20BalancePredicate.configureToolERC20, (toolId, required, minBalance));
    }

    /* IMPLEMENTATION OF THE BASE TEST */

    function _predicateName() internal pure override returns (string memory) {
        return "ERC20BalancePredicate";
    }

    function _configuration(uint256 toolId) internal view override returns (bytes memory) {
        return _call(toolId, address(token), 100);
    }

    function _emptyConfiguration(uint256 toolId) internal pure override returns (bytes memory) {
        return _call(toolId, address(0), 0);
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
