// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IAccessProof, IReadsCallData } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC1271 } from "../interfaces/external/IERC1271.sol";
import { IERC165 } from "../interfaces/external/IERC165.sol";
import { IAccessProofPredicate } from "../interfaces/predicates/IAccessProofPredicate.sol";
import { IConfiguredPredicate } from "../interfaces/predicates/IConfiguredPredicate.sol";
import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";
import { PackedConfigLib } from "../libraries/PackedConfigLib.sol";
import { RequirementListLib } from "../libraries/RequirementListLib.sol";
import { StipendLib } from "../libraries/StipendLib.sol";
import { AccessPredicate } from "./base/AccessPredicate.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";
import { StipendPredicate } from "./base/StipendPredicate.sol";

/// @title AccessProofPredicate
/// @notice See `IAccessProofPredicate`.
contract AccessProofPredicate is StipendPredicate, IAccessProofPredicate {
    /// @dev Default stipends of the ERC-1271 call. A Safe with nine owners needs more than 60,000 gas.
    uint256 private constant FIRST_STIPEND = 60_000;
    uint256 private constant RETRY_STIPEND = 120_000;

    /// @dev Upper bound for the gas of an access check besides the ERC-1271 call: recovery of a signer (3,000), the
    ///      stipend (2,100), the code size of the account (2,600), hashing and encoding.
    uint256 private constant OVERHEAD = 12_000;

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant PROOF_TYPEHASH = keccak256("AccessProof(uint256 toolId,address account,uint64 deadline)");

    /// @dev Half the order of secp256k1. Signatures with a larger s are malleable (EIP-2) and rejected.
    uint256 private constant MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    /// @param registry The registry whose tools can be configured.
    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    /// @inheritdoc IAccessProofPredicate
    function setStipend(uint256 toolId, uint256 stipend) external {
        _requireToolCreator(toolId);
        StipendLib.requireValid(stipend, 1);
        _configs[toolId] = PackedConfigLib.pack(address(0), 0, 0, stipend);
        emit StipendSet(toolId, stipend);
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        _requireNotNegated(data);
        // abi.encode(uint64, bytes): deadline, offset, length, signature padded to a multiple of 32 bytes.
        if (data.length < 96 || uint256(bytes32(data[32:])) != 64) return false;
        uint256 deadline = uint256(bytes32(data));
        uint256 length = uint256(bytes32(data[64:]));
        if (deadline > type(uint64).max || length > data.length || data.length != 96 + (length + 31) / 32 * 32) {
            return false;
        }
        // forge-lint: disable-next-line(block-timestamp): deadlines have a resolution of seconds
        if (block.timestamp > deadline) return false;

        return _isSignedBy(toolId, account, digestOf(toolId, account, uint64(deadline)), data[96:96 + length]);
    }

    /// @inheritdoc IAccessProofPredicate
    function digestOf(uint256 toolId, address account, uint64 deadline) public view returns (bytes32) {
        bytes32 message = keccak256(abi.encode(PROOF_TYPEHASH, toolId, account, deadline));
        return keccak256(bytes.concat("\x19\x01", domainSeparator(), message));
    }

    /// @inheritdoc IAccessProofPredicate
    function domainSeparator() public view returns (bytes32) {
        return keccak256(
            abi.encode(DOMAIN_TYPEHASH, keccak256("ERC8257-AccessProof"), keccak256("1"), block.chainid, address(this))
        );
    }

    /// @inheritdoc IConfiguredPredicate
    function gasNeeded(uint256 toolId)
        external
        view
        override(StipendPredicate, IConfiguredPredicate)
        returns (uint256)
    {
        (uint256 first,,) = _stipendsOf(toolId);
        return BoundedCallLib.gasRequired(first) + OVERHEAD;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "AccessProofPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        requirements = RequirementListLib.single(
            type(IAccessProof).interfaceId, abi.encode(domainSeparator()), "Sign an AccessProof, and pass it in data"
        );
        logic = RequirementLogic.AND;
    }

    /// @dev Reports `IReadsCallData`: the result depends on `data`, so a composite must not negate this predicate.
    function supportsInterface(bytes4 interfaceId) public view override(AccessPredicate, IERC165) returns (bool) {
        return interfaceId == type(IReadsCallData).interfaceId || super.supportsInterface(interfaceId);
    }

    /// @dev Tries ECDSA first: an account with an EIP-7702 delegation has a key and code.
    function _isSignedBy(uint256 toolId, address account, bytes32 digest, bytes calldata signature)
        private
        view
        returns (bool)
    {
        if (account != address(0) && _recover(digest, signature) == account) return true;
        if (account.code.length == 0) return false;
        (uint256 first, uint256 retry,) = _stipendsOf(toolId);
        bytes memory callData = abi.encodeCall(IERC1271.isValidSignature, (digest, signature));
        (bool ok, uint256 result) = StipendLib.tryCallWord(account, callData, first, retry);
        if (!ok) revert CallFailed(account);
        return bytes32(result) == IERC1271.isValidSignature.selector;
    }

    function _stipendsOf(uint256 toolId) internal view override returns (uint256 first, uint256 retry, uint256 calls) {
        uint256 chosen = _configs[toolId].stipend();
        (first, retry) = chosen == 0 ? (FIRST_STIPEND, RETRY_STIPEND) : (chosen, chosen);
        calls = 1;
    }

    /// @dev Returns the signer, or the zero address if the signature does not have 65 bytes, low s and v of 27 or 28.
    function _recover(bytes32 digest, bytes calldata signature) private pure returns (address) {
        if (signature.length != 65 || uint256(bytes32(signature[32:])) > MAX_S) return address(0);
        return ecrecover(digest, uint8(signature[64]), bytes32(signature), bytes32(signature[32:]));
    }
}
