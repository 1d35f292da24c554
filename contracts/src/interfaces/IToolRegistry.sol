// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @notice The onchain configuration of a tool.
/// @param creator         The account that registered the tool. Immutable.
/// @param metadataURI     The URI of the manifest.
/// @param manifestHash    keccak256 of the canonical (RFC 8785) manifest bytes.
/// @param accessPredicate The contract that decides access. The zero address means the tool is open to every account.
struct ToolConfig {
    address creator;
    string metadataURI;
    bytes32 manifestHash;
    address accessPredicate;
}

/// @title IToolRegistry
/// @notice The ERC-8257 registry of tools for AI agents. For each tool it stores the creator, the metadata URI, the
///         hash of the manifest and the access predicate.
/// @dev ERC-165 interface id `0xf1dc8075`. If several conditions for a revert hold, the errors have this precedence:
///      `ToolNotFound`, `ToolIsDeregistered`, `NotToolCreator`, `InvalidMetadataURI`, `InvalidManifestHash`,
///      `InvalidAccessPredicate`. A tool id is unique only in combination with the chain id and the registry address.
interface IToolRegistry {
    /* EVENTS */

    /// @notice Emitted when a tool is registered. Contains the full configuration.
    /// @param toolId          The new tool id.
    /// @param creator         The account that registered the tool.
    /// @param accessPredicate The access predicate, or the zero address for an open tool.
    /// @param metadataURI     The URI of the manifest.
    /// @param manifestHash    keccak256 of the canonical manifest.
    event ToolRegistered(
        uint256 indexed toolId,
        address indexed creator,
        address indexed accessPredicate,
        string metadataURI,
        bytes32 manifestHash
    );

    /// @notice Emitted when the metadata URI or the manifest hash changes. Contains both, even if only one changed.
    /// @param toolId  The tool id.
    /// @param newURI  The new URI of the manifest.
    /// @param newHash keccak256 of the new canonical manifest.
    event ToolMetadataUpdated(uint256 indexed toolId, string newURI, bytes32 newHash);

    /// @notice Emitted when the access predicate changes.
    /// @param toolId       The tool id.
    /// @param newPredicate The new access predicate, or the zero address for an open tool.
    event AccessPredicateUpdated(uint256 indexed toolId, address indexed newPredicate);

    /// @notice Emitted when a tool is deregistered.
    /// @param toolId The tool id.
    event ToolDeregistered(uint256 indexed toolId);

    /* ERRORS */

    /// @notice No tool was ever registered under this id. Id 0 is never assigned.
    /// @param toolId The requested tool id.
    error ToolNotFound(uint256 toolId);

    /// @notice The tool was deregistered. Its id is never reused.
    /// @param toolId The requested tool id.
    error ToolIsDeregistered(uint256 toolId);

    /// @notice The caller is not the creator of the tool.
    /// @param toolId The tool id.
    /// @param caller The unauthorized account.
    error NotToolCreator(uint256 toolId, address caller);

    /// @notice The metadata URI is empty or longer than 2,048 bytes.
    error InvalidMetadataURI();

    /// @notice The manifest hash is zero.
    error InvalidManifestHash();

    /// @notice The predicate supports ERC-165 but does not report support for `IAccessPredicate`, or too little gas is
    ///         left to query it.
    /// @param predicate The rejected address.
    error InvalidAccessPredicate(address predicate);

    /* STATE-CHANGING FUNCTIONS */

    /// @notice Registers a tool. The caller becomes its creator.
    /// @dev Validates `accessPredicate` in five steps:
    ///      1. The zero address is accepted: the tool is open.
    ///      2. An address without code is accepted: the predicate fails until code is deployed there.
    ///      3. `supportsInterface(IERC165)` is called with 30,000 gas. If the call reverts, runs out of gas or does not
    ///         return a bool, the contract does not support ERC-165 and is accepted.
    ///      4. If the call returns false, the contract is accepted for the same reason.
    ///      5. If the call returns true, `supportsInterface(IAccessPredicate)` is called with the same gas limit. The
    ///         contract is accepted if the call returns true and rejected otherwise.
    ///      Only the first 32 bytes of a return value are read; longer return values are allowed.
    ///      Warning: reverts with `InvalidAccessPredicate` if too little gas is left to forward the full 30,000 gas.
    ///      Warning: any contract that does not support ERC-165 is accepted.
    /// @param metadataURI     The URI of the manifest, 1 to 2,048 bytes. Its syntax is not validated.
    /// @param manifestHash    keccak256 of the canonical manifest. Must not be zero.
    /// @param accessPredicate The access predicate, or the zero address for an open tool.
    /// @return toolId The new tool id. Ids are consecutive and start at 1.
    function registerTool(string calldata metadataURI, bytes32 manifestHash, address accessPredicate)
        external
        returns (uint256 toolId);

