// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IERC7496Trait, IReadsCallData } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC165 } from "../interfaces/external/IERC165.sol";
import { IERC721 } from "../interfaces/external/IERC721.sol";
import { IERC7496 } from "../interfaces/external/IERC7496.sol";
import { IConfiguredPredicate } from "../interfaces/predicates/IConfiguredPredicate.sol";
import { ITraitGatedPredicate, ToolTraitConfig } from "../interfaces/predicates/ITraitGatedPredicate.sol";
import { CodeStoreLib } from "../libraries/CodeStoreLib.sol";
import { PackedConfig, PackedConfigLib } from "../libraries/PackedConfigLib.sol";
import { RequirementListLib } from "../libraries/RequirementListLib.sol";
import { StipendLib } from "../libraries/StipendLib.sol";
import { AccessPredicate } from "./base/AccessPredicate.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";
import { StipendPredicate } from "./base/StipendPredicate.sol";

/// @title TraitGatedPredicate
/// @notice See `ITraitGatedPredicate`.
/// @dev `_configs`: the target is the data contract. It contains the collection, the traits contract, the trait key and
///      the allowed values. The first number is the number of words.
contract TraitGatedPredicate is StipendPredicate, ITraitGatedPredicate {
    /// @inheritdoc ITraitGatedPredicate
    uint256 public constant MAX_ALLOWED_VALUES = 123;

    uint256 private constant HEAD_WORDS = 3;
    uint256 private constant MAX_CALLS = 2;

    /// @dev Upper bound for the gas used per word of the data contract: copying and comparing it.
    uint256 private constant OVERHEAD_PER_WORD = 120;

    /// @param registry The registry whose tools can be configured.
    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    /// @inheritdoc ITraitGatedPredicate
    function configureToolTrait(
        uint256 toolId,
        address collection,
        address traitsContract,
        bytes32 traitKey,
        bytes32[] calldata allowedValues
    ) external {
        _configure(toolId, ToolTraitConfig(collection, traitsContract, traitKey, allowedValues), 0);
    }

    /// @inheritdoc ITraitGatedPredicate
    function configureToolTrait(
        uint256 toolId,
        address collection,
        address traitsContract,
        bytes32 traitKey,
        bytes32[] calldata allowedValues,
        uint256 stipend
    ) external {
        _configure(toolId, ToolTraitConfig(collection, traitsContract, traitKey, allowedValues), stipend);
        emit StipendSet(toolId, stipend);
    }

    /// @inheritdoc ITraitGatedPredicate
    function getToolTraitConfig(uint256 toolId) external view returns (ToolTraitConfig memory config) {
        PackedConfig stored = _configs[toolId];
        if (stored.isSet()) return _unpack(_read(stored));
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        PackedConfig config = _requireConfig(toolId);
        _requireNotNegated(data);
        if (data.length != 32 || account == address(0)) return false;
        uint256[] memory words = _read(config);
        uint256 tokenId = uint256(bytes32(data));

        address collection = address(uint160(words[0]));
        if (collection.code.length == 0) revert CallFailed(collection);
        (bool ok, uint256 owner) = _call(config, collection, abi.encodeCall(IERC721.ownerOf, (tokenId)));
        // Collections revert with an error for tokens that do not exist; `owner` is then the length of the revert data.
        // Denying is safe, because this predicate cannot be negated.
        if (!ok && StipendLib.isError(owner)) return false;
        if (!ok || owner > type(uint160).max) revert CallFailed(collection);
        if (owner != uint160(account)) return false;

        address traits = address(uint160(words[1]));
        if (traits.code.length == 0) revert CallFailed(traits);
        uint256 value;
        (ok, value) = _call(config, traits, abi.encodeCall(IERC7496.getTraitValue, (tokenId, bytes32(words[2]))));
        if (!ok) revert CallFailed(traits);
        for (uint256 i = HEAD_WORDS; i < words.length; i++) {
            if (words[i] == value) return true;
        }
        return false;
    }

    /// @inheritdoc IConfiguredPredicate
    function gasNeeded(uint256 toolId)
        external
        view
        override(StipendPredicate, IConfiguredPredicate)
        returns (uint256)
    {
        (uint256 first,, uint256 calls) = _stipendsOf(toolId);
        return StipendLib.gasNeeded(first, calls) + _configs[toolId].first() * OVERHEAD_PER_WORD;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "TraitGatedPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        ToolTraitConfig memory config = _unpack(_read(_requireConfig(toolId)));
        requirements = RequirementListLib.single(
            type(IERC7496Trait).interfaceId,
            abi.encode(config.collection, config.traitsContract, config.traitKey, config.allowedValues),
            "Own a token whose trait has one of these values, and pass its id in data"
        );
        logic = RequirementLogic.AND;
    }

    /// @dev Reports `IReadsCallData`: the result depends on `data`, so a composite must not negate this predicate.
    function supportsInterface(bytes4 interfaceId) public view override(AccessPredicate, IERC165) returns (bool) {
        return interfaceId == type(IReadsCallData).interfaceId || super.supportsInterface(interfaceId);
    }

    function _configure(uint256 toolId, ToolTraitConfig memory config, uint256 stipend) private {
        _requireToolCreator(toolId);
        if (config.collection == address(0)) revert ZeroCollection();
        if (config.traitsContract == address(0)) revert ZeroTraitsContract();
        if (config.collection.code.length == 0) revert CollectionNoCode(config.collection);
        if (config.traitsContract.code.length == 0) revert TraitsContractNoCode(config.traitsContract);
        uint256 count = config.allowedValues.length;
        if (count == 0) revert EmptyAllowedValues();
        if (count > MAX_ALLOWED_VALUES) revert TooManyAllowedValues(count, MAX_ALLOWED_VALUES);
        StipendLib.requireValid(stipend, MAX_CALLS);

        uint256[] memory words = new uint256[](HEAD_WORDS + count);
        words[0] = uint160(config.collection);
        words[1] = uint160(config.traitsContract);
        words[2] = uint256(config.traitKey);
        for (uint256 i = 0; i < count; i++) {
            if (config.allowedValues[i] == 0) revert ZeroValueInAllowedValues(i);
            words[HEAD_WORDS + i] = uint256(config.allowedValues[i]);
        }
        _configs[toolId] = PackedConfigLib.pack(CodeStoreLib.write(words), words.length, 0, stipend);
        emit ToolTraitConfigured(
            toolId, config.collection, config.traitsContract, config.traitKey, config.allowedValues
        );
    }

    function _stipendsOf(uint256 toolId) internal view override returns (uint256 first, uint256 retry, uint256 calls) {
        calls = MAX_CALLS;
        (first, retry) = StipendLib.stipends(_requireConfig(toolId).stipend(), calls);
    }

    function _call(PackedConfig config, address target, bytes memory callData)
        private
        view
        returns (bool ok, uint256 value)
    {
        (uint256 first, uint256 retry) = StipendLib.stipends(config.stipend(), MAX_CALLS);
        return StipendLib.tryCallWord(target, callData, first, retry);
    }

    function _read(PackedConfig config) private view returns (uint256[] memory) {
        return CodeStoreLib.read(config.target(), config.first());
    }

    function _unpack(uint256[] memory words) private pure returns (ToolTraitConfig memory config) {
        config.collection = address(uint160(words[0]));
        config.traitsContract = address(uint160(words[1]));
        config.traitKey = bytes32(words[2]);
        config.allowedValues = new bytes32[](words.length - HEAD_WORDS);
        for (uint256 i = 0; i < config.allowedValues.length; i++) {
            config.allowedValues[i] = bytes32(words[HEAD_WORDS + i]);
        }
    }
}
