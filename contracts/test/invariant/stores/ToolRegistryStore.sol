// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ToolConfig } from "src/interfaces/IToolRegistry.sol";

/// @dev The expected state of the registry, as recorded by the handler.
contract ToolRegistryStore {
    /// @dev Number of successful registrations, which is the highest id.
    uint256 public registrations;

    /// @dev Number of handler calls, and the tool of the last one.
    uint256 public calls;
    uint256 public lastTool;

    mapping(bytes4 entry => uint256) public callsOf;
    mapping(uint256 toolId => bool) public isDeregistered;
    mapping(uint256 toolId => address) public firstCreator;
    mapping(uint256 toolId => ToolConfig) private _configs;

    function configOf(uint256 toolId) external view returns (ToolConfig memory) {
        return _configs[toolId];
    }

    function isLive(uint256 toolId) public view returns (bool) {
        return toolId != 0 && toolId <= registrations && !isDeregistered[toolId];
    }

    function addCall(bytes4 entry) external {
        calls++;
        callsOf[entry]++;
    }

    function addTool(uint256 toolId, ToolConfig calldata config) external {
        registrations++;
        firstCreator[toolId] = config.creator;
        _configs[toolId] = config;
        lastTool = toolId;
    }

    function setMetadata(uint256 toolId, string calldata uri, bytes32 hash) external {
        _configs[toolId].metadataURI = uri;
        _configs[toolId].manifestHash = hash;
        lastTool = toolId;
    }

    function setPredicate(uint256 toolId, address predicate) external {
        _configs[toolId].accessPredicate = predicate;
        lastTool = toolId;
    }

    function deregisterTool(uint256 toolId) external {
        delete _configs[toolId];
        isDeregistered[toolId] = true;
        lastTool = toolId;
    }
}
