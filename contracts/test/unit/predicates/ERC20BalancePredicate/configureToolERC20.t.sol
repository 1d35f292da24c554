// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { ConfiguredPredicateTest } from "test/unit/predicates/base/ConfiguredPredicate.t.sol";

contract ERC20BalancePredicateConfigureToolERC20Test is ConfiguredPredicateTest {
    PlainERC20 private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC20BalancePredicate", abi.encode(registry)));
        token = new PlainERC20();
        token.mint(agent, 100);
    }

    function test_ConfigureToolERC20() external {
        _set(address(token), 1);
        _set(address(token), type(uint256).max);
        _set(stranger, 2);
        _set(address(type(uint160).max), 2 ** 255);
        _set(address(0), 0);
        _set(address(0), 5);
        _set(address(token), 7);
    }

    function test_RevertWhen_MinBalanceIsZero() external {
        _set(address(token), 3);
        address[3] memory tokens = [address(token), stranger, address(1)];
        for (uint256 i = 0; i < tokens.length; i++) {
            _assertRefused(
                _call(tool, tokens[i], 0), abi.encodeWithSelector(IERC20BalancePredicate.MinBalanceIsZero.selector)
            );
        }
        _assertRead(tool, address(token), 3);
    }

    function test_RevertWhen_TheTokenHasHighBits() external {
        bytes memory call = _call(tool, address(token), 1);
        call[4 + 32] = 0x01;
        _assertRefused(call, "");
    }

    function test_ConfigureToolERC20_WhenToolsDiffer() external {
        _set(address(token), 1);
        uint256 other = _register(predicate);
        _configure(_call(other, stranger, 2));
        _assertRead(tool, address(token), 1);
        _assertRead(other, stranger, 2);
    }

    function _set(address asked, uint256 minBalance) private {
        _configure(
            _call(tool, asked, minBalance),
            _topics(IERC20BalancePredicate.ToolERC20Configured.selector, tool, asked),
            abi.encode(minBalance)
        );
        _assertRead(tool, asked, minBalance);
    }

    function _assertRead(uint256 toolId, address asked, uint256 minBalance) private view {
        (address actualToken, uint256 actual) = IERC20BalancePredicate(predicate).getToolERC20Config(toolId);
        assertEq(actualToken, asked, "token");
        assertEq(actual, minBalance, "minimum");
    }

    function _call(uint256 toolId, address asked, uint256 minBalance) private pure returns (bytes memory) {
        return abi.encodeCall(IERC20BalancePredicate.configureToolERC20, (toolId, asked, minBalance));
    }

    /* OF THE BASES */

    function _nameOfPredicate() internal pure override returns (string memory) {
        return "ERC20BalancePredicate";
    }

    function _configuration(uint256 toolId) internal view override returns (bytes memory) {
        return _call(toolId, address(token), 100);
    }

    function _emptyConfiguration(uint256 toolId) internal pure override returns (bytes memory) {
        return _call(toolId, address(0), 0);
    }

    function _reading(uint256 toolId) internal pure override returns (bytes memory) {
        return abi.encodeCall(IERC20BalancePredicate.getToolERC20Config, (toolId));
    }

    function _readingOfNothing() internal pure override returns (bytes memory) {
        return abi.encode(address(0), uint256(0));
    }
}
