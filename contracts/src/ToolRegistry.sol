// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { IAccessPredicate } from "./interfaces/IAccessPredicate.sol";
import { IToolRegistry, ToolConfig } from "./interfaces/IToolRegistry.sol";
import { IERC165 } from "./interfaces/external/IERC165.sol";
import { ConstantsLib } from "./libraries/ConstantsLib.sol";
import { InterfaceProbeLib } from "./libraries/InterfaceProbeLib.sol";
import { PredicateCallLib } from "./libraries/PredicateCallLib.sol";
import { ToolHeader, ToolSlotsLib } from "./libraries/ToolSlotsLib.sol";

/// @title ToolRegistry
/// @notice The ERC-8257 registry. It has no owner, proxy, pause or fee.
/// @dev `IToolRegistry` documents the functions and `ToolSlotsLib` the storage layout. The only external calls of
///      state-changing functions are the static ERC-165 queries to a new predicate, before the first write. Results of
///      predicates are never stored.
contract ToolRegistry is IToolRegistry, IERC165 {
    /* STATE-CHANGING FUNCTIONS */

    /// @inheritdoc IToolRegistry
    function registerTool(string calldata metadataURI, bytes32 manifestHash, address accessPredicate)
        external
        returns (uint256 toolId)
    {
        _requireValidMetadata(metadataURI, manifestHash);
        _requireValidPredicate(accessPredicate);

        toolId = ToolSlotsLib.create(msg.sender, metadataURI, manifestHash, accessPredicate);
        emit ToolRegistered(toolId, msg.sender, accessPredicate, metadataURI, manifestHash);
    }

    /// @inheritdoc IToolRegistry
    function deregisterTool(uint256 toolId) external {
        ToolHeader tool = _requireLiveTool(toolId);
        _requireCreator(tool, toolId);

        tool.deregister(toolId);
        emit ToolDeregistered(toolId);
    }

    /// @inheritdoc IToolRegistry
    function updateToolMetadata(uint256 toolId, string calldata newURI, bytes32 newHash) external {
        ToolHeader tool = _requireLiveTool(toolId);
        _requireCreator(tool, toolId);
        _requireValidMetadata(newURI, newHash);

        if (tool.setMetadata(toolId, newURI, newHash)) emit ToolMetadataUpdated(toolId, newURI, newHash);
    }

    /// @inheritdoc IToolRegistry
    function setAccessPredicate(uint256 toolId, address newPredicate) external {
        ToolHeader tool = _requireLiveTool(toolId);
        _requireCreator(tool, toolId);
        if (newPredicate == tool.predicate()) return;
        _requireValidPredicate(newPredicate);

        tool.setPredicate(toolId, msg.sender, newPredicate);
        emit AccessPredicateUpdated(toolId, newPredicate);
    }

    /* VIEW FUNCTIONS */

    /// @inheritdoc IToolRegistry
    function getToolConfig(uint256 toolId) external view returns (ToolConfig memory config) {
        ToolHeader tool = _requireLiveTool(toolId);
        (config.creator, config.accessPredicate) = tool.accounts(toolId);
        config.metadataURI = tool.metadataURI(toolId);
        config.manifestHash = ToolSlotsLib.manifestHash(toolId);
    }

    /// @inheritdoc IToolRegistry
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        (bool ok, bool granted) = tryHasAccess(toolId, account, data);
        return ok && granted;
    }

    /// @inheritdoc IToolRegistry
    function tryHasAccess(uint256 toolId, address account, bytes calldata data)
        public
        view
        returns (bool ok, bool granted)
    {
        address predicate = _requireLiveTool(toolId).predicate();
        if (predicate == address(0)) return (true, true);
        return PredicateCallLib.tryHasAccess(predicate, toolId, account, data);
    }

    /// @inheritdoc IToolRegistry
    function toolCount() external view returns (uint256) {
        return ToolSlotsLib.count();
    }

    /// @inheritdoc IToolRegistry
    function name() external pure returns (string memory) {
        return "ToolRegistry";
    }

    /// @inheritdoc IToolRegistry
    function version() external pure returns (string memory) {
        return "1.0";
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IToolRegistry).interfaceId || interfaceId == type(IERC165).interfaceId;
    }

    /* VALIDATION */

    function _requireLiveTool(uint256 toolId) private view returns (ToolHeader tool) {
        tool = ToolSlotsLib.headerOf(toolId);
        if (!tool.isLive()) {
            if (tool.isDeregistered()) revert ToolIsDeregistered(toolId);
            revert ToolNotFound(toolId);
        }
    }

    function _requireCreator(ToolHeader tool, uint256 toolId) private view {
        if (msg.sender != tool.creator(toolId)) revert NotToolCreator(toolId, msg.sender);
    }

    function _requireValidMetadata(string calldata uri, bytes32 hash) private pure {
        uint256 length = bytes(uri).length;
        if (length == 0 || length > ConstantsLib.MAX_METADATA_URI_BYTES) revert InvalidMetadataURI();
        if (hash == 0) revert InvalidManifestHash();
    }

    /// @dev The five steps of `IToolRegistry.registerTool`. The gas is checked once: if too little is left for the
    ///      second query, it fails and the predicate is rejected with the same error.
    function _requireValidPredicate(address predicate) private view {
        if (predicate == address(0) || predicate.code.length == 0) return;

        if (!InterfaceProbeLib.hasProbeGas()) revert InvalidAccessPredicate(predicate);
        if (!InterfaceProbeLib.supportsInterface(predicate, type(IERC165).interfaceId)) return;
        if (!InterfaceProbeLib.supportsInterface(predicate, type(IAccessPredicate).interfaceId)) {
            revert InvalidAccessPredicate(predicate);
        }
    }
}
