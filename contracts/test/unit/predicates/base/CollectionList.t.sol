// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

/// @dev Tests of `hasAccess` that every predicate with a list of collections must pass. The tests of each predicate
///      inherit this contract.
abstract contract CollectionListTest is TokenPredicateTest {
    /// @dev `agent` holds a token of `held` and of `heldProxy`, `creator` of `other` and of `otherProxy`.
    address internal held;
    address internal other;
    address internal heldProxy;
    address internal otherProxy;
    address internal noCode;

    /// @dev Configures the collections, each with a token that `_mint` mints.
    function _set(address[] memory collections) internal virtual;

    function _maxCollections() internal view virtual returns (uint256);

    function _tokenInitCode() internal pure virtual returns (bytes memory);

    /// @dev A call that mints one token.
    function _mint(address account) internal pure virtual returns (bytes memory call);

    function _burn(address account) internal pure virtual returns (bytes memory call);

    /// @dev The selector that the predicate calls, and the return data for a balance.
    function _balanceResponse(uint256 balance) internal pure virtual returns (bytes4 selector, bytes memory returndata);

    function setUp() public virtual override {
        super.setUp();
        held = _deployToken(0);
        other = _deployToken(1);
        _send(held, _mint(agent));
        _send(other, _mint(creator));
        heldProxy = _deployProxy(other, _mint(agent));
        otherProxy = _deployProxy(held, _mint(creator));
        noCode = makeAddr("no code");
    }

    /* VALID COLLECTIONS */

    function test_GivenOneCollection() external {
        _set(held);
        assertGranted(agent);
        assertDenied(eve);
        assertDenied(creator);
        _set(heldProxy);
        assertGranted(agent);
        assertDenied(eve);

        _set(otherProxy);
        assertDenied(eve);
        _send(otherProxy, _burn(creator));
        assertDenied(creator);
        _send(otherProxy, _mint(eve));
        assertGranted(eve);
        _send(otherProxy, _burn(eve));
        assertDenied(eve);
    }

    function test_GivenConfigurationIsReplaced() external {
        _set(held, other);
        assertGranted(agent);
        assertGranted(creator);
        _set(other);
        assertDenied(agent);
        assertGranted(creator);
        _set(held);
        assertGranted(agent);
        assertDenied(creator);
    }

    function test_WhenDataIsGiven() external {
        _set(held);
        assertResult(agent, "junk", abi.encode(true));
        assertResult(eve, abi.encode(agent, uint256(1)), abi.encode(false));
    }

    /* NO CODE */

    function test_GivenCollectionHasNoCode() external {
        address[4] memory empty = [noCode, address(0), address(4), agent];
        for (uint256 i = 0; i < empty.length; i++) {
            _set(empty[i]);
            assertDenied(agent);
            _set(empty[i], other);
            assertDenied(agent);
            _set(other, empty[i]);
            assertDenied(agent);
            _set(empty[i], held);
            assertGranted(agent);
            _set(held, empty[i]);
            assertGranted(agent);
        }
    }

    function test_GivenCollectionIsDeployedLater() external {
        _set(vm.computeCreate2Address(bytes32(uint256(2)), keccak256(_tokenInitCode()), address(this)), other);
        assertDenied(agent);
        address deployed = _deployToken(2);
        assertDenied(agent);
        _send(deployed, _mint(agent));
        assertGranted(agent);
    }

    /* FAILING COLLECTIONS */

    function test_GivenCollectionFails() external {
        address[] memory failing = _failingTokens();
        for (uint256 i = 0; i < failing.length; i++) {
            bytes memory revertData = _noAnswer(failing[i]);
            _set(failing[i]);
            assertUnknown(agent, revertData);
            _set(failing[i], other);
            assertUnknown(agent, revertData);
            _set(other, failing[i]);
            assertUnknown(agent, revertData);
            _set(noCode, failing[i]);
            assertUnknown(agent, revertData);
            _set(failing[i], noCode);
            assertUnknown(agent, revertData);
            _set(failing[i], held);
            assertGranted(agent);
            _set(held, failing[i]);
            assertGranted(agent);
        }
    }

    function test_GivenAllOtherCollectionsFail() external {
        address[] memory failing = _failingTokens();
        address[] memory list = new address[](_maxCollections());
        uint256 last = list.length - 1;
        for (uint256 working = 0; working <= last; working++) {
            for (uint256 i = 0; i <= last; i++) {
                list[i] = failing[i % failing.length];
            }
            list[working] = heldProxy;
            _set(list);
            assertGranted(agent);
            assertUnknown(eve, _noAnswer(list[working == last ? last - 1 : last]));
        }
    }

    /* UNUSUAL RETURN DATA */

    function test_GivenBalanceIsArbitrary() external {
        PresetResponseToken token = new PresetResponseToken();
        _set(address(token));
        for (uint256 bit = 0; bit < 256; bit++) {
            (bytes4 selector, bytes memory returndata) = _balanceResponse(2 ** bit);
            token.setResponse(selector, true, returndata);
            assertGranted(agent);
            token.setResponse(selector, false, returndata);
            assertUnknown(agent, _noAnswer(address(token)));
        }
        (bytes4 balance, bytes memory zero) = _balanceResponse(0);
        token.setResponse(balance, true, zero);
        assertDenied(agent);
    }

    /* HELPERS */

    function _set(address collection) internal {
        address[] memory list = new address[](1);
        list[0] = collection;
        _set(list);
    }

    function _set(address first, address second) internal {
        address[] memory list = new address[](2);
        (list[0], list[1]) = (first, second);
        _set(list);
    }

    function _send(address token, bytes memory call) internal {
        (bool success,) = token.call(call);
        assertTrue(success, "the token call reverted");
    }

    function _deployToken(uint256 salt) private returns (address token) {
        bytes memory initCode = _tokenInitCode();
        assembly ("memory-safe") {
            token := create2(0, add(initCode, 0x20), mload(initCode), salt)
        }
        assertTrue(token != address(0), "the token was not deployed");
    }
}
