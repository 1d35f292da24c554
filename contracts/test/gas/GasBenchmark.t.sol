// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Vm } from "forge-std/Vm.sol";
import { ToolRegistry } from "src/ToolRegistry.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { GasMeter } from "test/gas/GasMeter.sol";

/// @notice The predicate of the benchmark: grants access to every account at the lowest cost possible in plain Solidity.
contract MinimalGrantingPredicate {
    function supportsInterface(bytes4) external pure returns (bool) {
        return true;
    }

    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }
}

/// @notice Gas of the registry.
/// @dev Setup, so that figures are comparable: two tools are registered (the counter is not zero), tool 1 open and tool 2
///      gated, with nonzero hashes. `newSlots` counts slots that change from zero to nonzero.
contract GasBenchmarkTest is GasMeter {
    /// @dev 67 bytes, well-known form.
    string internal constant URI = "https://tools.example.com/.well-known/ai-tool/nft-price-oracle.json";
    string internal constant OTHER_URI = "https://tools.example.com/.well-known/ai-tool/nft-floor-oracle.json";
    string internal constant URI_29 = "https://t.example.com/m1.json";
    string internal constant URI_67_PLAIN = "https://tools.example.com/well-known/ai-tools/nft-price-oracle.json";

    bytes32 internal constant HASH = keccak256("manifest");
    bytes32 internal constant OTHER_HASH = keccak256("other manifest");
    uint256 internal constant OPEN_TOOL = 1;
    uint256 internal constant GATED_TOOL = 2;

    ToolRegistry internal registry;
    string internal uriBefore;
    address internal predicate;
    address internal otherPredicate;

    function setUp() public {
        predicate = address(new MinimalGrantingPredicate());
        otherPredicate = address(new MinimalGrantingPredicate());
        _registerTwo(URI);
    }

    /* CALLS MEASURED BY THE REFERENCE */

    function test_Gas_registerTool_open() public {
        _measure("registerTool, open", abi.encodeCall(IToolRegistry.registerTool, (URI, HASH, address(0))));
    }

    function test_Gas_registerTool_gated() public {
        _measure("registerTool, gated", abi.encodeCall(IToolRegistry.registerTool, (URI, HASH, predicate)));
    }

    function test_Gas_updateToolMetadata_both() public {
        _measure(
            "updateToolMetadata, both changed",
            abi.encodeCall(IToolRegistry.updateToolMetadata, (OPEN_TOOL, OTHER_URI, OTHER_HASH))
        );
    }

    function test_Gas_updateToolMetadata_hashOnly() public {
        _measure(
            "updateToolMetadata, hash only",
            abi.encodeCall(IToolRegistry.updateToolMetadata, (OPEN_TOOL, URI, OTHER_HASH))
        );
    }

    function test_Gas_updateToolMetadata_same() public {
        _measure("updateToolMetadata, same", abi.encodeCall(IToolRegistry.updateToolMetadata, (OPEN_TOOL, URI, HASH)));
    }

    function test_Gas_setAccessPredicate_zeroToP() public {
        _measure("setAccessPredicate, 0 to p", abi.encodeCall(IToolRegistry.setAccessPredicate, (OPEN_TOOL, predicate)));
    }

    function test_Gas_setAccessPredicate_pToQ() public {
        _measure(
            "setAccessPredicate, p to q", abi.encodeCall(IToolRegistry.setAccessPredicate, (GATED_TOOL, otherPredicate))
        );
    }

    function test_Gas_setAccessPredicate_pToZero() public {
        _measure(
            "setAccessPredicate, p to 0", abi.encodeCall(IToolRegistry.setAccessPredicate, (GATED_TOOL, address(0)))
        );
    }

    function test_Gas_deregisterTool_open() public {
        _measure("deregisterTool, open", abi.encodeCall(IToolRegistry.deregisterTool, (OPEN_TOOL)));
    }

    function test_Gas_deregisterTool_gated() public {
        _measure("deregisterTool, gated", abi.encodeCall(IToolRegistry.deregisterTool, (GATED_TOOL)));
    }

    function test_Gas_getToolConfig_open() public {
        _measure("getToolConfig, open", abi.encodeCall(IToolRegistry.getToolConfig, (OPEN_TOOL)));
    }

    function test_Gas_getToolConfig_gated() public {
        _measure("getToolConfig, gated", abi.encodeCall(IToolRegistry.getToolConfig, (GATED_TOOL)));
    }

    function test_Gas_tryHasAccess_open() public {
        _measure("tryHasAccess, open", abi.encodeCall(IToolRegistry.tryHasAccess, (OPEN_TOOL, address(this), "")));
    }

    function test_Gas_tryHasAccess_gated() public {
        _measure("tryHasAccess, gated", abi.encodeCall(IToolRegistry.tryHasAccess, (GATED_TOOL, address(this), "")));
    }

    function test_Gas_tryHasAccess_readsOneSlot() public {
        for (uint256 toolId = OPEN_TOOL; toolId <= GATED_TOOL; toolId++) {
            vm.record();
            registry.tryHasAccess(toolId, address(this), "");
            (bytes32[] memory reads,) = vm.accesses(address(registry));
            assertEq(reads.length, 1, "an access check must read exactly one registry slot");
            vm.snapshotValue(
                "ToolRegistry.reads", toolId == OPEN_TOOL ? "tryHasAccess, open" : "tryHasAccess, gated", reads.length
            );
        }
    }

    /// @dev Gas of the deployment transaction: 21,000, the init code as calldata, and CREATE. The overhead of the measuring
    ///      code is found by creating an empty contract, which costs 32,000.
    /// forge-config: default.isolate = false
    function test_Gas_deployment() public {
        bytes memory initCode = type(ToolRegistry).creationCode;
        bytes[2] memory codes = [bytes(""), initCode];
        uint256[2] memory used;
        address created;
        for (uint256 i = 0; i < 2; i++) {
            (used[i], created) = _create(codes[i]);
        }
        uint256 createGas = used[1] - (used[0] - 32_000);
        vm.snapshotValue("ToolRegistry.transaction", "deployment", 21_000 + _calldataGas(initCode) + createGas);
        vm.snapshotValue("ToolRegistry.bytes", "runtime", created.code.length);
        vm.snapshotValue("ToolRegistry.bytes", "init code", initCode.length);
    }

    /* OTHER URIS */

    function test_Gas_registerTool_uri29() public {
        _measureRegister("29-byte URI", URI_29, 29);
    }

    function test_Gas_registerTool_uri67Plain() public {
        _measureRegister("67-byte URI, not well-known", URI_67_PLAIN, 67);
    }

    function test_Gas_registerTool_uri2048() public {
        _measureRegister("2,048-byte URI", _longUri(), 2048);
    }

    function test_Gas_getToolConfig_uri29() public {
        _measureRead("29-byte URI", URI_29);
    }

    function test_Gas_getToolConfig_uri67Plain() public {
        _measureRead("67-byte URI, not well-known", URI_67_PLAIN);
    }

    function test_Gas_getToolConfig_uri2048() public {
        _measureRead("2,048-byte URI", _longUri());
    }

    function test_Gas_deregisterTool_uri29() public {
        _measureDeregister("29-byte URI", URI_29);
    }

    function test_Gas_deregisterTool_uri67Plain() public {
        _measureDeregister("67-byte URI, not well-known", URI_67_PLAIN);
    }

    function test_Gas_deregisterTool_uri2048() public {
        _measureDeregister("2,048-byte URI", _longUri());
    }

    /* MEASURING */

    function _measureRegister(string memory label, string memory uri, uint256 length) internal {
        assertEq(bytes(uri).length, length, "wrong URI length");
        _measure(
            string.concat("registerTool, open, ", label),
            abi.encodeCall(IToolRegistry.registerTool, (uri, HASH, address(0)))
        );
    }

    function _measureRead(string memory label, string memory uri) internal {
        _registerTwo(uri);
        _measure(
            string.concat("getToolConfig, open, ", label), abi.encodeCall(IToolRegistry.getToolConfig, (OPEN_TOOL))
        );
    }

    function _measureDeregister(string memory label, string memory uri) internal {
        _registerTwo(uri);
        _measure(
            string.concat("deregisterTool, open, ", label), abi.encodeCall(IToolRegistry.deregisterTool, (OPEN_TOOL))
        );
    }

    function _measure(string memory label, bytes memory call) internal {
        (uint256 transaction, uint256 execution) = _call(address(registry), call);
        vm.snapshotValue("ToolRegistry.transaction", label, transaction);
        vm.snapshotValue("ToolRegistry.execution", label, execution);
        vm.snapshotValue("ToolRegistry.newSlots", label, _newSlots(call));
    }

    /// @dev Repeats the call on a new registry, because recording warms the recorded slots.
    function _newSlots(bytes memory call) internal returns (uint256 count) {
        _registerTwo(uriBefore);
        vm.startStateDiffRecording();
        (bool success,) = address(registry).call(call);
        assertTrue(success, "the recorded call reverted");
        Vm.AccountAccess[] memory accesses = vm.stopAndReturnStateDiff();
        for (uint256 i = 0; i < accesses.length; i++) {
            Vm.StorageAccess[] memory slots = accesses[i].storageAccesses;
            for (uint256 j = 0; j < slots.length; j++) {
                if (slots[j].isWrite && slots[j].previousValue == 0 && slots[j].newValue != 0) count++;
            }
        }
    }

    function _create(bytes memory initCode) internal returns (uint256 used, address created) {
        assembly ("memory-safe") {
            let before := gas()
            created := create(0, add(initCode, 0x20), mload(initCode))
            used := sub(before, gas())
        }
    }

    function _registerTwo(string memory uri) internal {
        uriBefore = uri;
        registry = new ToolRegistry();
        registry.registerTool(uri, HASH, address(0));
        registry.registerTool(uri, HASH, predicate);
    }

    function _longUri() internal pure returns (string memory) {
        bytes memory uri = new bytes(2048);
        for (uint256 i = 0; i < uri.length; i++) {
            uri[i] = bytes1(uint8(97 + i % 26));
        }
        return string(uri);
    }
}
