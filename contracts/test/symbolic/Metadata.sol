// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { SymbolicTest } from "test/symbolic/SymbolicTest.sol";

contract Metadata is SymbolicTest {
    uint256 private constant COUNT = 7;
    address private constant PREDICATE_WITHOUT_CODE = address(uint160(1 << 100));

    /// @dev The first nine bytes of the URI, stored in the header. A URI with this prefix is never compressed.
    bytes9 private constant HEAD = "ipfs:////";

    /// @dev The storage is concrete here: the slots of a tool that is not yet registered are empty.
    function setUp() public override {
        registry = IToolRegistry(_deployShipped("ToolRegistry", ""));
        _store(COUNT_SLOT, COUNT);
    }

    /// @custom:halmos --array-lengths uri={1,8,9,10}
    function check_ShortURIsRoundTrip(address caller, string calldata uri, bytes32 hash) public {
        _registerAndReadBack(caller, uri, hash, address(0));
    }

    /// @dev After the nine bytes in the header, the tail fills one slot, starts a second, fills two, and starts a
    ///      third.
    /// @custom:halmos --array-lengths tail={32,33,64,65}
    function check_PartsOfAToolUseDistinctSlots(address caller, bytes calldata tail, bytes32 hash, bool gated) public {
        _registerAndReadBack(
            caller, string(bytes.concat(HEAD, tail)), hash, gated ? PREDICATE_WITHOUT_CODE : address(0)
        );
    }

    /// @dev The first byte of every slot is concrete. Otherwise each of the 64 slots could be zero or not, which
    ///      doubles the number of paths 64 times.
    /// @custom:halmos --array-lengths tail=2039
    function check_WordsOfTheLongestURIUseDistinctSlots(address caller, bytes memory tail, bytes32 hash) public {
        for (uint256 i = 0; i < tail.length; i += 32) {
            tail[i] = "x";
        }
        _registerAndReadBack(caller, string(bytes.concat(HEAD, tail)), hash, PREDICATE_WITHOUT_CODE);
    }

    /// @custom:halmos --array-lengths uri={0,1,32,2048,2049,2080}
    function check_URIsOutsideTheLengthLimitRevert(uint64 toolId, string calldata uri, bytes32 hash) public {
        vm.assume(bytes(uri).length == 0 || bytes(uri).length > MAX_TEXT_BYTES);
        (bool success, bytes memory returndata) =
            _callAs(address(this), abi.encodeCall(registry.registerTool, (uri, hash, address(0))));
        assert(!success && bytes4(returndata) == IToolRegistry.InvalidMetadataURI.selector);
        _store(_slot(toolId, 0), LIVE | uint160(address(this)));
        (success, returndata) = _callAs(address(this), abi.encodeCall(registry.updateToolMetadata, (toolId, uri, hash)));
        assert(!success && bytes4(returndata) == IToolRegistry.InvalidMetadataURI.selector);
    }

    function _registerAndReadBack(address caller, string memory uri, bytes32 hash, address predicate) private {
        (bool success,) = _callAs(caller, abi.encodeCall(registry.registerTool, (uri, hash, predicate)));
        if (!success) return;
        ToolConfig memory config = registry.getToolConfig(COUNT + 1);
        assert(bytes(config.metadataURI).length == bytes(uri).length);
        assert(keccak256(bytes(config.metadataURI)) == keccak256(bytes(uri)));
        assert(config.manifestHash == hash && config.creator == caller && config.accessPredicate == predicate);
    }
}
