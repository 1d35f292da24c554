// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { PlainERC1155 } from "test/mocks/tokens/PlainERC1155.sol";
import { TokenLists } from "test/support/TokenLists.sol";
import { StipendPredicateTest } from "test/unit/predicates/base/StipendPredicate.t.sol";

contract ERC1155OwnerPredicateSetCollectionTokensTest is StipendPredicateTest {
    PlainERC1155 private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC1155OwnerPredicate", abi.encode(registry)));
        token = new PlainERC1155();
        token.mint(agent, 1, 1);
        vm.etch(address(type(uint160).max), address(token).code);
    }

    function test_SetCollectionTokens() external {
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
        mixed[3].collection = address(type(uint160).max);
        _set(mixed);
        _set(_list(1, 1, 7));
    }

    function test_SetCollectionTokens_WhenListIsEmpty() external {
        _set(_list(2, 3, 0));
        uint64 stores = vm.getNonce(address(predicate));
        _set(_list(0, 0, 1));
        assertEq(vm.getNonce(address(predicate)), stores, "a data contract was created for an empty list");
        _set(_list(1, 1, 2));
        assertEq(vm.getNonce(address(predicate)), stores + 1, "number of data contracts created for a list");
    }

    function test_RevertWhen_TooManyTokens() external {
        CollectionTokens[] memory old = _list(2, 3, 0);
        _set(old);
        _assertTooMany(_list(1, _maxIds() + 1, 1));
        _assertTooMany(_list(_maxGroups() + 1, 1, 1));
        _assertTooMany(_list(100, 1, 1));
        _assertTooMany(_list(1, 1000, 1));
        // Grows a list up to the limit and one id beyond.
        CollectionTokens[] memory greatest = _list(3, 1, 1);
        while (TokenLists.unitsOf(greatest) <= _maxUnits()) {
            _set(greatest);
            greatest[2].tokenIds = TokenLists.ids(greatest[2].tokenIds.length + 1, 1);
        }
        _assertTooMany(greatest);
        _set(old);
        assertEq(_configurationOf(tool), abi.encode(old), "a rejected list changed the stored list");
    }

    function test_RevertWhen_CollectionHasNoIds() external {
        for (uint256 i = 0; i < 3; i++) {
            CollectionTokens[] memory list = _list(3, 2, i);
            list[i].tokenIds = new uint256[](0);
            _assertReverts(_call(tool, list), abi.encodeWithSelector(IERC1155OwnerPredicate.EmptyTokenIds.selector, i));
        }
    }

    function test_MaxTokens() external {
        assertGe(_maxIds(), 32, "fewer ids per collection than the reference");
        assertGe(_maxGroups(), 10, "fewer than ten collections");
        _set(_list(2, 16, 0));
    }

    function test_GetRequirements() external {
        // B-03
        _assertListed(_list(1, 1, 0));
        _assertListed(_list(2, 16, 1));
        _assertListed(_list(10, 1, 2));
        _assertListed(_list(1, _maxIds(), 3));
        CollectionTokens[] memory mixed = _list(3, 2, 4);
        mixed[0].tokenIds = TokenLists.ids(1, type(uint256).max);
        mixed[2].tokenIds = TokenLists.ids(5, 0);
        _assertListed(mixed);
    }

    function _assertListed(CollectionTokens[] memory list) private {
        _configure(_call(tool, list));
        uint256 count = 0;
        for (uint256 i = 0; i < list.length; i++) {
            count += list[i].tokenIds.length;
        }
        AccessRequirement[] memory expected = new AccessRequirement[](count);
        count = 0;
        for (uint256 i = 0; i < list.length; i++) {
            for (uint256 j = 0; j < list[i].tokenIds.length; j++) {
                expected[count++] = AccessRequirement({
                    kind: 0xcb429230,
                    data: abi.encode(list[i].collection, list[i].tokenIds[j]),
                    label: "Hold this ERC-1155 token"
                });
            }
        }
        assertRequirements(expected, RequirementLogic.OR);
    }

    function _assertTooMany(CollectionTokens[] memory list) private {
        _assertReverts(
            _call(tool, list),
            abi.encodeWithSelector(IERC1155OwnerPredicate.TooManyTokens.selector, TokenLists.unitsOf(list), _maxUnits())
        );
    }

    function _set(CollectionTokens[] memory list) private {
        bytes32[] memory topics = _topics(IERC1155OwnerPredicate.CollectionTokensSet.selector, tool);
        _configure(_call(tool, list), topics, abi.encode(list));
        assertEq(_configurationOf(tool), abi.encode(list), "stored configuration differs");
    }

    function _list(uint256 groups, uint256 ids, uint256 salt) private view returns (CollectionTokens[] memory) {
        return TokenLists.even(address(token), groups, ids, salt);
    }

    function _maxUnits() private view returns (uint256) {
        return IERC1155OwnerPredicate(predicate).MAX_UNITS();
    }

    function _maxIds() private view returns (uint256) {
        return _maxUnits() - 4;
    }

    function _maxGroups() private view returns (uint256) {
        return _maxUnits() / 5;
    }

    function _call(uint256 toolId, CollectionTokens[] memory list) private pure returns (bytes memory) {
        return abi.encodeWithSignature("setCollectionTokens(uint256,(address,uint256[])[])", toolId, list);
    }

    /* IMPLEMENTATION OF THE BASE TEST */

    function _predicateName() internal pure override returns (string memory) {
        return "ERC1155OwnerPredicate";
    }

    function _configuration(uint256 toolId) internal view override returns (bytes memory) {
        return _call(toolId, _tokens());
    }

    function _configuration(uint256 toolId, uint256 stipend) internal view override returns (bytes memory) {
        return abi.encodeWithSignature(
            "setCollectionTokens(uint256,(address,uint256[])[],uint256)", toolId, _tokens(), stipend
        );
    }

    function _tokens() private view returns (CollectionTokens[] memory list) {
        list = new CollectionTokens[](1);
        list[0] = CollectionTokens({ collection: address(token), tokenIds: TokenLists.ids(2, 0) });
    }

    /// @dev Six units.
    function _defaultStipends() internal pure override returns (uint256, uint256) {
        return (2800, uint256(140_000) / 6);
    }

    function _stipendBounds() internal pure override returns (uint256, uint256) {
        return (500, (190_000 - 3400 - 6 * 120 - 500) * uint256(63) / 64 / 6);
    }

    function _otherConfiguration(uint256 toolId) internal pure override returns (bytes memory) {
        return _call(toolId, new CollectionTokens[](0));
    }

    function _getter(uint256 toolId) internal pure override returns (bytes memory) {
        return abi.encodeCall(IERC1155OwnerPredicate.getCollectionTokens, (toolId));
    }

    function _emptyGetterReturn() internal pure override returns (bytes memory) {
        return abi.encode(new CollectionTokens[](0));
    }

    function _paddingOffsets() internal pure override returns (uint256[2] memory) {
        return [uint256(128), 128];
    }
}
