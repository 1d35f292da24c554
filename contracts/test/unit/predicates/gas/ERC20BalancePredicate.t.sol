// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { GasDependentToken } from "test/mocks/tokens/GasDependentToken.sol";
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { Answer, TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC20BalancePredicateGasTest is TokenPredicateTest {
    address private proxied;

    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC20BalancePredicate", abi.encode(registry)));
        proxied = _proxied(address(new PlainERC20()), abi.encodeCall(PlainERC20.mint, (agent, 5)));
    }

    function test_StateIsCold() external {
        _set(proxied, 5);
        uint256 first = _gasNeeded(agent, "", Answer.Yes);
        assertGt(first, 2 * 2100 + 2600, "storage and token were warm");
        assertEq(_gasNeeded(agent, "", Answer.Yes), first, "asking warms something up");
    }

    function test_GasDecidesNothing_GivenHonestToken() external {
        _set(proxied, 5);
        assertGasDecidesNothing(agent, "", Answer.Yes);
        assertGasDecidesNothing(stranger, "", Answer.No);
        _set(proxied, 6);
        assertGasDecidesNothing(agent, "", Answer.No);
    }

    function test_GasDecidesNothing_GivenTokenDoesNotAnswer() external {
        _set(address(new GasBurner()), 1);
        assertGasDecidesNothing(agent, "", Answer.Unknown);
    }

    function test_GasDecidesNothing_GivenTokenSwallowsOutOfGas() external {
        uint256 stipend = IERC20BalancePredicate(predicate).GAS_PER_QUESTION();
        uint256[3] memory thresholds = [stipend - 300, stipend * 3 / 4, stipend / 4];
        for (uint256 i = 0; i < thresholds.length; i++) {
            _set(address(new GasDependentToken(thresholds[i], 0, 1)), 1);
            assertGasDecidesNothing(agent, "", Answer.Yes);
            _set(address(new GasDependentToken(thresholds[i], 1, 0)), 1);
            assertGasDecidesNothing(agent, "", Answer.No);
        }
    }

    function test_Usable() external {
        _set(proxied, 5);
        assertUsable(agent, "", Answer.Yes);
        _set(address(new GasConsumingToken(1)), 1);
        assertUsable(agent, "", Answer.Yes);
    }

    function _set(address token, uint256 minBalance) private {
        _configure(abi.encodeCall(IERC20BalancePredicate.configureToolERC20, (tool, token, minBalance)));
    }
}
