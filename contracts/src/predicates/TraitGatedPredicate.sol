// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IERC7496Trait, IReadsCallData } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC165 } from "../interfaces/external/IERC165.sol";
import { IERC721 } from "../interfaces/external/IERC721.sol";
import { IERC7496 } from "../interfaces/external/IERC7496.sol";
import { ITraitGatedPredicate } from "../interfaces/predicates/ITraitGatedPredicate.sol";
import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";
import { CodeStoreLib } from "../libraries/CodeStoreLib.sol";
import { RequirementListLib } from "../libraries/RequirementListLib.sol";
import { AccessPredicate } from "./base/AccessPredicate.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";

/// @title TraitGatedPredicate
/// @notice See `ITraitGatedPredicate`.
contract TraitGatedPredicate is ConfiguredPredicate, ITraitGatedPredicate {
    /// @dev One slot. `store` is the data contract. It contains the collection, the traits contract, the trait key and
    ///      the allowed values.
    struct Trait {
        address store;
        uint16 words;
        bool isSet;
    }

    /// @inheritdoc ITraitGatedPredicate
    uint256 public constant GAS_PER_QUESTION = 20_000;

    /// @inheritdoc ITraitGatedPredicate
    uint256 public constant MAX_VALUES = 256;

    uint256 private constant HEAD_WORDS = 3;

    mapping(uint256 toolId => Trait) private _traits;

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
        _requireToolCreator(toolId);
        uint256 count = allowedValues.length;
        if (count > MAX_VALUES) revert TooManyValues(count, MAX_VALUES);

        uint256[] memory words = new uint256[](HEAD_WORDS + count);
        words[0] = uint160(collection);
        words[1] = uint160(traitsContract);
        words[2] = uint256(traitKey);
        for (uint256 i = 0; i < count; i++) {
            words[HEAD_WORDS + i] = uint256(allowedValues[i]);
        }
        _traits[toolId] = Trait({ store: CodeStoreLib.write(words), words: uint16(words.length), isSet: true });
        emit ToolTraitConfigured(toolId, collection, traitsContract, traitKey, allowedValues);
    }

    /// @inheritdoc ITraitGatedPredicate
    function getToolTraitConfig(uint256 toolId)
        external
        view
        returns (address collection, address traitsContract, bytes32 traitKey, bytes32[] memory allowedValues)
    {
        Trait memory stored = _traits[toolId];
        if (stored.isSet) return _unpack(CodeStoreLib.read(stored.store, stored.words));
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        uint256[] memory words = _requireTrait(toolId);
        _requireNotNegated(data);
        if (data.length != 32 || words.length == HEAD_WORDS) return false;
        address collection = address(uint160(words[0]));
        address traits = address(uint160(words[1]));
        uint256 tokenId = uint256(bytes32(data));

        if (collection.code.length == 0 || traits.code.length == 0) return false;
        uint256 owner = _call(collection, abi.encodeCall(IERC721.ownerOf, (tokenId)));
        if (owner > type(uint160).max) revert NoAnswer(collection);
        if (owner != uint160(account)) return false;
        uint256 value = _call(traits, abi.encodeCall(IERC7496.getTraitValue, (tokenId, bytes32(words[2]))));
        for (uint256 i = HEAD_WORDS; i < words.length; i++) {
            if (words[i] == value) return true;
        }
        return false;
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
        uint256[] memory words = _requireTrait(toolId);
        if (words.length == HEAD_WORDS) return (_alwaysDenied(), logic);
        (address collection, address traitsContract, bytes32 traitKey, bytes32[] memory allowedValues) = _unpack(words);
        requirements = RequirementListLib.single(
            type(IERC7496Trait).interfaceId,
            abi.encode(collection, traitsContract, traitKey, allowedValues),
            "Hold a token whose trait has one of these values, and name it in data"
        );
    }

    /// @dev Reports `IReadsCallData`: the result depends on `data`, so a composite must not negate this predicate.
    function supportsInterface(bytes4 interfaceId) public view override(AccessPredicate, IERC165) returns (bool) {
        return interfaceId == type(IReadsCallData).interfaceId || super.supportsInterface(interfaceId);
    }

    function _requireTrait(uint256 toolId) private view returns (uint256[] memory words) {
        Trait memory stored = _traits[toolId];
        if (!stored.isSet) revert NotConfigured(toolId);
        return CodeStoreLib.read(stored.store, stored.words);
    }

    function _call(address target, bytes memory callData) private view returns (uint256 value) {
        bool ok;
        (ok, value) = BoundedCallLib.tryStaticCallWord(target, GAS_PER_QUESTION, callData);
        if (!ok) revert NoAnswer(target);
    }

    function _unpack(uint256[] memory words)
        private
        pure
        returns (address collection, address traitsContract, bytes32 traitKey, bytes32[] memory allowedValues)
    {
        collection = address(uint160(words[0]));
        traitsContract = address(uint160(words[1]));
        traitKey = bytes32(words[2]);
        allowedValues = new bytes32[](words.length - HEAD_WORDS);
        for (uint256 i = 0; i < allowedValues.length; i++) {
            allowedValues[i] = bytes32(words[HEAD_WORDS + i]);
        }
    }
}
