// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { PlainERC1155 } from "test/mocks/tokens/PlainERC1155.sol";
import { TokenLists } from "test/support/TokenLists.sol";
import { ConfiguredPredicateTest } from "test/unit/predicates/base/ConfiguredPredicate.t.sol";

contract ERC1155OwnerPredicateSetCollectionTokensTest is ConfiguredPredicateTest {
    PlainERC1155 private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC1155OwnerPredicate", abi.encode(registry)));
        token = new PlainERC1155();
        token.mint(agent, 1, 1);
    }

    function test_SetCollectionTokens_WhenAnyShapeIsGiven() external {
        _set(_list(1, 1, 0));
        _set(_list(1, _maxIds(), 1));
        _set(_list(_maxGroups(), 1, 2));
        _set(_list(2, 16, 3));
        _set(_list(3, 5, 4));
        _set(_list(0, 0, 5));
        CollectionTokens[] memory mixed = _list(4, 1, 6);
        mixed[1].tokenIds = TokenLists.ids(7, 20);
        mixed[3].tokenIds = TokenLists.ids(3, type(uint256).max - 2);
        mixed[2].collection = mixed[0].collection;
        (mixed[0].collection, mixed[3].collection) = (address(0), address(type(uint160).max));
        _set(mixed);
        _set(_list(1, 1, 7));
    }

    function test_SetCollectionTokens_WhenTheListIsEmpty() external {
        _set(_list(2, 3, 0));
        uint64 stores = vm.getNonce(address(predicate));
        _set(_list(0, 0, 1));
        assertEq(vm.getNonce(address(predicate)), stores, "contracts made for an empty list");
        _set(_list(1, 1, 2));
        assertEq(vm.getNonce(address(predicate)), stores + 1, "contracts made for a list");
    }

    function test_RevertWhen_TooManyTokens() external {
        CollectionTokens[] memory old = _list(2, 3, 0);
        _set(old);
        _assertTooMany(_list(1, _maxIds() + 1, 1));
        _assertTooMany(_list(_maxGroups() + 1, 1, 1));
        _assertTooMany(_list(100, 1, 1));
        _assertTooMany(_list(1, 1000, 1));
        // The greatest list with one more id, in the first collection or in a collection of its own.
        CollectionTokens[] memory greatest = _list(3, 1, 1);
        while (_gasOf(greatest) <= _maxGas()) {
            _set(greatest);
            greatest[2].tokenIds = TokenLists.ids(greatest[2].tokenIds.length + 1, 1);
        }
        _assertTooMany(greatest);
        _set(old);
        assertEq(_get(tool), abi.encode(old), "a refused list changed the old one");
    }

    function test_RevertWhen_CollectionHasNoIds() external {
        for (uint256 i = 0; i < 3; i++) {
            CollectionTokens[] memory list = _list(3, 2, i);
            list[i].tokenIds = new uint256[](0);
            _assertRefused(
                _call(tool, list),
                abi.encodeWithSelector(IERC1155OwnerPredicate.NoTokenIds.selector, list[i].collection)
            );
        }
    }

    function test_RevertWhen_ACollectionHasHighBits() external {
        bytes memory call = _call(tool, _list(1, 1, 0));
        call[4 + 4 * 32] = 0x01;
        _assertRefused(call, "");
    }

    function test_SetCollectionTokens_WhenToolsDiffer() external {
        _set(_list(3, 2, 0));
        uint256 other = _register(predicate);
        _configure(_call(other, _list(2, 4, 1)));
        assertEq(_get(tool), abi.encode(_list(3, 2, 0)), "another tool's list changed this one's");
        assertEq(_get(other), abi.encode(_list(2, 4, 1)), "the other list differs");
    }

    function test_MaxTokens() external view {
        assertGe(_maxIds(), 32, "fewer ids of one collection than the reference asks for");
        assertGe(_maxGroups(), 10, "fewer collections than ten");
        assertLe(_gasOf(_list(2, 16, 0)), _maxGas(), "two collections of sixteen are refused");
    }

    function _assertTooMany(CollectionTokens[] memory list) private {
        _assertRefused(
            _call(tool, list),
            abi.encodeWithSelector(IERC1155OwnerPredicate.TooManyTokens.selector, _gasOf(list), _maxGas())
        );
    }

    function _set(CollectionTokens[] memory list) private {
        bytes32[] memory topics = _topics(IERC1155OwnerPredicate.CollectionTokensSet.selector, tool);
        _configure(_call(tool, list), topics, abi.encode(list));
        assertEq(_get(tool), abi.encode(list), "what was set is not what is read");
    }

    function _get(uint256 toolId) private view returns (bytes memory) {
        return abi.encode(IERC1155OwnerPredicate(predicate).getCollectionTokens(toolId));
    }

    function _list(uint256 groups, uint256 ids, uint256 salt) private pure returns (CollectionTokens[] memory) {
        return TokenLists.even(groups, ids, salt);
    }

    function _gasOf(CollectionTokens[] memory list) private view returns (uint256) {
        return TokenLists.gasOf(IERC1155OwnerPredicate(predicate), list);
    }

    function _maxGas() private view returns (uint256) {
        return IERC1155OwnerPredicate(predicate).MAX_GAS();
    }

    function _maxIds() private view returns (uint256) {
        return TokenLists.maxIds(IERC1155OwnerPredicate(predicate), 0);
    }

    function _maxGroups() private view returns (uint256) {
        return _maxGas() / IERC1155OwnerPredicate(predicate).gasToAsk(1);
    }

    function _call(uint256 toolId, CollectionTokens[] memory list) private pure returns (bytes memory) {
        return abi.encodeCall(IERC1155OwnerPredicate.setCollectionTokens, (toolId, list));
    }

    /* OF THE BASES */

    function _nameOfPredicate() internal pure override returns (string memory) {
        return "ERC1155OwnerPredicate";
    }

    function _configuration(uint256 toolId) internal view override returns (bytes memory) {
        CollectionTokens[] memory list = new CollectionTokens[](1);
        list[0] = CollectionTokens({ collection: address(token), tokenIds: TokenLists.ids(2, 0) });
        return _call(toolId, list);
    }

    function _emptyConfiguration(uint256 toolId) internal pure override returns (bytes memory) {
        return _call(toolId, new CollectionTokens[](0));
    }

    function _reading(uint256 toolId) internal pure override returns (bytes memory) {
        return abi.encodeCall(IERC1155OwnerPredicate.getCollectionTokens, (toolId));
    }

    function _readingOfNothing() internal pure override returns (bytes memory) {
        return abi.encode(new CollectionTokens[](0));
    }
}
