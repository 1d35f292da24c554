// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { StipendPredicateTest } from "test/unit/predicates/base/StipendPredicate.t.sol";

contract ERC721OwnerPredicateSetCollectionsTest is StipendPredicateTest {
    PlainERC721 private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC721OwnerPredicate", abi.encode(registry)));
        token = new PlainERC721();
        token.mint(agent, 1);
        vm.etch(address(type(uint160).max), address(token).code);
    }

    function test_SetCollections() external {
        for (uint256 count = 0; count <= _max(); count++) {
            _set(_collections(count, count));
        }
        for (uint256 count = _max() + 1; count > 0; count--) {
            _set(_collections(count - 1, 0));
        }
    }

    function test_RevertWhen_TooManyCollections() external {
        _set(_collections(_max(), 0));
        uint256[3] memory counts = [_max() + 1, 256, 300];
        for (uint256 i = 0; i < counts.length; i++) {
            _assertReverts(
                _call(tool, _collections(counts[i], 1)),
                abi.encodeWithSelector(IERC721OwnerPredicate.TooManyCollections.selector, counts[i], _max())
            );
        }
        assertEq(_configurationOf(tool), abi.encode(_collections(_max(), 0)), "a rejected list changed the stored list");
    }

    function test_MaxCollections() external view {
        assertEq(_max(), 10, "the maximum of the reference");
    }

    function test_GetRequirements() external {
        // B-03
        for (uint256 count = 1; count <= _max(); count++) {
            address[] memory list = _collections(count, count);
            AccessRequirement[] memory expected = new AccessRequirement[](count);
            for (uint256 i = 0; i < count; i++) {
                expected[i].kind = 0xbdf8c428;
                expected[i].data = abi.encode(list[i]);
                expected[i].label = "Hold a token of this ERC-721 collection";
            }
            _set(list);
            assertRequirements(expected, RequirementLogic.OR);
        }
    }

    function _set(address[] memory collections) private {
        bytes32[] memory topics = _topics(IERC721OwnerPredicate.CollectionsSet.selector, tool);
        _configure(_call(tool, collections), topics, abi.encode(collections));
        assertEq(_configurationOf(tool), abi.encode(collections), "stored configuration differs");
    }

    function _collections(uint256 count, uint256 salt) private returns (address[] memory collections) {
        collections = new address[](count);
        for (uint256 i = 0; i < count; i++) {
            collections[i] = _copy(address(token), i + 1000 * salt);
        }
        if (count > 2) (collections[1], collections[2]) = (collections[0], address(type(uint160).max));
    }

    function _max() private view returns (uint256) {
        return IERC721OwnerPredicate(predicate).MAX_COLLECTIONS_PER_TOOL();
    }

    function _call(uint256 toolId, address[] memory collections) private pure returns (bytes memory) {
        return abi.encodeWithSignature("setCollections(uint256,address[])", toolId, collections);
    }

    /* IMPLEMENTATION OF THE BASE TEST */

    function _predicateName() internal pure override returns (string memory) {
        return "ERC721OwnerPredicate";
    }

    function _configuration(uint256 toolId) internal view override returns (bytes memory) {
        address[] memory collections = new address[](1);
        collections[0] = address(token);
        return _call(toolId, collections);
    }

    function _configuration(uint256 toolId, uint256 stipend) internal view override returns (bytes memory) {
        address[] memory collections = new address[](1);
        collections[0] = address(token);
        return abi.encodeWithSignature("setCollections(uint256,address[],uint256)", toolId, collections, stipend);
    }

    function _defaultStipends() internal pure override returns (uint256, uint256) {
        return (12_000, 140_000);
    }

    function _stipendBounds() internal pure override returns (uint256, uint256) {
        return (2300, (190_000 - 3400 - 500) * uint256(63) / 64);
    }

    function _otherConfiguration(uint256 toolId) internal pure override returns (bytes memory) {
        return _call(toolId, new address[](0));
    }

    function _getter(uint256 toolId) internal pure override returns (bytes memory) {
        return abi.encodeCall(IERC721OwnerPredicate.getCollections, (toolId));
    }

    function _emptyGetterReturn() internal pure override returns (bytes memory) {
        return abi.encode(new address[](0));
    }

    function _paddingOffsets() internal pure override returns (uint256[2] memory) {
        return [uint256(96), 96];
    }
}
