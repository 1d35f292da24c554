// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @notice What the chain knows about a tool.
/// @param creator         The account that registered it. Never changes.
/// @param metadataURI     Where the manifest is served.
/// @param manifestHash    keccak256 of the manifest's canonical (RFC 8785) bytes.
/// @param accessPredicate The contract that decides who may use it; the zero address lets everyone in.
struct ToolConfig {
    address creator;
    string metadataURI;
    bytes32 manifestHash;
    address accessPredicate;
}

/// @title IToolRegistry
/// @notice The ERC-8257 registry of tools for AI agents: who published a tool, where its manifest is, which bytes that
///         manifest must have, and who may use the tool.
/// @dev ERC-165 interface id `0xf1dc8075`. Where several rules are broken at once the errors come in this order:
///      `ToolNotFound`, `ToolIsDeregistered`, `NotToolCreator`, `InvalidMetadataURI`, `InvalidManifestHash`,
///      `InvalidAccessPredicate`. A tool id means something only together with chain id and registry address.
interface IToolRegistry {
    /* EVENTS */

    /// @notice A tool was registered. Carries the whole configuration, so an indexer needs no further call.
    /// @param toolId          The id it was given.
    /// @param creator         Who registered it.
    /// @param accessPredicate Who decides on access; the zero address for an open tool.
    /// @param metadataURI     Where the manifest is served.
    /// @param manifestHash    keccak256 of the canonical manifest.
    event ToolRegistered(
        uint256 indexed toolId,
        address indexed creator,
        address indexed accessPredicate,
        string metadataURI,
        bytes32 manifestHash
    );

    /// @notice The manifest's place or hash changed. Both are given, also when only one is new.
    /// @param toolId  The tool.
    /// @param newURI  Where the manifest is served from now on.
    /// @param newHash keccak256 of the canonical manifest from now on.
    event ToolMetadataUpdated(uint256 indexed toolId, string newURI, bytes32 newHash);

    /// @notice Another predicate decides from now on.
    /// @param toolId       The tool.
    /// @param newPredicate The predicate; the zero address opens the tool to everyone.
    event AccessPredicateUpdated(uint256 indexed toolId, address indexed newPredicate);

    /// @notice The creator removed the tool for good.
    /// @param toolId The tool.
    event ToolDeregistered(uint256 indexed toolId);

    /* ERRORS */

    /// @notice No tool ever had this id. Id 0 never exists.
    /// @param toolId The id asked for.
    error ToolNotFound(uint256 toolId);

    /// @notice The creator removed this tool; nothing can be done with its id any more.
    /// @param toolId The id asked for.
    error ToolIsDeregistered(uint256 toolId);

    /// @notice Only the creator may change a tool.
    /// @param toolId The tool.
    /// @param caller Who tried.
    error NotToolCreator(uint256 toolId, address caller);

    /// @notice The metadata URI is empty or longer than 2,048 bytes.
    error InvalidMetadataURI();

    /// @notice The manifest hash is zero, which no manifest hashes to.
    error InvalidManifestHash();

    /// @notice The predicate says it answers ERC-165 but does not claim `IAccessPredicate`; or the transaction left too
    ///         little gas to ask it.
    /// @param predicate The address that was refused.
    error InvalidAccessPredicate(address predicate);

    /* CHANGING TOOLS */

