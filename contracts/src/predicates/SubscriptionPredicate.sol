// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { ISubscription } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { ISubscriptionToken } from "../interfaces/external/ISubscriptionToken.sol";
import { ISubscriptionPredicate } from "../interfaces/predicates/ISubscriptionPredicate.sol";
import { PackedConfig, PackedConfigLib } from "../libraries/PackedConfigLib.sol";
import { RequirementListLib } from "../libraries/RequirementListLib.sol";
import { StipendLib } from "../libraries/StipendLib.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";
import { StipendPredicate } from "./base/StipendPredicate.sol";

/// @title SubscriptionPredicate
/// @notice See `ISubscriptionPredicate`.
/// @dev `_configs`: the target is the collection. The first number is the minimum tier.
contract SubscriptionPredicate is StipendPredicate, ISubscriptionPredicate {
    uint256 private constant MAX_CALLS = 3;

    /// @param registry_ The registry whose tools can be configured.
    constructor(IToolRegistry registry_) ConfiguredPredicate(registry_) { }

    /// @inheritdoc ISubscriptionPredicate
    function configureToolGating(uint256 toolId, address collection, uint8 minTier) external {
        _configure(toolId, collection, minTier, 0);
    }

    /// @inheritdoc ISubscriptionPredicate
    function configureToolGating(uint256 toolId, address collection, uint8 minTier, uint256 stipend) external {
        _configure(toolId, collection, minTier, stipend);
        emit StipendSet(toolId, stipend);
    }

    /// @inheritdoc ISubscriptionPredicate
    function registry() external view returns (IToolRegistry) {
        return REGISTRY;
    }

    /// @inheritdoc ISubscriptionPredicate
    function getToolGatingConfig(uint256 toolId) external view returns (address collection, uint8 minTier) {
        PackedConfig config = _configs[toolId];
        return (config.target(), uint8(config.first()));
    }

    /// @inheritdoc ISubscriptionPredicate
    function getSubscriptionStatus(uint256 toolId, address account)
        external
        view
        returns (bool hasNft, uint8 tier, uint8 requiredTier, uint64 expiration, bool active)
    {
        PackedConfig config = _requireConfig(toolId);
        requiredTier = uint8(config.first());
        uint256 tokenId = _tokenOf(config, account);
        if (tokenId != 0) {
            hasNft = true;
            tier = _tierOf(config, tokenId);
            (expiration, active) = _expiryOf(config, tokenId);
            active = active && tier >= requiredTier;
        }
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata) external view returns (bool) {
        PackedConfig config = _requireConfig(toolId);
        uint256 tokenId = _tokenOf(config, account);
        if (tokenId == 0) return false;
        (, bool active) = _expiryOf(config, tokenId);
        // The tier is not read if the subscription has expired or the minimum tier is 0.
        return active && (config.first() == 0 || _tierOf(config, tokenId) >= config.first());
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "SubscriptionPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        PackedConfig config = _requireConfig(toolId);
        requirements = RequirementListLib.single(
            type(ISubscription).interfaceId,
            abi.encode(config.target(), config.first()),
            "Hold an active subscription of this tier or higher"
        );
        logic = RequirementLogic.AND;
    }

    function _configure(uint256 toolId, address collection, uint8 minTier, uint256 stipend) private {
        _requireToolCreator(toolId);
        if (collection == address(0)) revert ZeroCollection();
        if (collection.code.length == 0) revert CollectionNotAContract(collection);
        StipendLib.requireValid(stipend, MAX_CALLS);
        _configs[toolId] = PackedConfigLib.pack(collection, minTier, 0, stipend);
        emit ToolGatingConfigured(toolId, collection, minTier);
    }

    function _stipendsOf(uint256 toolId) internal view override returns (uint256 first, uint256 retry, uint256 calls) {
        calls = MAX_CALLS;
        (first, retry) = StipendLib.stipends(_requireConfig(toolId).stipend(), calls);
    }

    /// @dev Returns the token id, or zero if the account has no subscription.
    function _tokenOf(PackedConfig config, address account) private view returns (uint256) {
        if (account == address(0)) return 0;
        if (config.target().code.length == 0) revert CallFailed(config.target());
        return _call(config, ISubscriptionToken.tokenOfOwner.selector, uint160(account), type(uint256).max);
    }

    function _expiryOf(PackedConfig config, uint256 tokenId) private view returns (uint64 expiration, bool active) {
        expiration = uint64(_call(config, ISubscriptionToken.expiresAt.selector, tokenId, type(uint64).max));
        // forge-lint: disable-next-line(block-timestamp): subscriptions have a resolution of seconds
        active = expiration > block.timestamp;
    }

    function _tierOf(PackedConfig config, uint256 tokenId) private view returns (uint8) {
        return uint8(_call(config, ISubscriptionToken.tierOf.selector, tokenId, type(uint8).max));
    }

    /// @dev Reverts if the call fails or the returned value does not fit in the declared return type.
    function _call(PackedConfig config, bytes4 selector, uint256 argument, uint256 max)
        private
        view
        returns (uint256 value)
    {
        bool ok;
        (uint256 first, uint256 retry) = StipendLib.stipends(config.stipend(), MAX_CALLS);
        (ok, value) = StipendLib.tryCallGetter(config.target(), selector, argument, first, retry);
        if (!ok || value > max) revert CallFailed(config.target());
    }
}
