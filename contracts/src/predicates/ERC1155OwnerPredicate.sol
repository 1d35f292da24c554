// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IERC1155Holding } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC1155 } from "../interfaces/external/IERC1155.sol";
import { IConfiguredPredicate } from "../interfaces/predicates/IConfiguredPredicate.sol";
import { CollectionTokens, IERC1155OwnerPredicate } from "../interfaces/predicates/IERC1155OwnerPredicate.sol";
import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";
import { CodeStoreLib } from "../libraries/CodeStoreLib.sol";
import { ERC1155BatchLib } from "../libraries/ERC1155BatchLib.sol";
import { PackedConfig, PackedConfigLib } from "../libraries/PackedConfigLib.sol";
import { StipendLib } from "../libraries/StipendLib.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";
import { StipendPredicate } from "./base/StipendPredicate.sol";

/// @title ERC1155OwnerPredicate
/// @notice See `IERC1155OwnerPredicate`.
/// @dev `_configs`: the target is the data contract. For each collection it contains one word with the number of ids in
///      the upper 96 bits and the address in the lower 160 bits, followed by the ids. The first number is the number of
///      words, the second the number of units.
contract ERC1155OwnerPredicate is StipendPredicate, IERC1155OwnerPredicate {
    /// @inheritdoc IERC1155OwnerPredicate
    uint256 public constant MAX_UNITS = 50;

    /// @dev Units of a collection besides its token ids: dispatch, proxies and decoding. A storage read costs about a
    ///      third of the fixed costs of a proxied call, on Ethereum and on Monad.
    uint256 private constant UNITS_PER_CALL = 4;

    /// @dev Default stipend per unit. A collection with one id then has 14,000 gas and one with sixteen ids 56,000.
    uint256 private constant FIRST_STIPEND = 2_800;

    uint256 private constant MIN_STIPEND = 500;

    /// @dev Upper bound for the gas this contract uses per token id.
    uint256 private constant OVERHEAD_PER_TOKEN = 120;

    /// @param registry The registry whose tools can be configured.
    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    /// @inheritdoc IERC1155OwnerPredicate
    function setCollectionTokens(uint256 toolId, CollectionTokens[] calldata tokens) external {
        _setCollectionTokens(toolId, tokens, 0);
    }

    /// @inheritdoc IERC1155OwnerPredicate
    function setCollectionTokens(uint256 toolId, CollectionTokens[] calldata tokens, uint256 stipend) external {
        _setCollectionTokens(toolId, tokens, stipend);
        emit StipendSet(toolId, stipend);
    }

    /// @inheritdoc IERC1155OwnerPredicate
    function getCollectionTokens(uint256 toolId) external view returns (CollectionTokens[] memory tokens) {
        uint256[] memory words = _read(_configs[toolId]);
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
        PackedConfig config = _requireConfig(toolId);
        if (account == address(0)) return false;

        uint256[] memory words = _read(config);
        uint256 stipend = _firstStipend(config);
        uint256 retry; // zero until a call fails
        address failed;
        for (uint256 i = 0; i < words.length;) {
            address collection = address(uint160(words[i]));
            uint256 count = words[i] >> 160;
            bool ok;
            if (collection.code.length != 0) {
                bool holds;
                bytes memory callData = ERC1155BatchLib.encodeCall(account, words, i + 1, count);
                (ok, holds) = ERC1155BatchLib.holdsAny(collection, stipend * (UNITS_PER_CALL + count), callData, count);
                if (holds) return true;
                if (!ok && retry == 0) {
                    retry = _retryStipend(config);
                    if (stipend < retry) {
                        // Repeat the call, and make the later ones, with the larger stipend.
                        stipend = retry;
                        continue;
                    }
                }
            }
            if (!ok) failed = collection;
            i += 1 + count;
        }
        if (failed != address(0)) revert CallFailed(failed);
        return false;
    }

    /// @inheritdoc IConfiguredPredicate
    function gasNeeded(uint256 toolId)
        external
        view
        override(StipendPredicate, IConfiguredPredicate)
        returns (uint256)
    {
        PackedConfig config = _requireConfig(toolId);
        return BoundedCallLib.gasRequired(_firstStipend(config) * config.second()) + StipendLib.OVERHEAD
            + StipendLib.STORE_GAS + _collections(config) * StipendLib.OVERHEAD_PER_CALL + config.first()
            * OVERHEAD_PER_TOKEN;
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
        uint256[] memory words = _read(_requireConfig(toolId));
        if (words.length == 0) return (_alwaysDenied(), RequirementLogic.AND);

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

    function _setCollectionTokens(uint256 toolId, CollectionTokens[] calldata tokens, uint256 stipend) private {
        _requireToolCreator(toolId);
        uint256 length = tokens.length;
        for (uint256 i = 0; i < tokens.length; i++) {
            uint256 count = tokens[i].tokenIds.length;
            if (count == 0) revert EmptyTokenIds(i);
            if (tokens[i].collection.code.length == 0) revert CollectionNoCode(tokens[i].collection);
            length += count;
        }
        uint256 units = length + (UNITS_PER_CALL - 1) * tokens.length;
        if (units > MAX_UNITS) revert TooManyTokens(units, MAX_UNITS);
        if (stipend != 0) _requireValidStipend(stipend, tokens.length, units);

        address store = length == 0 ? address(0) : CodeStoreLib.write(_flatten(tokens, length));
        _configs[toolId] = PackedConfigLib.pack(store, length, units, stipend);
        emit CollectionTokensSet(toolId, tokens);
    }

    function _requireValidStipend(uint256 stipend, uint256 collections, uint256 units) private pure {
        uint256 max = _maxStipend(collections, units, 0);
        if (stipend < MIN_STIPEND || stipend > max) revert InvalidStipend(stipend, MIN_STIPEND, max);
    }

    function _stipendsOf(uint256 toolId) internal view override returns (uint256 first, uint256 retry, uint256 calls) {
        PackedConfig config = _requireConfig(toolId);
        (first, retry, calls) = (_firstStipend(config), _retryStipend(config), _collections(config));
    }

    /// @dev Returns the number of collections. A collection has one word and `UNITS_PER_CALL` units more than token ids.
    function _collections(PackedConfig config) private pure returns (uint256) {
        return (config.second() - config.first()) / (UNITS_PER_CALL - 1);
    }

    function _firstStipend(PackedConfig config) private pure returns (uint256) {
        return config.stipend() == 0 ? FIRST_STIPEND : config.stipend();
    }

    /// @dev Returns the stipend per unit with which failed calls are repeated: an equal share of `RETRY_BUDGET`, or less
    ///      if it would not fit after the first call that fails. The largest collection has at most the units that are
    ///      left if every other collection has one token id.
    function _retryStipend(PackedConfig config) private pure returns (uint256 retry) {
        uint256 collections = _collections(config);
        if (config.stipend() != 0 || collections == 0) return _firstStipend(config);
        uint256 units = config.second();
        uint256 largest = units - (collections - 1) * (UNITS_PER_CALL + 1);
        retry = StipendLib.RETRY_BUDGET / units;
        uint256 max = _maxStipend(collections + 1, units, FIRST_STIPEND * largest);
        if (retry > max) retry = max;
        if (retry < FIRST_STIPEND) retry = FIRST_STIPEND;
    }

    /// @dev Returns the largest stipend per unit with which `collections` calls can be made after `used` gas was used.
    function _maxStipend(uint256 collections, uint256 units, uint256 used) private pure returns (uint256) {
        uint256 overhead = collections * StipendLib.OVERHEAD_PER_CALL + units * OVERHEAD_PER_TOKEN;
        return BoundedCallLib.maxStipend(StipendLib.MAX_GAS - overhead - used) / (units == 0 ? 1 : units);
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

    function _read(PackedConfig config) private view returns (uint256[] memory) {
        return CodeStoreLib.read(config.target(), config.first());
    }
}
