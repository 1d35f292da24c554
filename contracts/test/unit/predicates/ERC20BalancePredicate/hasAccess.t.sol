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
        _setUp(_deployArtifact("ERC20BalancePredicate", abi.encode(registry)));
    }

    /* VALID TOKENS */

    function test_GivenToken() external {
        PlainERC20 token = new PlainERC20();
        token.mint(agent, 100);
        _assertMinimum(token);
        _assertMinimum(PlainERC20(_deployProxy(address(token), abi.encodeCall(PlainERC20.mint, (agent, 100)))));
    }

    function test_WhenDataIsGiven() external {
        PlainERC20 token = new PlainERC20();
        token.mint(agent, 1);
        _set(address(token), 1);
        assertResult(agent, "junk", abi.encode(true));
        assertResult(eve, abi.encode(agent), abi.encode(false));
    }

    function test_CallsWithStipend() external {
        PlainERC20 token = new PlainERC20();
        _set(address(token), 1);
        uint64 stipend = uint64(IERC20BalancePredicate(predicate).GAS_PER_QUESTION());
        vm.expectCall(address(token), 0, stipend, abi.encodeCall(IERC20.balanceOf, (agent)), 1);
        IERC20BalancePredicate(predicate).hasAccess(tool, agent, "");
    }

    /* NO CODE */

    function test_GivenTokenHasNoCode() external {
        address[4] memory empty = [eve, address(0), address(4), agent];
        for (uint256 i = 0; i < empty.length; i++) {
            _set(empty[i], 1);
            assertDenied(agent);
        }
    }

    function test_GivenTokenIsDeployedLater() external {
        address future = vm.computeCreate2Address("salt", keccak256(type(PlainERC20).creationCode), address(this));
        _set(future, 1);
        assertDenied(agent);

        PlainERC20 deployed = new PlainERC20{ salt: "salt" }();

        assertEq(address(deployed), future, "deployed at another address");
        assertDenied(agent);
        deployed.mint(agent, 1);
        assertGranted(agent);
    }

    /* FAILING TOKENS */

    function test_GivenTokenFails() external {
        address[] memory failing = _failingTokens();
        for (uint256 i = 0; i < failing.length; i++) {
            _set(failing[i], 1);
            assertUnknown(agent, _noAnswer(failing[i]));
            _set(failing[i], type(uint256).max);
            assertUnknown(agent, _noAnswer(failing[i]));
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
        _configure(abi.encodeCall(IERC20BalancePredicate.configureToolERC20, (tool, token, minBalance)));
    }
}
