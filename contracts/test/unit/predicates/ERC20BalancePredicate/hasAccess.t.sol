// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC20 } from "src/interfaces/external/IERC20.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { MinGasToken } from "test/mocks/tokens/MinGasToken.sol";
import { OversizeReturnToken } from "test/mocks/tokens/OversizeReturnToken.sol";
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC20BalancePredicateHasAccessTest is TokenPredicateTest {
    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC20BalancePredicate", abi.encode(registry)));
    }

    /* VALID TOKENS */

    function test_GivenToken() external {
        PlainERC20 token = new PlainERC20();
        token.mint(agent, 100);
        _assertMinimum(token);
        bytes memory mint = abi.encodeCall(PlainERC20.mint, (agent, 100));
        for (uint256 kind = 0; kind < 3; kind++) {
            _assertMinimum(PlainERC20(_deployProxy(Proxy(kind), address(token), mint)));
        }
    }

    function test_WhenDataIsGiven() external {
        PlainERC20 token = new PlainERC20();
        token.mint(agent, 1);
        _set(address(token), 1);
        assertResult(agent, "junk", abi.encode(true));
        assertResult(eve, abi.encode(agent), abi.encode(false));
    }

    function test_GivenZeroAccountHoldsBurnedTokens() external {
        PresetResponseToken token = new PresetResponseToken();
        token.setResponse(IERC20.balanceOf.selector, true, abi.encode(type(uint256).max));
        _set(address(token), 1);
        assertGranted(agent);
        vm.expectCall(address(token), abi.encodeCall(IERC20.balanceOf, (address(0))), 0);
        assertDenied(address(0));
    }

    function test_GivenTokenLosesItsCode() external {
        PlainERC20 token = new PlainERC20();
        _set(address(token), 1);
        vm.etch(address(token), "");
        assertUnknown(agent, _callFailed(address(token)));
    }

    /* STIPENDS */

    function test_CallsWithStipends() external {
        bytes memory callData = abi.encodeCall(IERC20.balanceOf, (agent));
        address token = address(new MinGasToken(12_000, 1));
        _set(token, 1);
        vm.expectCall(token, 0, 140_000, callData, 1);
        assertTrue(IERC20BalancePredicate(predicate).hasAccess(tool, agent, ""), "a failed call was not repeated");
    }

    function test_CallsWithStipends_GivenCallSucceeds() external {
        address token = address(new MinGasToken(11_000, 1));
        _set(token, 1);
        vm.expectCall(token, 0, 12_000, abi.encodeCall(IERC20.balanceOf, (agent)), 1);
        assertTrue(IERC20BalancePredicate(predicate).hasAccess(tool, agent, ""), "not granted");
    }

    function test_CallsWithStipends_GivenChosenStipend() external {
        address token = address(new MinGasToken(20_000, 1));
        _configure(
            abi.encodeWithSignature("configureToolERC20(uint256,address,uint256,uint256)", tool, token, 1, 20_000)
        );
        vm.expectCall(token, 0, 20_000, abi.encodeCall(IERC20.balanceOf, (agent)), 1);
        (bool success,) =
            predicate.staticcall(abi.encodeCall(IERC20BalancePredicate(predicate).hasAccess, (tool, agent, "")));
        assertFalse(success, "a call that failed with the chosen stipend was repeated");
    }

    function test_GivenTokenNeedsMoreGas() external {
        uint256[3] memory needs = [uint256(11_000), 30_000, 140_000];
        for (uint256 i = 0; i < 9; i++) {
            address implementation = address(new MinGasToken(needs[i / 3], 1));
            address token = _deployProxy(Proxy(i % 3), implementation, abi.encodeCall(PlainERC20.mint, (agent, 1)));
            _set(token, 1);
            assertResult(agent, "", i < 6 ? abi.encode(true) : _callFailed(token));
        }
    }

    /* FAILING TOKENS */

    function test_GivenTokenFails() external {
        address[] memory failing = _failingTokens();
        for (uint256 i = 0; i < failing.length; i++) {
            _set(failing[i], 1);
            assertUnknown(agent, _callFailed(failing[i]));
            _set(failing[i], type(uint256).max);
            assertUnknown(agent, _callFailed(failing[i]));
        }
    }

    function test_GivenReturnIsShort() external {
        PresetResponseToken token = new PresetResponseToken();
        _set(address(token), 1);
        _assertShortReturnFails(token, IERC20.balanceOf.selector);
    }

    function test_GivenReturnIsLong() external {
        _set(address(new OversizeReturnToken(5, 0)), 5);
        assertGranted(agent);
        _set(address(new OversizeReturnToken(4, type(uint256).max)), 5);
        assertDenied(agent);
    }

    function test_GivenBalanceIsMaximum() external {
        PresetResponseToken token = new PresetResponseToken();
        token.setResponse(IERC20.balanceOf.selector, true, abi.encode(type(uint256).max));
        _set(address(token), type(uint256).max);
        assertGranted(agent);
        token.setResponse(IERC20.balanceOf.selector, true, abi.encode(type(uint256).max - 1));
        assertDenied(agent);
    }

    function _assertMinimum(PlainERC20 token) private {
        uint256[3] memory minimums = [uint256(1), 99, 100];
        for (uint256 i = 0; i < minimums.length; i++) {
            _set(address(token), minimums[i]);
            assertGranted(agent);
            assertDenied(eve);
        }
        uint256[3] memory greater = [uint256(101), 2 ** 128, type(uint256).max];
        for (uint256 i = 0; i < greater.length; i++) {
            _set(address(token), greater[i]);
            assertDenied(agent);
        }
        _set(address(token), 100);
        token.burn(agent, 1);
        assertDenied(agent);
        token.mint(agent, 1);
        assertGranted(agent);
    }

    function _set(address token, uint256 minBalance) private {
        _configure(abi.encodeWithSignature("configureToolERC20(uint256,address,uint256)", tool, token, minBalance));
    }
}
