// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IERC721Holding } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC721 } from "../interfaces/external/IERC721.sol";
import { IERC721OwnerPredicate } from "../interfaces/predicates/IERC721OwnerPredicate.sol";
import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";
import { CodeStoreLib } from "../libraries/CodeStoreLib.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";

/// @title ERC721OwnerPredicate
/// @notice See `IERC721OwnerPredicate`.
contract ERC721OwnerPredicate is ConfiguredPredicate, IERC721OwnerPredicate {
    /// @dev One slot. `collectionOrStore` is the collection if there is only one, and otherwise the data contract.
    struct Collections {
        address collectionOrStore;
        uint8 count;
        bool isSet;
    }

    /// @inheritdoc IERC721OwnerPredicate
    uint256 public constant GAS_PER_COLLECTION = 10_000;

    /// @inheritdoc IERC721OwnerPredicate
    uint256 public constant MAX_COLLECTIONS = 14;

    mapping(uint256 toolId => Collections) private _collections;

    /// @param registry The registry whose tools can be configured.
    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    /// @inheritdoc IERC721OwnerPredicate
    function setCollections(uint256 toolId, address[] calldata collections) external {
        _requireToolCreator(toolId);
        uint256 count = collections.length;
        if (count > MAX_COLLECTIONS) revert TooManyCollections(count, MAX_COLLECTIONS);

        Collections memory stored = Collections({ collectionOrStore: address(0), count: uint8(count), isSet: true });
        if (count == 1) stored.collectionOrStore = collections[0];
        if (count > 1) {
            uint256[] memory words = new uint256[](count);
            for (uint256 i = 0; i < count; i++) {
                words[i] = uint160(collections[i]);
            }
            stored.collectionOrStore = CodeStoreLib.write(words);
        }
        _collections[toolId] = stored;
        emit CollectionsSet(toolId, collections);
    }

    /// @inheritdoc IERC721OwnerPredicate
    function getCollections(uint256 toolId) external view returns (address[] memory collections) {
        return _load(_collections[toolId]);
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata) external view returns (bool) {
        Collections memory stored = _collections[toolId];
        if (!stored.isSet) revert NotConfigured(toolId);

        bytes memory callData = abi.encodeCall(IERC721.balanceOf, (account));
        address[] memory collections = _load(stored);
        address failed;
        for (uint256 i = 0; i < collections.length; i++) {
            address collection = collections[i];
            if (collection.code.length == 0) continue;
            (bool ok, uint256 balance) = BoundedCallLib.tryStaticCallWord(collection, GAS_PER_COLLECTION, callData);
            if (!ok) failed = collection;
            else if (balance != 0) return true;
        }
        if (failed != address(0)) revert NoAnswer(failed);
        return false;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "ERC721OwnerPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        Collections memory stored = _collections[toolId];
        if (!stored.isSet) revert NotConfigured(toolId);
        if (stored.count == 0) return (_alwaysDenied(), RequirementLogic.AND);

        address[] memory collections = _load(stored);
        requirements = new AccessRequirement[](collections.length);
        for (uint256 i = 0; i < collections.length; i++) {
            requirements[i] = AccessRequirement({
                kind: type(IERC721Holding).interfaceId,
                data: abi.encode(collections[i]),
                label: "Hold a token of this ERC-721 collection"
            });
        }
        logic = RequirementLogic.OR;
    }

    function _load(Collections memory stored) private view returns (address[] memory collections) {
        if (stored.count > 1) {
            return CodeStoreLib.asAddresses(CodeStoreLib.read(stored.collectionOrStore, stored.count));
        }
        collections = new address[](stored.count);
        if (stored.count == 1) collections[0] = stored.collectionOrStore;
    }
}
