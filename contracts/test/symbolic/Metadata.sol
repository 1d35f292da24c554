// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { SymbolicTest } from "test/symbolic/SymbolicTest.sol";

contract Metadata is SymbolicTest {
    uint256 private constant COUNT = 7;
    address private constant NO_CODE = address(uint160(1 << 100));

    /// @dev What stands in the header. A URI that begins like this is not abbreviated, whatever follows.
    bytes9 private constant HEAD = "ipfs:////";

    /// @dev What was there before has no part in this: slots of a tool that is not yet registered are empty.
    function setUp() public override {
        registry = IToolRegistry(_deployShipped("ToolRegistry", ""));
        _store(COUNT_SLOT, COUNT);
    }

    /// @custom:halmos --array-lengths uri={1,8,9,10}
    function check_EveryShortURISurvives(address caller, string calldata uri, bytes32 hash) public {
        _registerAndReadBack(caller, uri, hash, address(0));
    }

    /// @dev With the nine bytes of the header before it, one slot full, one more begun, two full, one more begun.
    /// @custom:halmos --array-lengths tail={32,33,64,65}
    function check_EveryPartHasASlotOfItsOwn(address caller, bytes calldata tail, bytes32 hash, bool gated) public {
        _registerAndReadBack(caller, string(bytes.concat(HEAD, tail)), hash, gated ? NO_CODE : address(0));
    }

    /// @dev The first byte of every slot is known, or each of the 64 could be empty or not.
    /// @custom:halmos --array-lengths tail=2039
    function check_EveryWordOfTheLongestURIHasASlotOfItsOwn(address caller, bytes memory tail, bytes32 hash) public {
        for (uint256 i = 0; i < tail.length; i += 32) {
            tail[i] = "x";
        }
        _registerAndReadBack(caller, string(bytes.concat(HEAD, tail)), hash, NO_CODE);
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

    function _registerAndReadBack(address caller, string memory uri, bytes32 hash, address predicate) private {
        (bool success,) = _callAs(caller, abi.encodeCall(registry.registerTool, (uri, hash, predicate)));
        if (!success) return;
        ToolConfig memory config = registry.getToolConfig(COUNT + 1);
        assert(bytes(config.metadataURI).length == bytes(uri).length);
        assert(keccak256(bytes(config.metadataURI)) == keccak256(bytes(uri)));
        assert(config.manifestHash == hash && config.creator == caller && config.accessPredicate == predicate);
    }
}
