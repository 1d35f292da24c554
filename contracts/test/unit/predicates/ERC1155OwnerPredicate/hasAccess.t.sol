// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC1155 } from "src/interfaces/external/IERC1155.sol";
import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { PlainERC1155 } from "test/mocks/tokens/PlainERC1155.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { Access } from "test/support/Access.sol";
import { TokenLists } from "test/support/TokenLists.sol";
import { CollectionListGasTest } from "test/unit/predicates/base/CollectionListGas.t.sol";

contract ERC1155OwnerPredicateHasAccessTest is CollectionListGasTest {
    uint256 private constant ID = 1000;
    uint256 private constant MAX_UNITS = 50;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC1155OwnerPredicate", abi.encode(registry)));
    }

    function test_GivenAmountChanges() external {
        _set(held);
        PlainERC1155(held).mint(eve, ID, 3);
        assertGranted(eve);
        PlainERC1155(held).burn(eve, ID, 2);
        assertGranted(eve);
        PlainERC1155(held).burn(eve, ID, 1);
        assertDenied(eve);
    }

    function test_GivenSeveralIds() external {
        address[2] memory collections = [held, heldProxy];
        for (uint256 count = 1; count <= 17; count++) {
            for (uint256 index = 0; index < count; index++) {
                CollectionTokens[] memory list = new CollectionTokens[](1);
                list[0].collection = collections[index % 2];
                list[0].tokenIds = TokenLists.ids(count, ID + 1);
                _set(list);
                assertDenied(agent);
                list[0].tokenIds[index] = ID;
                _set(list);
                assertGranted(agent);
                assertDenied(eve);
            }
        }
    }

    function test_GivenSeveralCollections() external {
        for (uint256 groups = 2; groups <= 5; groups++) {
            for (uint256 ids = 1; ids <= 3; ids++) {
                CollectionTokens[] memory list = TokenLists.even(other, groups, ids, 0);
                for (uint256 i = 0; i < groups; i++) {
                    list[i].collection = i % 2 == 0 ? other : otherProxy;
                }
                _set(list);
                assertDenied(agent);
                for (uint256 i = 0; i < groups; i++) {
                    uint256 id = list[i].tokenIds[ids - 1];
                    list[i].tokenIds[ids - 1] = ID;
                    _set(list);
                    assertGranted(creator);
                    assertDenied(agent);
                    address before = list[i].collection;
                    list[i].collection = i % 2 == 0 ? heldProxy : held;
                    _set(list);
                    assertGranted(agent);
                    assertDenied(creator);
                    (list[i].collection, list[i].tokenIds[ids - 1]) = (before, id);
                }
            }
        }
    }

    function test_GivenIdsOfAnotherCollection() external {
        PlainERC1155(held).mint(eve, ID + 1, 1);
        CollectionTokens[] memory list = TokenLists.even(held, 2, 1, 0);
        list[1].collection = other;
        (list[0].tokenIds[0], list[1].tokenIds[0]) = (ID, ID + 1);
        _set(list);
        assertGranted(agent);
        assertDenied(eve);
        (list[0].tokenIds[0], list[1].tokenIds[0]) = (ID + 1, ID);
        _set(list);
        assertDenied(agent);
        assertGranted(eve);
        assertGranted(creator);
    }

    /// @dev The stipend depends on the number of ids.
    function test_CallsWithStipendPerUnit() external {
        CollectionTokens[] memory list = TokenLists.even(other, 2, 3, 1);
        list[1] = CollectionTokens({ collection: otherProxy, tokenIds: TokenLists.ids(1, ID) });
        address[] memory accounts = new address[](3);
        (accounts[0], accounts[1], accounts[2]) = (agent, agent, agent);
        bytes memory callData = abi.encodeCall(IERC1155.balanceOfBatch, (accounts, list[0].tokenIds));
        _set(list);
        vm.expectCall(other, 0, 7 * 2800, callData, 1);
        vm.expectCall(otherProxy, 0, 5 * 2800, _balanceCall(agent), 1);
        IERC1155OwnerPredicate(predicate).hasAccess(tool, agent, "");
    }

    /// @dev Sixteen ids behind each proxy, and twice sixteen.
    function test_GivenProxies_SixteenIds() external {
        for (uint256 kind = 0; kind < 3; kind++) {
            address[] memory list = new address[](1 + kind % 2);
            for (uint256 i = 0; i < list.length; i++) {
                list[i] = _deployProxy(Proxy(kind), _newToken(), _mint(i + 1 == list.length ? agent : creator));
            }
            _set(list, 16);
            assertGranted(agent);
            assertDenied(eve);
            _configure(_call(list, 16, _firstStipend()));
            assertGranted(agent);
            assertDenied(eve);
        }
    }

    /// @dev One collection with most of the ids, down to four; all collections but the last burn gas.
    function test_FitsGasLimit_GivenOneLongCollection() external {
        for (uint256 groups = 2; groups < _maxCollections(); groups++) {
            for (uint256 long = 0; long < groups; long += groups - 1) {
                CollectionTokens[] memory list = new CollectionTokens[](groups);
                for (uint256 i = 0; i < groups; i++) {
                    uint256 count = i == long ? MAX_UNITS - 5 * (groups - 1) - 4 : 1;
                    list[i].collection = i + 1 == groups ? heldBeaconProxy : _copy(burner, i);
                    list[i].tokenIds = TokenLists.ids(count, ID + 1 - count);
                }
                for (uint256 i = 0; i < 10 && list[long].tokenIds.length > 4; i++) {
                    _set(list);
                    assertFitsGasLimit(agent, "", Access.Granted);
                    uint256 count = list[long].tokenIds.length - 4;
                    list[long].tokenIds = TokenLists.ids(count, ID + 1 - count);
                }
            }
        }
    }

    function test_GivenReturnIsMalformed() external {
        PresetResponseToken token = new PresetResponseToken();
        CollectionTokens[] memory list = TokenLists.even(address(token), 1, 2, 0);
        _set(list);

        bytes memory valid = abi.encode(0x20, 2, 0, 1);
        _assertPreset(token, valid, true);
        // Truncated at every length.
        for (uint256 length = 0; length < valid.length; length++) {
            bytes memory head = new bytes(length);
            for (uint256 i = 0; i < length; i++) {
                head[i] = i == 31 ? bytes1(0x20) : i == 63 ? bytes1(0x02) : i < 64 ? bytes1(0) : bytes1(0xff);
            }
            _assertPreset(token, head, false);
        }
        // Wrong offset that still points to an array; wrong number of balances; two words without an array.
        _assertPreset(token, abi.encode(0x40, 2, 2, 1, 1), false);
        _assertPreset(token, abi.encode(0x40, 0, 2, 1, 1), false);
        _assertPreset(token, abi.encode(0x00, 2, 1, 1), false);
        _assertPreset(token, abi.encode(2 ** 255 | 0x20, 2, 1, 1), false);
        _assertPreset(token, abi.encode(0x20, 1, 1, 1), false);
        _assertPreset(token, abi.encode(0x20, 3, 1, 1, 1), false);
        _assertPreset(token, abi.encode(0x20, 0, 1, 1), false);
        _assertPreset(token, abi.encode(0x20, 2 ** 255 | 2, 1, 1), false);
        _assertPreset(token, abi.encode(1, 1), false);
        _assertPreset(token, abi.encode(2, 1, 1, 1), false);
        token.setResponse(IERC1155.balanceOfBatch.selector, false, valid);
        assertUnknown(agent, _callFailed(address(token)));
    }

    function test_GivenReturnIsLong() external {
        PresetResponseToken token = new PresetResponseToken();
        _set(address(token));
        _assertPreset(token, abi.encode(0x20, 1, 1, 0), true);
        token.setResponse(IERC1155.balanceOfBatch.selector, true, abi.encode(0x20, 1, 0, 1));
        assertDenied(agent);
    }

    function _assertPreset(PresetResponseToken token, bytes memory returndata, bool isGranted) private {
        token.setResponse(IERC1155.balanceOfBatch.selector, true, returndata);
        assertResult(agent, "", isGranted ? abi.encode(true) : _callFailed(address(token)));
    }

    function _set(CollectionTokens[] memory list) private {
        _configure(abi.encodeWithSignature("setCollectionTokens(uint256,(address,uint256[])[])", tool, list));
    }

    /* IMPLEMENTATION OF THE BASE TEST */

    function _call(address[] memory collections, uint256 ids, uint256 stipend)
        internal
        view
        override
        returns (bytes memory)
    {
        CollectionTokens[] memory list = new CollectionTokens[](collections.length);
        for (uint256 i = 0; i < list.length; i++) {
            list[i] = CollectionTokens({ collection: collections[i], tokenIds: TokenLists.ids(ids, ID + 1 - ids) });
        }
        if (stipend == 0) {
            return abi.encodeWithSignature("setCollectionTokens(uint256,(address,uint256[])[])", tool, list);
        }
        return
            abi.encodeWithSignature("setCollectionTokens(uint256,(address,uint256[])[],uint256)", tool, list, stipend);
    }

    function _maxCollections() internal pure override returns (uint256) {
        return MAX_UNITS / 5;
    }

    function _firstStipend() internal pure override returns (uint256) {
        return 2800;
    }

    function _minStipend() internal pure override returns (uint256) {
        return 500;
    }

    function _maxStipend(uint256 collections, uint256 ids) internal pure override returns (uint256) {
        uint256 units = collections * (4 + ids);
        return (190_000 - 3400 * collections - 120 * units - 500) * 63 / 64 / (units == 0 ? 1 : units);
    }

    function _units(uint256 ids) internal pure override returns (uint256) {
        return 4 + ids;
    }

    /// @dev Less than an equal share of the budget if the first call could use too much gas: if all other collections had
    ///      one id.
    function _retryGas(uint256 collections, uint256 ids) internal pure override returns (uint256) {
        uint256 units = collections * (4 + ids);
        uint256 share = RETRY_BUDGET / units;
        uint256 largest = units - 5 * (collections - 1);
        uint256 left = 190_000 - 3400 * (collections + 1) - 120 * units - 2800 * largest - 500;
        uint256 max = left * 63 / 64 / units;
        if (share > max) share = max;
        return (share < 2800 ? 2800 : share) * (4 + ids);
    }

    function _shapes() internal pure override returns (uint256[2][] memory shapes) {
        shapes = new uint256[2][](3);
        (shapes[0], shapes[1], shapes[2]) = ([uint256(2), 16], [uint256(10), 1], [uint256(1), 12]);
    }

    function _maxIds(uint256 collections) internal pure override returns (uint256) {
        return MAX_UNITS / collections - 4;
    }

    function _newToken() internal override returns (address) {
        return address(new PlainERC1155());
    }

    function _mint(address account) internal pure override returns (bytes memory) {
        return abi.encodeCall(PlainERC1155.mint, (account, ID, 1));
    }

    function _burn(address account) internal pure override returns (bytes memory) {
        return abi.encodeCall(PlainERC1155.burn, (account, ID, 1));
    }

    function _balanceCall(address account) internal pure override returns (bytes memory) {
        address[] memory accounts = new address[](1);
        accounts[0] = account;
        return abi.encodeCall(IERC1155.balanceOfBatch, (accounts, TokenLists.ids(1, ID)));
    }

    function _balanceReturn(uint256 balance) internal pure override returns (bytes memory) {
        return abi.encode(0x20, 1, balance);
    }
}
