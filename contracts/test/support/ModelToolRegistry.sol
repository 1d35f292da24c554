// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IToolRegistry, ToolConfig } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @title ModelToolRegistry
/// @notice A model of `ToolRegistry`: the same rules in simple Solidity. Constants are written out and nothing is imported
///         from `src/libraries`, so that the two do not share bugs.
contract ModelToolRegistry is IToolRegistry, IERC165 {
    uint256 public toolCount;
    mapping(uint256 toolId => ToolConfig) private _tools;
    mapping(uint256 toolId => bool) private _deregistered;

    function registerTool(string calldata metadataURI, bytes32 manifestHash, address accessPredicate)
        external
        returns (uint256 toolId)
    {
        _checkMetadata(metadataURI, manifestHash);
        _checkPredicate(accessPredicate);

        toolCount = toolCount + 1;
        toolId = toolCount;
        _tools[toolId] = ToolConfig({
            creator: msg.sender, metadataURI: metadataURI, manifestHash: manifestHash, accessPredicate: accessPredicate
        });
        emit ToolRegistered(toolId, msg.sender, accessPredicate, metadataURI, manifestHash);
    }

    function deregisterTool(uint256 toolId) external {
        _checkTool(toolId);
        _checkCreator(toolId);

        delete _tools[toolId];
        _deregistered[toolId] = true;
        emit ToolDeregistered(toolId);
    }

    function updateToolMetadata(uint256 toolId, string calldata newURI, bytes32 newHash) external {
        _checkTool(toolId);
        _checkCreator(toolId);
        _checkMetadata(newURI, newHash);

        ToolConfig storage tool = _tools[toolId];
        bool sameURI = keccak256(bytes(tool.metadataURI)) == keccak256(bytes(newURI));
        bool sameHash = tool.manifestHash == newHash;
        if (sameURI && sameHash) return;

        tool.metadataURI = newURI;
        tool.manifestHash = newHash;
        emit ToolMetadataUpdated(toolId, newURI, newHash);
    }

    function setAccessPredicate(uint256 toolId, address newPredicate) external {
        _checkTool(toolId);
        _checkCreator(toolId);
        if (_tools[toolId].accessPredicate == newPredicate) return;
        _checkPredicate(newPredicate);

        _tools[toolId].accessPredicate = newPredicate;
        emit AccessPredicateUpdated(toolId, newPredicate);
    }

    function getToolConfig(uint256 toolId) external view returns (ToolConfig memory) {
        _checkTool(toolId);
        return _tools[toolId];
    }

    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        (bool ok, bool granted) = tryHasAccess(toolId, account, data);
        return ok && granted;
    }

    function tryHasAccess(uint256 toolId, address account, bytes calldata data)
        public
        view
        returns (bool ok, bool granted)
    {
        _checkTool(toolId);
        address predicate = _tools[toolId].accessPredicate;
        if (predicate == address(0)) return (true, true);

        (bool success, uint256 length, uint256 firstWord) =
            _staticcall(predicate, 200_000, abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data)));
        if (!success) return (false, false);
        if (length != 32) return (false, false);
        if (firstWord == 1) return (true, true);
        if (firstWord == 0) return (true, false);
        return (false, false);
    }

    function name() external pure returns (string memory) {
        return "ToolRegistry";
    }

    function version() external pure returns (string memory) {
        return "1.0";
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == 0xf1dc8075 || interfaceId == 0x01ffc9a7;
    }

    function _checkTool(uint256 toolId) private view {
        if (toolId == 0 || toolId > toolCount) revert ToolNotFound(toolId);
        if (_deregistered[toolId]) revert ToolIsDeregistered(toolId);
    }

    function _checkCreator(uint256 toolId) private view {
        if (_tools[toolId].creator != msg.sender) revert NotToolCreator(toolId, msg.sender);
    }

    function _checkMetadata(string calldata uri, bytes32 hash) private pure {
        if (bytes(uri).length == 0) revert InvalidMetadataURI();
        if (bytes(uri).length > 2048) revert InvalidMetadataURI();
        if (hash == bytes32(0)) revert InvalidManifestHash();
    }

    function _checkPredicate(address predicate) private view {
        // Step 1: an open tool.
        if (predicate == address(0)) return;
        // Step 2: no code yet.
        if (predicate.code.length == 0) return;
        // Steps 3 and 4: does not support ERC-165.
        if (!_supports(predicate, 0x01ffc9a7)) return;
        // Step 5: supports ERC-165, so it must support IAccessPredicate.
        if (!_supports(predicate, 0xbdf9dc18)) revert InvalidAccessPredicate(predicate);
    }

    function _supports(address predicate, bytes4 interfaceId) private view returns (bool) {
        // A probe with less than its full gas limit is inconclusive.
        if (gasleft() < 35_000) revert InvalidAccessPredicate(predicate);
        (bool success, uint256 length, uint256 firstWord) =
            _staticcall(predicate, 30_000, abi.encodeCall(IERC165.supportsInterface, (interfaceId)));
        return success && length >= 32 && firstWord == 1;
    }

    /// @dev Assembly, because Solidity's `staticcall` copies all return data.
    function _staticcall(address target, uint256 stipend, bytes memory callData)
        private
        view
        returns (bool success, uint256 length, uint256 firstWord)
    {
        assembly ("memory-safe") {
            success := staticcall(stipend, target, add(callData, 32), mload(callData), 0, 32)
            length := returndatasize()
            firstWord := mload(0)
        }
    }
}
