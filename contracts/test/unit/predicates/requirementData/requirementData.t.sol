// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { stdJson } from "forge-std/StdJson.sol";
import { AccessRequirement, IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";

contract RequirementDataTest is BaseTest {
    using stdJson for string;

    function test_Vectors() external {
        // B-05
        string memory json = vm.readFile("tests/vectors/interfaces.json");
        uint256 toolId = _register(address(0));
        uint256 rows = 0;
        for (string memory row = _row(0); json.keyExists(row); row = _row(rows)) {
            bytes4 kind = bytes4(json.readBytes(string.concat(row, ".kind")));
            address collection = json.readAddress(string.concat(row, ".values[0]"));
            uint256 second = kind == 0xbdf8c428 ? 0 : json.readUint(string.concat(row, ".values[1]"));
            if (collection.code.length == 0) vm.etch(collection, hex"00");
            vm.startPrank(creator);
            (AccessRequirement[] memory required,) =
                _configured(kind, toolId, collection, second).getRequirements(toolId);
            vm.stopPrank();
            assertEq(required.length, 1, "number of requirements is not one");
            assertEq(required[0].kind, kind, "kind");
            assertEq(required[0].data, json.readBytes(string.concat(row, ".data")), "data");
            rows++;
        }
        string memory group = vm.split(json, '"requirementData"')[1];
        assertEq(rows, vm.split(group, '"kind":').length - 1, "number of rows run differs from the file");
        assertGt(rows, 0, "no rows were run");
    }

    function _configured(bytes4 kind, uint256 toolId, address collection, uint256 second)
        private
        returns (IAccessPredicate)
    {
        if (kind == 0xbdf8c428) {
            IERC721OwnerPredicate erc721 =
                IERC721OwnerPredicate(_deployArtifact("ERC721OwnerPredicate", abi.encode(registry)));
            address[] memory collections = new address[](1);
            collections[0] = collection;
            erc721.setCollections(toolId, collections);
            return erc721;
        }
        if (kind == 0xcb429230) {
            IERC1155OwnerPredicate erc1155 =
                IERC1155OwnerPredicate(_deployArtifact("ERC1155OwnerPredicate", abi.encode(registry)));
            CollectionTokens[] memory tokens = new CollectionTokens[](1);
            tokens[0].collection = collection;
            tokens[0].tokenIds = new uint256[](1);
            tokens[0].tokenIds[0] = second;
            erc1155.setCollectionTokens(toolId, tokens);
            return erc1155;
        }
        assertEq(kind, bytes4(0x44387cc2), "unknown kind in the vectors");
        ISubscriptionPredicate subscription =
            ISubscriptionPredicate(_deployArtifact("SubscriptionPredicate", abi.encode(registry)));
        subscription.configureToolGating(toolId, collection, uint8(second));
        return subscription;
    }

    function _row(uint256 index) private pure returns (string memory) {
        return string.concat(".requirementData[", vm.toString(index), "]");
    }
}
