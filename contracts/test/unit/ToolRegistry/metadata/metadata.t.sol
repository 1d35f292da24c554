// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { stdJson } from "forge-std/StdJson.sol";
import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { BaseTest } from "test/BaseTest.sol";

contract MetadataTest is BaseTest {
    using stdJson for string;

    function test_NameAndVersion() external view {
        // A-19
        assertEq(registry.name(), "ToolRegistry", "name");
        assertEq(registry.version(), "1.0", "version");
    }

    function test_WhenInterfaceIsSupported() external view {
        // A-20
        assertTrue(registry.supportsInterface(0xf1dc8075), "IToolRegistry");
        assertTrue(registry.supportsInterface(0x01ffc9a7), "IERC165");
    }

    function test_WhenInterfaceIsNotSupported() external view {
        // A-20
        assertFalse(registry.supportsInterface(0xffffffff), "0xffffffff");
        assertFalse(registry.supportsInterface(0x00000000), "zero");
        assertFalse(registry.supportsInterface(0xbdf9dc18), "IAccessPredicate");
        assertFalse(registry.supportsInterface(bytes4(0xf1dc8075) ^ 0x01ffc9a7), "XOR of both ids");
    }

    function test_Vectors_Functions() external view {
        // A-21
        string memory json = vm.readFile("tests/vectors/interfaces.json");
        bytes4[10] memory selectors = _selectors();
        bytes4 id = 0;
        for (uint256 i = 0; i < selectors.length; i++) {
            string memory row = string.concat(".ids[0].functions[", vm.toString(i), "]");
            bytes4 published = bytes4(json.readBytes(string.concat(row, ".selector")));
            assertEq(published, selectors[i], row);
            assertEq(
                published, bytes4(keccak256(bytes(json.readString(string.concat(row, ".signature"))))), "signature"
            );
            id ^= published;
        }
        assertFalse(json.keyExists(".ids[0].functions[10]"), "untested functions in the vectors");
        assertEq(json.readString(".ids[0].name"), "IToolRegistry", "name of the first interface");
        assertEq(bytes4(json.readBytes(".ids[0].id")), id, "interface id is not the XOR of the selectors");
        assertEq(type(IToolRegistry).interfaceId, id, "IToolRegistry");
        assertEq(type(IAccessPredicate).interfaceId, bytes4(json.readBytes(".ids[1].id")), "IAccessPredicate");
        assertEq(type(IERC165).interfaceId, bytes4(json.readBytes(".ids[3].id")), "IERC165");
    }

    function test_Vectors_Events() external view {
        // A-21
        string memory json = vm.readFile("tests/vectors/interfaces.json");
        bytes32[4] memory topics = [
            IToolRegistry.ToolRegistered.selector,
            IToolRegistry.ToolMetadataUpdated.selector,
            IToolRegistry.AccessPredicateUpdated.selector,
            IToolRegistry.ToolDeregistered.selector
        ];
        for (uint256 i = 0; i < topics.length; i++) {
            string memory row = string.concat(".events[", vm.toString(i), "]");
            assertEq(json.readBytes32(string.concat(row, ".topic0")), topics[i], row);
        }
        assertFalse(json.keyExists(".events[4]"), "untested events in the vectors");
    }

    function test_Vectors_Errors() external view {
        // A-21
        string memory json = vm.readFile("tests/vectors/interfaces.json");
        bytes4[6] memory selectors = [
            IToolRegistry.ToolNotFound.selector,
            IToolRegistry.NotToolCreator.selector,
            IToolRegistry.InvalidMetadataURI.selector,
            IToolRegistry.InvalidManifestHash.selector,
            IToolRegistry.InvalidAccessPredicate.selector,
            IToolRegistry.ToolIsDeregistered.selector
        ];
        for (uint256 i = 0; i < selectors.length; i++) {
            string memory row = string.concat(".errors[", vm.toString(i), "]");
            assertEq(bytes4(json.readBytes(string.concat(row, ".selector"))), selectors[i], row);
        }
        assertFalse(json.keyExists(".errors[6]"), "untested errors in the vectors");
    }

    function test_RevertWhen_FunctionIsUnknown() external {
        bytes4[6] memory unknown = [bytes4(0), 0xffffffff, 0xfe1d0b17, 0x1ce77540, 0x8da5cb5b, 0x3659cfe6];
        for (uint256 i = 0; i < unknown.length; i++) {
            (bool success, bytes memory returndata) = _call(creator, abi.encodePacked(unknown[i], new bytes(128)));
            assertRevert(success, returndata, "");
        }
        (bool emptySuccess, bytes memory emptyReturndata) = _call(creator, "");
        assertRevert(emptySuccess, emptyReturndata, "");
    }

    function test_RevertWhen_ValueIsSent() external {
        // A-24, T-05
        uint256 toolId = _register(address(0));
        bytes[6] memory onTool = _callsOn(toolId);
        bytes[13] memory calls;
        for (uint256 i = 0; i < onTool.length; i++) {
            calls[i] = onTool[i];
        }
        calls[6] = abi.encodeCall(registry.registerTool, (METADATA_URI, MANIFEST_HASH, address(0)));
        calls[7] = abi.encodeCall(registry.toolCount, ());
        calls[8] = abi.encodeCall(registry.name, ());
        calls[9] = abi.encodeCall(registry.version, ());
        calls[10] = abi.encodeCall(registry.supportsInterface, (0x01ffc9a7));
        calls[11] = hex"01020304";
        vm.deal(creator, 100 ether);
        for (uint256 i = 0; i < calls.length; i++) {
            vm.prank(creator);
            (bool success, bytes memory returndata) = address(registry).call{ value: 1 }(calls[i]);
            assertRevert(success, returndata, "");
        }
        assertEq(address(registry).balance, 0, "the registry accepted value");
        assertConfig(registry, toolId, _config(creator, METADATA_URI, MANIFEST_HASH, address(0)));
    }

    function _selectors() private pure returns (bytes4[10] memory) {
        return [
            IToolRegistry.registerTool.selector,
            IToolRegistry.deregisterTool.selector,
            IToolRegistry.updateToolMetadata.selector,
            IToolRegistry.setAccessPredicate.selector,
            IToolRegistry.getToolConfig.selector,
            IToolRegistry.hasAccess.selector,
            IToolRegistry.tryHasAccess.selector,
            IToolRegistry.toolCount.selector,
            IToolRegistry.name.selector,
            IToolRegistry.version.selector
        ];
    }

    function test_BytecodeMatchesArtifacts() external view {
        string memory build = vm.readFile("crates/bindings/artifacts/build.json");
        string[] memory names = vm.parseJsonKeys(build, ".contracts");
        assertGt(names.length, 9);
        for (uint256 i = 0; i < names.length; i++) {
            string memory artifact = vm.readFile(string.concat("crates/bindings/artifacts/", names[i], ".json"));
            bytes memory committed = vm.parseJsonBytes(artifact, ".bytecode");
            assertEq(_artifactCode(names[i]), committed, string.concat(names[i], ": run make artifacts"));
        }
    }
}
