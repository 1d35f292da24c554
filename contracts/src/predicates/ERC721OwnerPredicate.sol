// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { IERC721Holding } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { IERC721 } from "../interfaces/external/IERC721.sol";
import { IERC721OwnerPredicate } from "../interfaces/predicates/IERC721OwnerPredicate.sol";
import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";
import { CodeStoreLib } from "../libraries/CodeStoreLib.sol";
import { PackedConfig, PackedConfigLib } from "../libraries/PackedConfigLib.sol";
import { StipendLib } from "../libraries/StipendLib.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";
import { StipendPredicate } from "./base/StipendPredicate.sol";

/// @title ERC721OwnerPredicate
/// @notice See `IERC721OwnerPredicate`.
/// @dev `_configs`: the target is the collection if there is only one, and otherwise the data contract. The first number
///      is the number of collections.
contract ERC721OwnerPredicate is StipendPredicate, IERC721OwnerPredicate {
    /// @inheritdoc IERC721OwnerPredicate
    uint256 public constant MAX_COLLECTIONS_PER_TOOL = 10;

    /// @param registry The registry whose tools can be configured.
    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    /// @inheritdoc IERC721OwnerPredicate
    function setCollections(uint256 toolId, address[] calldata collections) external {
        _setCollections(toolId, collections, 0);
    }

    /// @inheritdoc IERC721OwnerPredicate
    function setCollections(uint256 toolId, address[] calldata collections, uint256 stipend) external {
        _setCollections(toolId, collections, stipend);
        emit StipendSet(toolId, stipend);
    }

    /// @inheritdoc IERC721OwnerPredicate
    function getCollections(uint256 toolId) external view returns (address[] memory collections) {
        return _load(_configs[toolId]);
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata) external view returns (bool) {
        PackedConfig config = _requireConfig(toolId);
        if (account == address(0)) return false;

        address[] memory collections = _load(config);
        if (collections.length == 0) return false;
        (uint256 stipend, uint256 retry) = StipendLib.stipends(config.stipend(), collections.length);
        address failed;
        // The inner loop runs once, and again from the first call that fails with the first stipend.
        for (uint256 i = 0; i < collections.length; stipend = retry) {
            for (; i < collections.length; i++) {
                address collection = collections[i];
                if (collection.code.length == 0) {
                    failed = collection;
                    continue;
                }
                (bool ok, uint256 balance) = _balanceOf(collection, stipend, account);
                if (ok) {
                    if (balance != 0) return true;
                } else if (stipend < retry) {
                    break;
                } else {
                    failed = collection;
                }
            }
        }
        if (failed != address(0)) revert CallFailed(failed);
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
        address[] memory collections = _load(_requireConfig(toolId));
        if (collections.length == 0) return (_alwaysDenied(), RequirementLogic.AND);

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

    function _setCollections(uint256 toolId, address[] calldata collections, uint256 stipend) private {
        _requireToolCreator(toolId);
        uint256 count = collections.length;
        if (count > MAX_COLLECTIONS_PER_TOOL) revert TooManyCollections(count, MAX_COLLECTIONS_PER_TOOL);
        StipendLib.requireValid(stipend, count == 0 ? 1 : count);

        uint256[] memory words = new uint256[](count);
        for (uint256 i = 0; i < count; i++) {
            if (collections[i].code.length == 0) revert CollectionNoCode(collections[i]);
            words[i] = uint160(collections[i]);
        }
        address target;
        if (count == 1) target = collections[0];
        if (count > 1) target = CodeStoreLib.write(words);
        _configs[toolId] = PackedConfigLib.pack(target, count, 0, stipend);
        emit CollectionsSet(toolId, collections);
    }

    function _stipendsOf(uint256 toolId) internal view override returns (uint256 first, uint256 retry, uint256 calls) {
        PackedConfig config = _requireConfig(toolId);
        calls = config.first() == 0 ? 1 : config.first();
        (first, retry) = StipendLib.stipends(config.stipend(), calls);
    }

    function _balanceOf(address collection, uint256 stipend, address account) private view returns (bool, uint256) {
        return BoundedCallLib.tryStaticCallGetter(collection, stipend, IERC721.balanceOf.selector, uint160(account));
    }

    function _load(PackedConfig config) private view returns (address[] memory collections) {
        uint256 count = config.first();
        if (count > 1) return CodeStoreLib.asAddresses(CodeStoreLib.read(config.target(), count));
        collections = new address[](count);
        if (count == 1) collections[0] = config.target();
    }
}
