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
        _configure(_call(address(token), minBalance));
        Access expected = balance >= minBalance ? Access.Granted : Access.Denied;
        assertEq(uint256(_predicateAccess(account, data, AMPLE_GAS)), uint256(expected), "predicate");
        assertEq(uint256(_registryAccess(account, data, AMPLE_GAS)), uint256(expected), "registry");

        Access limited = _predicateAccess(account, data, bound(gasLimit, 0, 60_000));
        assertTrue(limited == expected || limited == Access.Unknown, "result depends on gas");
    }

    function testFuzz_StoresConfiguration(address configured, uint256 minBalance) external {
        if (configured == address(0)) {
            _assertReverts(
                _call(configured, minBalance), abi.encodeWithSelector(IERC20BalancePredicate.ZeroToken.selector)
            );
            return;
        }
        if (configured.code.length == 0) {
            _assertReverts(
                _call(configured, minBalance),
                abi.encodeWithSelector(IERC20BalancePredicate.TokenNoCode.selector, configured)
            );
            vm.assume(uint160(configured) > 0xffff);
            vm.etch(configured, address(token).code);
        }
        if (minBalance == 0) {
            _assertReverts(
                _call(configured, minBalance), abi.encodeWithSelector(IERC20BalancePredicate.ZeroMinBalance.selector)
            );
            return;
        }
        bytes32[] memory topics = _topics(IERC20BalancePredicate.ToolERC20Configured.selector, tool, configured);
        _configure(_call(configured, minBalance), topics, abi.encode(minBalance));
        (address actual, uint256 minimum) = IERC20BalancePredicate(predicate).getToolERC20Config(tool);
        assertEq(abi.encode(actual, minimum), abi.encode(configured, minBalance), "configuration");
    }

    function _call(address configured, uint256 minBalance) private view returns (bytes memory) {
        return abi.encodeWithSignature("configureToolERC20(uint256,address,uint256)", tool, configured, minBalance);
    }
}
