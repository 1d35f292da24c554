// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ToolHeader, ToolSlotsLib } from "src/libraries/ToolSlotsLib.sol";

contract ToolSlotsLibHarness {
    function create(address creatorAddress, string calldata uri, bytes32 hash, address predicateAddress)
        external
        returns (uint256)
    {
        return ToolSlotsLib.create(creatorAddress, uri, hash, predicateAddress);
    }

    function setMetadata(uint256 toolId, string calldata uri, bytes32 hash) external returns (bool) {
        return ToolSlotsLib.headerOf(toolId).setMetadata(toolId, uri, hash);
    }

    function setPredicate(uint256 toolId, address creatorAddress, address predicateAddress) external {
        ToolSlotsLib.headerOf(toolId).setPredicate(toolId, creatorAddress, predicateAddress);
    }

    function deregister(uint256 toolId) external {
        ToolSlotsLib.headerOf(toolId).deregister(toolId);
    }

    function count() external view returns (uint256) {
        return ToolSlotsLib.count();
    }

    function headerOf(uint256 toolId) external view returns (ToolHeader) {
        return ToolSlotsLib.headerOf(toolId);
    }

    function isLive(uint256 toolId) external view returns (bool) {
        return ToolSlotsLib.headerOf(toolId).isLive();
    }

    function isDeregistered(uint256 toolId) external view returns (bool) {
        return ToolSlotsLib.headerOf(toolId).isDeregistered();
    }

    function predicate(uint256 toolId) external view returns (address) {
        return ToolSlotsLib.headerOf(toolId).predicate();
    }

    function creator(uint256 toolId) external view returns (address) {
        return ToolSlotsLib.headerOf(toolId).creator(toolId);
    }

    function accounts(uint256 toolId) external view returns (address creatorAddress, address predicateAddress) {
        return ToolSlotsLib.headerOf(toolId).accounts(toolId);
    }

    function manifestHash(uint256 toolId) external view returns (bytes32) {
        return ToolSlotsLib.manifestHash(toolId);
    }

    function metadataURI(uint256 toolId) external view returns (string memory) {
        return ToolSlotsLib.headerOf(toolId).metadataURI(toolId);
    }
}
