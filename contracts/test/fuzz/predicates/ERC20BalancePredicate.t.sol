// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { Access } from "test/support/Access.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC20BalancePredicateFuzzTest is TokenPredicateTest {
    PlainERC20 private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC20BalancePredicate", abi.encode(registry)));
        token = new PlainERC20();
    }

    function testFuzz_MatchesModel(
        address account,
        uint256 balance,
        uint256 minBalance,
        bool isClose,
        uint256 gasLimit,
        bytes calldata data
    ) external {
        vm.assume(account != address(0));
        minBalance = bound(minBalance, 1, type(uint256).max);
        if (isClose) balance = minBalance - balance % 3 % minBalance;
        token.mint(account, balance);
        _configure(abi.encodeCall(IERC20BalancePredicate.configureToolERC20, (tool, address(token), minBalance)));
        Access expected = balance >= minBalance ? Access.Granted : Access.Denied;
        assertEq(uint256(_predicateAccess(account, data, AMPLE_GAS)), uint256(expected), "predicate");
        assertEq(uint256(_registryAccess(account, data, AMPLE_GAS)), uint256(expected), "registry");

        Access limited = _predicateAccess(account, data, bound(gasLimit, 0, 60_000));
        assertTrue(limited == expected || limited == Access.Unknown, "result depends on gas");
    }

    function testFuzz_StoresConfiguration(address configured, uint256 minBalance) external {
        bytes memory call = abi.encodeCall(IERC20BalancePredicate.configureToolERC20, (tool, configured, minBalance));
        if (configured != address(0) && minBalance == 0) {
            _assertReverts(call, abi.encodeWithSelector(IERC20BalancePredicate.MinBalanceIsZero.selector));
            return;
        }
        bytes32[] memory topics = _topics(IERC20BalancePredicate.ToolERC20Configured.selector, tool, configured);
        _configure(call, topics, abi.encode(minBalance));
        (address actual, uint256 minimum) = IERC20BalancePredicate(predicate).getToolERC20Config(tool);
        assertEq(abi.encode(actual, minimum), abi.encode(configured, minBalance), "configuration");
    }
}
