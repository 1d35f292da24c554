// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IERC1155Holding } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC1155 } from "../interfaces/external/IERC1155.sol";
import { CollectionTokens, IERC1155OwnerPredicate } from "../interfaces/predicates/IERC1155OwnerPredicate.sol";
import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";
import { CodeStoreLib } from "../libraries/CodeStoreLib.sol";
import { ERC1155BatchLib } from "../libraries/ERC1155BatchLib.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";

/// @title ERC1155OwnerPredicate
/// @notice See `IERC1155OwnerPredicate`.
contract ERC1155OwnerPredicate is ConfiguredPredicate, IERC1155OwnerPredicate {
    /// @dev One slot. `store` is the data contract. For each collection it contains one word with the number of ids in
    ///      the upper 96 bits and the address in the lower 160 bits, followed by the ids.
    struct Tokens {
        address store;
        uint16 words;
        bool isSet;
    }

    /// @inheritdoc IERC1155OwnerPredicate
    uint256 public constant GAS_PER_COLLECTION = 9_000;

    /// @inheritdoc IERC1155OwnerPredicate
    uint256 public constant GAS_PER_TOKEN = 3_000;

    /// @inheritdoc IERC1155OwnerPredicate
    uint256 public constant MAX_GAS = 185_000;

    /// @dev Upper bounds for the gas used by this contract itself, including the cold account access (2,600).
    uint256 private constant OVERHEAD_PER_COLLECTION = 3_000;
    uint256 private constant OVERHEAD_PER_TOKEN = 120;

    mapping(uint256 toolId => Tokens) private _tokens;

    /// @param registry The registry whose tools can be configured.
    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    /// @inheritdoc IERC1155OwnerPredicate
    function setCollectionTokens(uint256 toolId, CollectionTokens[] calldata tokens) external {
        _requireToolCreator(toolId);
        uint256 length = tokens.length;
        uint256 gasNeeded;
        for (uint256 i = 0; i < tokens.length; i++) {
            uint256 count = tokens[i].tokenIds.length;
            if (count == 0) revert NoTokenIds(tokens[i].collection);
            length += count;
            gasNeeded += gasToAsk(count);
        }
        if (gasNeeded > MAX_GAS) revert TooManyTokens(gasNeeded, MAX_GAS);

        address store = length == 0 ? address(0) : CodeStoreLib.write(_flatten(tokens, length));
        _tokens[toolId] = Tokens({ store: store, words: uint16(length), isSet: true });
        emit CollectionTokensSet(toolId, tokens);
    }

    /// @inheritdoc IERC1155OwnerPredicate
    function getCollectionTokens(uint256 toolId) external view returns (CollectionTokens[] memory tokens) {
        uint256[] memory words = _read(_tokens[toolId]);
        uint256 groups;
        for (uint256 i = 0; i < words.length; i += 1 + (words[i] >> 160)) {
            groups++;
        }
        tokens = new CollectionTokens[](groups);
        uint256 offset;
        for (uint256 i = 0; i < groups; i++) {
            (tokens[i].collection, tokens[i].tokenIds) = _group(words, offset);
            offset += 1 + tokens[i].tokenIds.length;
        }
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata) external view returns (bool) {
        Tokens memory stored = _tokens[toolId];
        if (!stored.isSet) revert NotConfigured(toolId);

        uint256[] memory words = _read(stored);
        address failed;
        uint256 count;
        for (uint256 i = 0; i < words.length; i += 1 + count) {
            address collection = address(uint160(words[i]));
            count = words[i] >> 160;
            if (collection.code.length == 0) continue;
            (bool ok, bool holds) = ERC1155BatchLib.holdsAny(collection, _stipend(count), account, words, i + 1, count);
            if (!ok) failed = collection;
            else if (holds) return true;
        }
        if (failed != address(0)) revert NoAnswer(failed);
        return false;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "ERC1155OwnerPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        Tokens memory stored = _tokens[toolId];
        if (!stored.isSet) revert NotConfigured(toolId);
        if (stored.words == 0) return (_alwaysDenied(), RequirementLogic.AND);

        uint256[] memory words = _read(stored);
        uint256 count = words.length;
        for (uint256 i = 0; i < words.length; i += 1 + (words[i] >> 160)) {
            count--;
        }
        requirements = new AccessRequirement[](count);
        count = 0;
        for (uint256 i = 0; i < words.length;) {
            (address collection, uint256[] memory tokenIds) = _group(words, i);
            for (uint256 j = 0; j < tokenIds.length; j++) {
                requirements[count++] = AccessRequirement({
                    kind: type(IERC1155Holding).interfaceId,
                    data: abi.encode(collection, tokenIds[j]),
                    label: "Hold this ERC-1155 token"
                });
            }
            i += 1 + tokenIds.length;
        }
        logic = RequirementLogic.OR;
    }

    /// @inheritdoc IERC1155OwnerPredicate
    function gasToAsk(uint256 count) public pure returns (uint256) {
        return BoundedCallLib.gasRequired(_stipend(count)) + OVERHEAD_PER_COLLECTION + count * OVERHEAD_PER_TOKEN;
    }

    function _stipend(uint256 count) private pure returns (uint256) {
        return GAS_PER_COLLECTION + count * GAS_PER_TOKEN;
    }

    /// @dev Packs the list into the words of a data contract.
    function _flatten(CollectionTokens[] calldata tokens, uint256 length)
        private
        pure
        returns (uint256[] memory words)
    {
        words = new uint256[](length);
        uint256 offset;
        for (uint256 i = 0; i < tokens.length; i++) {
            uint256[] calldata tokenIds = tokens[i].tokenIds;
            words[offset++] = uint160(tokens[i].collection) | tokenIds.length << 160;
            for (uint256 j = 0; j < tokenIds.length; j++) {
                words[offset++] = tokenIds[j];
            }
        }
    }

    /// @dev Unpacks the collection at index `offset` of `words`.
    function _group(uint256[] memory words, uint256 offset)
        private
        pure
        returns (address collection, uint256[] memory tokenIds)
    {
        collection = address(uint160(words[offset]));
        tokenIds = new uint256[](words[offset] >> 160);
        for (uint256 i = 0; i < tokenIds.length; i++) {
            tokenIds[i] = words[offset + 1 + i];
        }
    }

    function _read(Tokens memory stored) private view returns (uint256[] memory) {
        return CodeStoreLib.read(stored.store, stored.words);
    }
}
