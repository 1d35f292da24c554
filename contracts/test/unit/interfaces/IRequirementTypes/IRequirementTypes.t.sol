// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { stdJson } from "forge-std/StdJson.sol";
import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import {
    IAccessProof,
    IAlwaysDenied,
    IERC1155Holding,
    IERC20Balance,
    IERC721Holding,
    IERC7496Trait,
    IMerkleAllowlist,
    INegatedRequirement,
    INestedRequirements,
    IReadsCallData,
    ISubscription
} from "src/interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { BaseTest } from "test/BaseTest.sol";

/// @notice A marker: its function, its interface id, and the published id.
struct Marker {
    string signature;
    bytes4 compiled;
    bytes4 published;
}

contract IRequirementTypesTest is BaseTest {
    using stdJson for string;

    Marker[] private markers;

    function setUp() public override {
        super.setUp();
        markers.push(Marker("erc721Holding()", type(IERC721Holding).interfaceId, 0xbdf8c428));
        markers.push(Marker("erc1155Holding()", type(IERC1155Holding).interfaceId, 0xcb429230));
        markers.push(Marker("subscription()", type(ISubscription).interfaceId, 0x44387cc2));
        markers.push(Marker("erc20Balance()", type(IERC20Balance).interfaceId, 0x812b02ee));
        markers.push(Marker("erc7496Trait()", type(IERC7496Trait).interfaceId, 0x37d8dc22));
        markers.push(Marker("merkleAllowlist()", type(IMerkleAllowlist).interfaceId, 0xa2d33eab));
        markers.push(Marker("accessProof()", type(IAccessProof).interfaceId, 0x498eb5bb));
        markers.push(Marker("alwaysDenied()", type(IAlwaysDenied).interfaceId, 0xcc79571f));
        markers.push(Marker("negatedRequirement()", type(INegatedRequirement).interfaceId, 0x88ec392b));
        markers.push(Marker("nestedRequirements()", type(INestedRequirements).interfaceId, 0x2f4d5a99));
        markers.push(Marker("readsCallData()", type(IReadsCallData).interfaceId, 0x612d2c12));
    }

    function test_IdsAreSelectors() external view {
        // B-07
        for (uint256 i = 0; i < markers.length; i++) {
            bytes4 selector = bytes4(keccak256(bytes(markers[i].signature)));
            assertEq(markers[i].compiled, selector, markers[i].signature);
        }
    }

    function test_IdsArePinned() external view {
        // B-05, B-06
        for (uint256 i = 0; i < markers.length; i++) {
            assertEq(markers[i].compiled, markers[i].published, markers[i].signature);
        }
        string memory json = vm.readFile("tests/vectors/interfaces.json");
        string[3] memory names = ["IERC721Holding", "IERC1155Holding", "ISubscription"];
        string[3] memory layouts =
            ["(address collection)", "(address collection, uint256 tokenId)", "(address collection, uint8 minTier)"];
        for (uint256 i = 0; i < names.length; i++) {
            string memory row = _rowOf(json, names[i]);
            assertEq(bytes4(json.readBytes(string.concat(row, ".id"))), markers[i].published, names[i]);
            assertEq(json.readString(string.concat(row, ".dataLayout")), layouts[i], names[i]);
        }
    }

    function test_IdsDoNotCollide() external view {
        // B-06
        bytes4[6] memory others = [
            bytes4(0x00000000), // kind of an unknown requirement
            bytes4(0xffffffff), // invalid by ERC-165
            bytes4(0x7a111640), // walletStateAttestation, a third-party kind
            type(IERC165).interfaceId,
            type(IAccessPredicate).interfaceId,
            type(IToolRegistry).interfaceId
        ];
        for (uint256 i = 0; i < markers.length; i++) {
            for (uint256 j = 0; j < i; j++) {
                assertTrue(markers[i].compiled != markers[j].compiled, markers[i].signature);
            }
            for (uint256 j = 0; j < others.length; j++) {
                assertTrue(markers[i].compiled != others[j], markers[i].signature);
            }
        }
        assertEq(bytes4(keccak256("walletStateAttestation()")), bytes4(0x7a111640), "third-party id");
    }

    function test_PredicateId() external pure {
        // B-01
        bytes4 id = bytes4(keccak256("hasAccess(uint256,address,bytes)")) ^ bytes4(keccak256("name()"))
            ^ bytes4(keccak256("getRequirements(uint256)"));
        assertEq(type(IAccessPredicate).interfaceId, id, "id is not the XOR of the three selectors");
        assertEq(id, bytes4(0xbdf9dc18), "id differs from the ERC");
    }

    function _rowOf(string memory json, string memory name) private view returns (string memory) {
        for (uint256 i = 0; i < 32; i++) {
            string memory row = string.concat(".ids[", vm.toString(i), "]");
            if (!json.keyExists(row)) break;
            if (keccak256(bytes(json.readString(string.concat(row, ".name")))) == keccak256(bytes(name))) return row;
        }
        revert(string.concat("no row for ", name));
    }
}
