// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC20 } from "src/interfaces/external/IERC20.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { OversizeReturnToken } from "test/mocks/tokens/OversizeReturnToken.sol";
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC20BalancePredicateHasAccessTest is TokenPredicateTest {
    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC20BalancePredicate", abi.encode(registry)));
    }

    /* HONEST TOKENS */

    function test_GivenToken() external {
        PlainERC20 token = new PlainERC20();
        token.mint(agent, 100);
        _assertMinimum(token);
        _assertMinimum(PlainERC20(_proxied(address(token), abi.encodeCall(PlainERC20.mint, (agent, 100)))));
    }

    function test_WhenDataAreGiven() external {
        PlainERC20 token = new PlainERC20();
        token.mint(agent, 1);
        _set(address(token), 1);
        assertAnswer(agent, "junk", abi.encode(true));
        assertAnswer(stranger, abi.encode(agent), abi.encode(false));
    }

    function test_WhenAsking() external {
        PlainERC20 token = new PlainERC20();
        _set(address(token), 1);
        uint64 stipend = uint64(IERC20BalancePredicate(predicate).GAS_PER_QUESTION());
        vm.expectCall(address(token), 0, stipend, abi.encodeCall(IERC20.balanceOf, (agent)), 1);
        IERC20BalancePredicate(predicate).hasAccess(tool, agent, "");
    }

    /* NO CODE */

    function test_GivenTokenHasNoCode() external {
        address[4] memory empty = [stranger, address(0), address(4), agent];
        for (uint256 i = 0; i < empty.length; i++) {
            _set(empty[i], 1);
            assertNo(agent);
        }
    }

    function test_GivenTokenComesAlive() external {
        address future = vm.computeCreate2Address("salt", keccak256(type(PlainERC20).creationCode), address(this));
        _set(future, 1);
        assertNo(agent);

        PlainERC20 deployed = new PlainERC20{ salt: "salt" }();

        assertEq(address(deployed), future, "deployed elsewhere");
        assertNo(agent);
        deployed.mint(agent, 1);
        assertYes(agent);
    }

    /* ODD TOKENS */

    function test_GivenTokenDoesNotAnswer() external {
        address[] memory hostile = _hostileTokens();
        for (uint256 i = 0; i < hostile.length; i++) {
            _set(hostile[i], 1);
            assertUnknown(agent, _noAnswer(hostile[i]));
            _set(hostile[i], type(uint256).max);
            assertUnknown(agent, _noAnswer(hostile[i]));
        }
    }

    function test_GivenAnswerIsShort() external {
        PresetResponseToken token = new PresetResponseToken();
        _set(address(token), 1);
        for (uint256 length = 0; length < 32; length++) {
            bytes memory answer = new bytes(length);
            for (uint256 i = 0; i < length; i++) {
                answer[i] = 0xff;
            }
            token.setResponse(IERC20.balanceOf.selector, true, answer);
            assertUnknown(agent, _noAnswer(address(token)));
        }
        token.setResponse(IERC20.balanceOf.selector, false, abi.encode(1));
        assertUnknown(agent, _noAnswer(address(token)));
    }

    function test_GivenAnswerIsLong() external {
        _set(address(new OversizeReturnToken(5, 0)), 5);
        assertYes(agent);
        _set(address(new OversizeReturnToken(4, type(uint256).max)), 5);
        assertNo(agent);
    }

    function test_GivenBalanceIsGreatest() external {
        PresetResponseToken token = new PresetResponseToken();
        token.setResponse(IERC20.balanceOf.selector, true, abi.encode(type(uint256).max));
        _set(address(token), type(uint256).max);
        assertYes(agent);
        token.setResponse(IERC20.balanceOf.selector, true, abi.encode(type(uint256).max - 1));
        assertNo(agent);
    }

    function _assertMinimum(PlainERC20 token) private {
        uint256[3] memory minimums = [uint256(1), 99, 100];
        for (uint256 i = 0; i < minimums.length; i++) {
            _set(address(token), minimums[i]);
            assertYes(agent);
            assertNo(stranger);
        }
        uint256[3] memory greater = [uint256(101), 2 ** 128, type(uint256).max];
        for (uint256 i = 0; i < greater.length; i++) {
            _set(address(token), greater[i]);
            assertNo(agent);
        }
        _set(address(token), 100);
        token.burn(agent, 1);
        assertNo(agent);
        token.mint(agent, 1);
        assertYes(agent);
    }

    function _set(address token, uint256 minBalance) private {
        _configure(abi.encodeCall(IERC20BalancePredicate.configureToolERC20, (tool, token, minBalance)));
    }
}