    /// @notice Deregisters a tool. Only callable by its creator.
    /// @dev Clears the configuration and stores a tombstone. Every later call with this id reverts with
    ///      `ToolIsDeregistered`. Warning: this is irreversible. To pause a tool, set a predicate that denies every
    ///      account.
    /// @param toolId The tool id.
    function deregisterTool(uint256 toolId) external;

    /// @notice Sets the metadata URI and the manifest hash. Only callable by the creator.
    /// @dev If both are unchanged, nothing is written and no event is emitted.
    /// @param toolId  The tool id.
    /// @param newURI  The URI of the manifest, 1 to 2,048 bytes.
    /// @param newHash keccak256 of the canonical manifest. Must not be zero.
    function updateToolMetadata(uint256 toolId, string calldata newURI, bytes32 newHash) external;

    /// @notice Sets the access predicate. Only callable by the creator.
    /// @dev Validates the predicate like `registerTool`. If the predicate is unchanged, it is not validated, nothing is
    ///      written and no event is emitted.
    /// @param toolId       The tool id.
    /// @param newPredicate The new access predicate, or the zero address for an open tool.
    function setAccessPredicate(uint256 toolId, address newPredicate) external;

    /* VIEW FUNCTIONS */

    /// @notice Returns the configuration of a tool.
    /// @dev Reverts with `ToolNotFound` if the tool was never registered and with `ToolIsDeregistered` if it was
    ///      deregistered.
    /// @param toolId The tool id.
    /// @return The configuration.
    function getToolConfig(uint256 toolId) external view returns (ToolConfig memory);

    /// @notice Returns whether an account may use a tool: `ok && granted` of `tryHasAccess`.
    /// @dev Warning: returns false both if access is denied and if the predicate failed. Use `tryHasAccess` to
    ///      distinguish the two. Contracts that call this function should set an explicit gas limit.
    /// @param toolId  The tool id. Reverts if the tool does not exist or was deregistered.
    /// @param account The account whose access is checked. Warning: the result does not authenticate the caller as
    ///                `account`.
    /// @param data    Forwarded to the predicate unchanged. Public: it must not contain secrets.
    /// @return True if access is granted. False if access is denied or unknown.
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool);

    /// @notice Returns whether an account may use a tool, and whether the predicate returned a valid result.
    /// @dev The result is one of:
    ///      - `(true, true)`: access is granted. The tool is open or the predicate returned true.
    ///      - `(true, false)`: access is denied. The predicate returned false.
    ///      - `(false, false)`: access is unknown. The predicate failed: it has no code, reverted, ran out of gas, or
    ///        did not return exactly 32 bytes that encode 0 or 1.
    ///      `(false, true)` is never returned. A predicate cannot make this function revert.
    /// @param toolId  The tool id. Reverts if the tool does not exist or was deregistered.
    /// @param account The account whose access is checked. Warning: the result does not authenticate the caller as
    ///                `account`.
    /// @param data    Forwarded to the predicate unchanged. Public: it must not contain secrets.
    /// @return ok      Whether the tool is open or the predicate returned a valid result.
    /// @return granted Whether access is granted.
    function tryHasAccess(uint256 toolId, address account, bytes calldata data)
        external
        view
        returns (bool ok, bool granted);

    /// @notice Returns the number of tools ever registered, including deregistered tools.
    /// @return The highest assigned tool id.
    function toolCount() external view returns (uint256);

    /// @notice Returns the name of the implementation.
    /// @return A non-empty string.
    function name() external view returns (string memory);

    /// @notice Returns the version of the implementation, in the form "MAJOR.MINOR".
    /// @return A non-empty string.
    function version() external view returns (string memory);
}
