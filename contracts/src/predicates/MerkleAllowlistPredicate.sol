// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IMerkleAllowlist, IReadsCallData } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC165 } from "../interfaces/external/IERC165.sol";
import { IConfiguredPredicate } from "../interfaces/predicates/IConfiguredPredicate.sol";
import { IMerkleAllowlistPredicate } from "../interfaces/predicates/IMerkleAllowlistPredicate.sol";
import { MerkleProofLib } from "../libraries/MerkleProofLib.sol";
import { RequirementListLib } from "../libraries/RequirementListLib.sol";
import { AccessPredicate } from "./base/AccessPredicate.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";

/// @title MerkleAllowlistPredicate
/// @notice See `IMerkleAllowlistPredicate`.
contract MerkleAllowlistPredicate is ConfiguredPredicate, IMerkleAllowlistPredicate {
    /// @inheritdoc IMerkleAllowlistPredicate
    uint256 public constant MAX_PROOF_LENGTH = 64;

    /// @dev Stored instead of a zero root, because zero means that the tool is not configured. No known node has this
    ///      hash.
    bytes32 private constant EMPTY_LIST = keccak256("MerkleAllowlistPredicate: empty list");

    /// @dev Upper bound for the gas of an access check, and for the gas per element of the proof.
    uint256 private constant CHECK_GAS = 4_000;
    uint256 private constant ELEMENT_GAS = 150;

    mapping(uint256 toolId => bytes32) private _roots;

    /// @param registry The registry whose tools can be configured.
    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    /// @inheritdoc IMerkleAllowlistPredicate
    function setAllowlistRoot(uint256 toolId, bytes32 root) external {
        _requireToolCreator(toolId);
        _roots[toolId] = root == 0 ? EMPTY_LIST : root;
        emit AllowlistRootSet(toolId, root);
    }

    /// @inheritdoc IMerkleAllowlistPredicate
    function getAllowlistRoot(uint256 toolId) external view returns (bytes32) {
        bytes32 root = _roots[toolId];
        return root == EMPTY_LIST ? bytes32(0) : root;
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        bytes32 root = _requireRoot(toolId);
        _requireNotNegated(data);
        // abi.encode(bytes32[]): offset, length, elements.
        if (root == EMPTY_LIST || data.length < 64 || uint256(bytes32(data)) != 32) return false;
        uint256 length = uint256(bytes32(data[32:]));
        if (length > MAX_PROOF_LENGTH || data.length != 64 + 32 * length) return false;

        return MerkleProofLib.root(leafOf(toolId, account), data[64:]) == root;
    }

    /// @inheritdoc IConfiguredPredicate
    /// @dev For a proof of `MAX_PROOF_LENGTH` elements.
    function gasNeeded(uint256 toolId) external view returns (uint256) {
        _requireRoot(toolId);
        return CHECK_GAS + MAX_PROOF_LENGTH * ELEMENT_GAS;
    }

    /// @inheritdoc IMerkleAllowlistPredicate
    function leafOf(uint256 toolId, address account) public pure returns (bytes32) {
        return keccak256(bytes.concat(keccak256(abi.encode(toolId, account))));
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "MerkleAllowlistPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        bytes32 root = _requireRoot(toolId);
        if (root == EMPTY_LIST) return (_alwaysDenied(), logic);
        requirements = RequirementListLib.single(
            type(IMerkleAllowlist).interfaceId,
            abi.encode(root),
            "Be on the allowlist of the tool, and pass a Merkle proof in data"
        );
    }

    /// @dev Reports `IReadsCallData`: the result depends on `data`, so a composite must not negate this predicate.
    function supportsInterface(bytes4 interfaceId) public view override(AccessPredicate, IERC165) returns (bool) {
        return interfaceId == type(IReadsCallData).interfaceId || super.supportsInterface(interfaceId);
    }

    function _requireRoot(uint256 toolId) private view returns (bytes32 root) {
        root = _roots[toolId];
        if (root == 0) revert NotConfigured(toolId);
    }
}