    /// @notice Registers a tool. The caller becomes its creator, for good.
    /// @dev The predicate is checked in five steps:
    ///      1. the zero address is accepted: the tool is open;
    ///      2. an address without code is accepted: the tool lets nobody in until code is there;
    ///      3. it is asked, with 30,000 gas, whether it answers ERC-165: a revert, running out of gas, or an answer
    ///         that is no bool means it does not say so, and it is accepted;
    ///      4. so does the answer no;
    ///      5. after a yes it is asked, with the same gas, whether it is an `IAccessPredicate`: anything but yes is
    ///         refused.
    ///      A probe answer is its first word, longer answers included. Warning: the transaction must leave gas for a
    ///      full probe, otherwise the predicate is refused; a contract that does not speak ERC-165 at all is accepted
    ///      whatever it is.
    /// @param metadataURI     Where the manifest is served; 1 to 2,048 bytes. Its form is not checked on chain.
    /// @param manifestHash    keccak256 of the canonical manifest; not zero.
    /// @param accessPredicate Who decides on access; the zero address for an open tool.
    /// @return toolId The new id: one more than the last.
    function registerTool(string calldata metadataURI, bytes32 manifestHash, address accessPredicate)
        external
        returns (uint256 toolId);

    /// @notice Removes a tool for good. Creator only.
    /// @dev Erases the configuration and leaves a mark, so that every later call on the id reverts with
    ///      `ToolIsDeregistered`. Warning: it cannot be undone; to pause a tool, set a predicate that denies everyone.
    /// @param toolId The tool.
    function deregisterTool(uint256 toolId) external;

    /// @notice Sets the manifest's place and hash together. Creator only.
    /// @dev If both equal what is stored, nothing is written and no event is emitted.
    /// @param toolId  The tool.
    /// @param newURI  Where the manifest is served; 1 to 2,048 bytes.
    /// @param newHash keccak256 of the canonical manifest; not zero.
    function updateToolMetadata(uint256 toolId, string calldata newURI, bytes32 newHash) external;

    /// @notice Sets who decides on access. Creator only.
    /// @dev Checks the predicate as `registerTool` does. If it is the one already set, nothing is checked, written or
    ///      emitted.
    /// @param toolId       The tool.
    /// @param newPredicate The predicate; the zero address opens the tool to everyone.
    function setAccessPredicate(uint256 toolId, address newPredicate) external;

    /* READING */

    /// @notice Everything the chain knows about a tool.
    /// @dev Reverts with `ToolNotFound` or `ToolIsDeregistered`, so "never existed" and "removed" stay apart.
    /// @param toolId The tool.
    /// @return Its configuration.
    function getToolConfig(uint256 toolId) external view returns (ToolConfig memory);

    /// @notice Tells whether an account may use a tool: `ok && granted` of `tryHasAccess`.
    /// @dev Warning: a denial and a broken predicate both read false here; use `tryHasAccess` to tell them apart.
    ///      Contracts that build on this should pass an explicit gas budget.
    /// @param toolId  The tool. Reverts if it does not exist or was removed.
    /// @param account The account in question. Warning: a true answer does not prove that whoever asks is `account`.
    /// @param data    Passed to the predicate as it is. Public: never put a secret in it.
    /// @return Whether access is granted beyond doubt.
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool);

    /// @notice Tells whether an account may use a tool, and whether that could be found out at all.
    /// @dev `(true, true)`: open tool, or the predicate said yes. `(true, false)`: the predicate said no.
    ///      `(false, false)`: the predicate has no code, reverted, ran out of gas, or returned anything but exactly 32
    ///      bytes holding 0 or 1. `(false, true)` does not occur. Nothing the predicate does makes this call revert.
    /// @param toolId  The tool. Reverts if it does not exist or was removed.
    /// @param account The account in question. Warning: a true answer does not prove that whoever asks is `account`.
    /// @param data    Passed to the predicate as it is. Public: never put a secret in it.
    /// @return ok      Whether there is an answer.
    /// @return granted The answer.
    function tryHasAccess(uint256 toolId, address account, bytes calldata data)
        external
        view
        returns (bool ok, bool granted);

    /// @notice The highest id given so far; removed tools count.
    /// @return Ids run from 1 to this number.
    function toolCount() external view returns (uint256);

    /// @notice The name of the implementation.
    /// @return A text that is never empty.
    function name() external view returns (string memory);

    /// @notice The version of the implementation, as "MAJOR.MINOR".
    /// @return A text that is never empty.
    function version() external view returns (string memory);
}
