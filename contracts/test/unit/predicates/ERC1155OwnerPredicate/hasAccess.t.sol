// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC1155 } from "src/interfaces/external/IERC1155.sol";
import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { PlainERC1155 } from "test/mocks/tokens/PlainERC1155.sol";
import { PresetResponseToken } from "test/mocks/tokens/PresetResponseToken.sol";
import { TokenLists } from "test/support/TokenLists.sol";
import { CollectionListTest } from "test/unit/predicates/base/CollectionList.t.sol";

contract ERC1155OwnerPredicateHasAccessTest is CollectionListTest {
    uint256 private constant ID = 7;

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
                CollectionTokens[] memory list = TokenLists.even(groups, ids, 0);
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
        CollectionTokens[] memory list = TokenLists.even(2, 1, 0);
        (list[0].collection, list[1].collection) = (held, other);
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

    function test_CallsWithStipend() external {
        CollectionTokens[] memory list = TokenLists.even(2, 3, 1);
        (list[0].collection, list[1].collection) = (other, otherProxy);
        list[1].tokenIds = TokenLists.ids(1, 9);
        _set(list);
        address[] memory accounts = new address[](3);
        (accounts[0], accounts[1], accounts[2]) = (agent, agent, agent);
        uint256 base = IERC1155OwnerPredicate(predicate).GAS_PER_COLLECTION();
        uint256 perToken = IERC1155OwnerPredicate(predicate).GAS_PER_TOKEN();
        bytes memory callData = abi.encodeCall(IERC1155.balanceOfBatch, (accounts, list[0].tokenIds));
        vm.expectCall(other, 0, uint64(base + 3 * perToken), callData, 1);
        assembly ("memory-safe") {
            mstore(accounts, 1)
        }
        callData = abi.encodeCall(IERC1155.balanceOfBatch, (accounts, list[1].tokenIds));
        vm.expectCall(otherProxy, 0, uint64(base + perToken), callData, 1);
        IERC1155OwnerPredicate(predicate).hasAccess(tool, agent, "");
    }

    function test_GivenReturnIsMalformed() external {
        PresetResponseToken token = new PresetResponseToken();
        CollectionTokens[] memory list = TokenLists.even(1, 2, 0);
        list[0].collection = address(token);
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
        assertUnknown(agent, _noAnswer(address(token)));
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
        assertResult(agent, "", isGranted ? abi.encode(true) : _noAnswer(address(token)));
    }

    function _set(CollectionTokens[] memory list) private {
        _configure(abi.encodeCall(IERC1155OwnerPredicate.setCollectionTokens, (tool, list)));
    }

    /* IMPLEMENTATION OF THE BASE TEST */

    /// @dev With one id each, except the second of two collections, which has two.
    function _set(address[] memory collections) internal override {
        CollectionTokens[] memory list = new CollectionTokens[](collections.length);
        for (uint256 i = 0; i < list.length; i++) {
            uint256 count = list.length == 2 ? i + 1 : 1;
            list[i] = CollectionTokens({ collection: collections[i], tokenIds: TokenLists.ids(count, ID + 1 - count) });
        }
        _set(list);
    }

    function _maxCollections() internal view override returns (uint256) {
        return IERC1155OwnerPredicate(predicate).MAX_GAS() / IERC1155OwnerPredicate(predicate).gasToAsk(1);
    }

    function _tokenInitCode() internal pure override returns (bytes memory) {
        return type(PlainERC1155).creationCode;
    }

    function _mint(address account) internal pure override returns (bytes memory) {
        return abi.encodeCall(PlainERC1155.mint, (account, ID, 1));
    }

    function _burn(address account) internal pure override returns (bytes memory) {
        return abi.encodeCall(PlainERC1155.burn, (account, ID, 1));
    }

    function _balanceResponse(uint256 balance) internal pure override returns (bytes4, bytes memory) {
        return (IERC1155.balanceOfBatch.selector, abi.encode(0x20, 1, balance));
    }
}
