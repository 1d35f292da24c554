// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ToolConfig } from "src/interfaces/IToolRegistry.sol";

/// @dev What was done to the registry, as told by the handler: the state it must be in.
contract ToolRegistryStore {
    /// @dev How many registrations succeeded, and so the highest id.
    uint256 public registrations;

    /// @dev How many handler entries were called, and the tool the last one was about.
    uint256 public calls;
    uint256 public lastTool;

    mapping(bytes4 entry => uint256) public callsOf;
    mapping(uint256 toolId => bool) public isRemoved;
    mapping(uint256 toolId => address) public firstCreator;
    mapping(uint256 toolId => ToolConfig) private _configs;

    function configOf(uint256 toolId) external view returns (ToolConfig memory) {
        return _configs[toolId];
    }

    function isLive(uint256 toolId) public view returns (bool) {
        return toolId != 0 && toolId <= registrations && !isRemoved[toolId];
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

    function removeTool(uint256 toolId) external {
        delete _configs[toolId];
        isRemoved[toolId] = true;
        lastTool = toolId;
    }
}
