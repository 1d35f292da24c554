// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { GasDependentToken } from "test/mocks/tokens/GasDependentToken.sol";
import { MinGasToken } from "test/mocks/tokens/MinGasToken.sol";
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { Access } from "test/support/Access.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC20BalancePredicateGasTest is TokenPredicateTest {
    address private proxied;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC20BalancePredicate", abi.encode(registry)));
        proxied = _deployProxy(Proxy.Beacon, address(new PlainERC20()), abi.encodeCall(PlainERC20.mint, (agent, 5)));
    }

    function test_StateIsCold() external {
        _set(proxied, 5);
        uint256 first = _gasNeeded(agent, "", Access.Granted);
        assertGt(first, 2 * 2100 + 2600, "storage or token was warm");
        assertEq(_gasNeeded(agent, "", Access.Granted), first, "the first check left warm state");
    }

    function test_IndependentOfGas_GivenValidToken() external {
        _set(proxied, 5);
        assertIndependentOfGas(agent, "", Access.Granted);
        assertIndependentOfGas(eve, "", Access.Denied);
        _set(proxied, 6);
        assertIndependentOfGas(agent, "", Access.Denied);
    }

    function test_IndependentOfGas_GivenTokenFails() external {
        _set(address(new GasBurner()), 1);
        assertIndependentOfGas(agent, "", Access.Unknown);
    }

    function test_IndependentOfGas_GivenRetry() external {
        for (uint256 value = 0; value < 2; value++) {
            _set(address(new MinGasToken(139_700, value)), 1);
            assertIndependentOfGas(agent, "", value == 0 ? Access.Denied : Access.Granted);
        }
    }

    function test_IndependentOfGas_GivenTokenCatchesOutOfGas() external {
        uint256 stipend = 12_000;
        uint256[3] memory thresholds = [stipend - 300, stipend * 3 / 4, stipend / 4];
        for (uint256 i = 0; i < thresholds.length; i++) {
            _set(address(new GasDependentToken(thresholds[i], 0, 1)), 1);
            assertIndependentOfGas(agent, "", Access.Granted);
            _set(address(new GasDependentToken(thresholds[i], 1, 0)), 1);
            assertIndependentOfGas(agent, "", Access.Denied);
        }
    }

    function test_FitsGasLimit() external {
        _set(proxied, 5);
        assertFitsGasLimit(agent, "", Access.Granted);
        _set(address(new GasConsumingToken(1)), 1);
        assertFitsGasLimit(agent, "", Access.Granted);
        _set(address(new MinGasToken(139_700, 1)), 1);
        assertFitsGasLimit(agent, "", Access.Granted);
    }

    function _set(address token, uint256 minBalance) private {
        _configure(abi.encodeWithSignature("configureToolERC20(uint256,address,uint256)", tool, token, minBalance));
    }
}
