// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { SymbolicTest } from "test/symbolic/SymbolicTest.sol";

contract Metadata is SymbolicTest {
    uint256 private constant COUNT = 7;

    /// @dev What was there before has no part in this: slots of a tool that is not yet registered are empty.
    function setUp() public override {
        registry = IToolRegistry(_deployShipped("ToolRegistry", ""));
        _store(COUNT_SLOT, COUNT);
    }

    /// @custom:halmos --array-lengths uri={1,8,9,10}
    function check_EveryShortURISurvives(address caller, string calldata uri, bytes32 hash) public {
        _registerAndReadBack(caller, uri, hash);
    }

    /// @custom:halmos --array-lengths uri={0,1,32,2048,2049,2080}
    function check_OnlyURIsWithinTheLimitAreTaken(uint64 toolId, string calldata uri, bytes32 hash) public {
        vm.assume(bytes(uri).length == 0 || bytes(uri).length > LONGEST_TEXT);
        (bool success, bytes memory answer) =
            _callAs(address(this), abi.encodeCall(registry.registerTool, (uri, hash, address(0))));
        assert(!success && bytes4(answer) == IToolRegistry.InvalidMetadataURI.selector);
        _store(_slot(toolId, 0), LIVE | uint160(address(this)));
        (success, answer) = _callAs(address(this), abi.encodeCall(registry.updateToolMetadata, (toolId, uri, hash)));
        assert(!success && bytes4(answer) == IToolRegistry.InvalidMetadataURI.selector);
    }

    function _registerAndReadBack(address caller, string memory uri, bytes32 hash) private {
        (bool success,) = _callAs(caller, abi.encodeCall(registry.registerTool, (uri, hash, address(0))));
        if (!success) return;
        ToolConfig memory config = registry.getToolConfig(COUNT + 1);
        assert(bytes(config.metadataURI).length == bytes(uri).length);
        assert(keccak256(bytes(config.metadataURI)) == keccak256(bytes(uri)));
        assert(config.manifestHash == hash && config.creator == caller && config.accessPredicate == address(0));
    }
}
