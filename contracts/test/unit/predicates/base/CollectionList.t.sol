// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { IStipendPredicate } from "src/interfaces/predicates/IStipendPredicate.sol";
import { MinGasToken } from "test/mocks/tokens/MinGasToken.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { Access } from "test/support/Access.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

/// @dev Tests of `hasAccess` that every predicate with a list of collections must pass. The tests of each predicate
///      inherit this contract.
abstract contract CollectionListTest is TokenPredicateTest {
    uint256 internal constant RETRY_BUDGET = 140_000;

    /// @dev `agent` holds a token of `held` and of `heldProxy`, `creator` of `other` and of `otherProxy`.
    address internal held;
    address internal other;
    address internal heldProxy;
    address internal otherProxy;

    /// @dev A call that configures the collections with `ids` tokens each, the last of which `_mint` mints. With the default
    ///      stipends if `stipend` is zero.
    function _call(address[] memory collections, uint256 ids, uint256 stipend)
        internal
        view
        virtual
        returns (bytes memory call);

    function _maxCollections() internal view virtual returns (uint256);

    /// @dev The default stipend, the bounds of a chosen one, and the number of stipends that a collection receives.
    function _firstStipend() internal pure virtual returns (uint256);
    function _minStipend() internal pure virtual returns (uint256);
    function _maxStipend(uint256 collections, uint256 ids) internal pure virtual returns (uint256);
    function _units(uint256 ids) internal pure virtual returns (uint256);

    /// @dev The gas of a repeated call.
    function _retryGas(uint256 collections, uint256 ids) internal pure virtual returns (uint256);

    function _newToken() internal virtual returns (address);

    /// @dev A call that mints one token.
    function _mint(address account) internal pure virtual returns (bytes memory call);

    function _burn(address account) internal pure virtual returns (bytes memory call);

    /// @dev The predicate's call to a collection with one id, and the return data for a balance.
    function _balanceCall(address account) internal pure virtual returns (bytes memory call);
    function _balanceReturn(uint256 balance) internal pure virtual returns (bytes memory returndata);

    function setUp() public virtual override {
        super.setUp();
        held = _newToken();
        other = _newToken();
        _send(held, _mint(agent));
        _send(other, _mint(creator));
        heldProxy = _deployProxy(other, _mint(agent));
        otherProxy = _deployProxy(held, _mint(creator));
    }

    /* VALID COLLECTIONS */

    function test_GivenEmptyList() external {
        _set(new address[](0));
        assertDenied(agent);
        assertDenied(address(0));
        assertRequiresAlwaysDenied();
    }

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

    function test_GivenZeroAccountHoldsTokens() external {
        PresetResponseToken token = new PresetResponseToken();
        bytes memory call = _balanceCall(agent);
        token.setResponse(bytes4(call), true, _balanceReturn(1));
        _set(address(token));
        assertGranted(agent);
        assertDenied(address(0));
    }

    /// @dev With the default stipend for every number of collections, and with the first stipend only.
    function test_GivenProxies() external {
        for (uint256 kind = 0; kind < 3; kind++) {
            address[] memory proxies = new address[](_maxCollections());
            for (uint256 i = 0; i < proxies.length; i++) {
                proxies[i] = _deployProxy(Proxy(kind), _newToken(), _mint(creator));
            }
            address last = _deployProxy(Proxy(kind), _newToken(), _mint(agent));
            for (uint256 count = 1; count <= proxies.length; count++) {
                address[] memory list = new address[](count);
                for (uint256 i = 0; i < count; i++) {
                    list[i] = i + 1 < count ? proxies[i] : last;
                }
                for (uint256 i = 0; i < 2; i++) {
                    _configure(_call(list, 1, i == 0 ? 0 : _firstStipend()));
                    assertGranted(agent);
                    assertDenied(eve);
                }
            }
        }
    }

    /* NO CODE */

    function test_RevertWhen_CollectionHasNoCode() external {
        address[4] memory empty = [makeAddr("no code"), address(0), address(4), agent];
        address[] memory list = new address[](3);
        for (uint256 i = 0; i < empty.length; i++) {
            for (uint256 index = 0; index < 3; index++) {
                (list[0], list[1], list[2]) = (held, other, held);
                list[index] = empty[i];
                bytes memory expected =
                    abi.encodeWithSelector(IERC721OwnerPredicate.CollectionNoCode.selector, empty[i]);
                _assertReverts(_call(list, 1, 0), expected);
                _assertReverts(_call(list, 1, _firstStipend()), expected);
            }
        }
    }

    function test_GivenCollectionLosesItsCode() external {
        address lost = _newToken();
        bytes memory code = lost.code;
        address[4][2] memory lists = [[lost, other, other, lost], [lost, held, held, lost]];
        for (uint256 i = 0; i < 4; i++) {
            vm.etch(lost, code);
            _set(lists[i / 2][i % 2 * 2], lists[i / 2][i % 2 * 2 + 1]);
            vm.etch(lost, "");
            if (i < 2) assertUnknown(agent, _callFailed(lost));
            else assertGranted(agent);
        }
    }

    /* FAILING COLLECTIONS */

    function test_GivenCollectionFails() external {
        address[] memory failing = _failingTokens();
        for (uint256 i = 0; i < failing.length; i++) {
            bytes memory revertData = _callFailed(failing[i]);
            _set(failing[i]);
            assertUnknown(agent, revertData);
            _set(failing[i], other);
            assertUnknown(agent, revertData);
            _set(other, failing[i]);
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
            assertUnknown(eve, _callFailed(list[working == last ? last - 1 : last]));
        }
    }

    /* UNUSUAL RETURN DATA */

    function test_GivenBalanceIsArbitrary() external {
        PresetResponseToken token = new PresetResponseToken();
        bytes4 selector = bytes4(_balanceCall(agent));
        _set(address(token));
        for (uint256 bit = 0; bit < 256; bit++) {
            token.setResponse(selector, true, _balanceReturn(2 ** bit));
            assertGranted(agent);
            token.setResponse(selector, false, _balanceReturn(2 ** bit));
            assertUnknown(agent, _callFailed(address(token)));
        }
        token.setResponse(selector, true, _balanceReturn(0));
        assertDenied(agent);
    }

    /* STIPENDS */

    function test_CallsWithDefaultStipends() external {
        // The second collection fails with the first stipend: it is called again, and the later ones only, with the larger one.
        address demanding = address(new MinGasToken(_firstStipend() * _units(1), 0));
        address[] memory list = new address[](3);
        (list[0], list[1], list[2]) = (other, demanding, otherProxy);
        _set(list);
        uint64 first = uint64(_firstStipend() * _units(1));
        uint64 retry = uint64(_retryGas(3, 1));
        vm.expectCall(other, 0, first, _balanceCall(agent), 1);
        vm.expectCall(demanding, 0, retry, _balanceCall(agent), 1);
        vm.expectCall(otherProxy, 0, retry, _balanceCall(agent), 1);
        assertFalse(IStipendPredicate(predicate).hasAccess(tool, agent, ""), "not denied");
    }

    function test_CallsWithChosenStipend() external {
        uint256[3] memory stipends = [_minStipend(), _firstStipend(), _maxStipend(2, 1)];
        for (uint256 i = 0; i < stipends.length; i++) {
            address[] memory list = new address[](2);
            (list[0], list[1]) = (address(new MinGasToken(stipends[i] * _units(1), 1)), _copy(other, i));
            _configure(_call(list, 1, stipends[i]));
            vm.expectCall(list[0], 0, uint64(stipends[i] * _units(1)), _balanceCall(agent), 1);
            vm.expectCall(list[1], 0, uint64(stipends[i] * _units(1)), _balanceCall(agent), 1);
            (bool success,) =
                predicate.staticcall(abi.encodeCall(IStipendPredicate(predicate).hasAccess, (tool, agent, "")));
            assertFalse(success, "a call that failed with the chosen stipend was repeated");
        }
    }

    /// @dev Tokens that need more than the first stipend, behind each proxy, in lists of every length.
    function test_GivenTokenNeedsMoreGas() external {
        uint256[3] memory needs = [uint256(11_000), 30_000, RETRY_BUDGET];
        for (uint256 i = 0; i < 9; i++) {
            address granting = _deployProxy(Proxy(i % 3), address(new MinGasToken(needs[i / 3], 1)), _mint(agent));
            address denying = _deployProxy(Proxy(i % 3), address(new MinGasToken(needs[i / 3], 0)), _mint(agent));
            uint256 needed = _gasOf(granting, _balanceCall(agent));
            uint256 first = _firstStipend() * _units(1);
            for (uint256 count = 1; count <= _maxCollections(); count++) {
                bool isCalled = needed <= first || needed <= _retryGas(count, 1);
                address[] memory list = new address[](count);
                for (uint256 j = 0; j < count; j++) {
                    list[j] = denying;
                }
                _set(list);
                assertResult(agent, "", isCalled ? abi.encode(false) : _callFailed(denying));
                list[count - 1] = granting;
                _set(list);
                assertResult(agent, "", isCalled ? abi.encode(true) : _callFailed(granting));
            }
        }
    }

    function test_RevertWhen_StipendIsOutOfBounds() external {
        for (uint256 count = 0; count <= _maxCollections(); count++) {
            address[] memory list = new address[](count);
            for (uint256 i = 0; i < count; i++) {
                list[i] = held;
            }
            (uint256 min, uint256 max) = (_minStipend(), _maxStipend(count, 1));
            uint256[5] memory invalid = [1, min - 1, max + 1, 2 ** 32 + min, type(uint256).max];
            for (uint256 i = 0; i < invalid.length; i++) {
                _assertReverts(
                    _call(list, 1, invalid[i]),
                    abi.encodeWithSelector(IStipendPredicate.InvalidStipend.selector, invalid[i], min, max)
                );
            }
            _configure(_call(list, 1, min));
            _configure(_call(list, 1, max));
            (uint256 first, uint256 retry) = IStipendPredicate(predicate).getStipends(tool);
            assertEq(abi.encode(first, retry), abi.encode(max, max), "stipends");
        }
    }

    /* HELPERS */

    function _set(address[] memory collections) internal {
        _configure(_call(collections, 1, 0));
    }

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
}
