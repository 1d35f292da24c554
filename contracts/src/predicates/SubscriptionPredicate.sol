// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "../interfaces/IAccessPredicate.sol";
import { ISubscription } from "../interfaces/IRequirementTypes.sol";
import { IToolRegistry } from "../interfaces/IToolRegistry.sol";
import { ISubscriptionToken } from "../interfaces/external/ISubscriptionToken.sol";
import { ISubscriptionPredicate } from "../interfaces/predicates/ISubscriptionPredicate.sol";
import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";
import { RequirementListLib } from "../libraries/RequirementListLib.sol";
import { ConfiguredPredicate } from "./base/ConfiguredPredicate.sol";

/// @title SubscriptionPredicate
/// @notice See `ISubscriptionPredicate`.
contract SubscriptionPredicate is ConfiguredPredicate, ISubscriptionPredicate {
    /// @dev One slot.
    struct Gating {
        address collection;
        uint8 minTier;
        bool isSet;
    }

    /// @inheritdoc ISubscriptionPredicate
    uint256 public constant GAS_PER_QUESTION = 10_000;

    mapping(uint256 toolId => Gating) private _gating;

    /// @param registry The registry whose tools can be configured.
    constructor(IToolRegistry registry) ConfiguredPredicate(registry) { }

    /// @inheritdoc ISubscriptionPredicate
    function configureToolGating(uint256 toolId, address collection, uint8 minTier) external {
        _requireToolCreator(toolId);
        _gating[toolId] = Gating({ collection: collection, minTier: minTier, isSet: true });
        emit ToolGatingConfigured(toolId, collection, minTier);
    }

    /// @inheritdoc ISubscriptionPredicate
    function getToolGatingConfig(uint256 toolId) external view returns (address collection, uint8 minTier) {
        Gating memory gating = _gating[toolId];
        return (gating.collection, gating.minTier);
    }

    /// @inheritdoc ISubscriptionPredicate
    function getSubscriptionStatus(uint256 toolId, address account)
        external
        view
        returns (bool hasNft, uint8 tier, uint8 requiredTier, uint64 expiration, bool active)
    {
        Gating memory gating = _requireGating(toolId);
        uint256 tokenId = _tokenOf(gating.collection, account);
        requiredTier = gating.minTier;
        if (tokenId != 0) {
            hasNft = true;
            tier = _tierOf(gating.collection, tokenId);
            (expiration, active) = _expiryOf(gating.collection, tokenId);
        }
    }

    /// @inheritdoc IAccessPredicate
    function hasAccess(uint256 toolId, address account, bytes calldata) external view returns (bool) {
        Gating memory gating = _requireGating(toolId);
        uint256 tokenId = _tokenOf(gating.collection, account);
        if (tokenId == 0) return false;
        (, bool active) = _expiryOf(gating.collection, tokenId);
        // The tier is not read if the subscription has expired or the minimum tier is 0.
        return active && (gating.minTier == 0 || _tierOf(gating.collection, tokenId) >= gating.minTier);
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
        Gating memory gating = _requireGating(toolId);
        if (gating.collection == address(0)) return (_alwaysDenied(), logic);
        requirements = RequirementListLib.single(
            type(ISubscription).interfaceId,
            abi.encode(gating.collection, gating.minTier),
            "Hold a running subscription of this tier or higher"
        );
    }

    function _requireGating(uint256 toolId) private view returns (Gating memory gating) {
        gating = _gating[toolId];
        if (!gating.isSet) revert NotConfigured(toolId);
    }

    /// @dev Returns the token id, or zero if the account has no subscription or the collection has no code.
    function _tokenOf(address collection, address account) private view returns (uint256) {
        if (collection.code.length == 0) return 0;
        return _call(collection, abi.encodeCall(ISubscriptionToken.tokenOfOwner, (account)), type(uint256).max);
    }

    function _expiryOf(address collection, uint256 tokenId) private view returns (uint64 expiration, bool active) {
        expiration =
            uint64(_call(collection, abi.encodeCall(ISubscriptionToken.expiresAt, (tokenId)), type(uint64).max));
        // forge-lint: disable-next-line(block-timestamp): subscriptions have a resolution of seconds
        active = expiration > block.timestamp;
    }

    function _tierOf(address collection, uint256 tokenId) private view returns (uint8) {
        return uint8(_call(collection, abi.encodeCall(ISubscriptionToken.tierOf, (tokenId)), type(uint8).max));
    }

    /// @dev Reverts if the call fails or the returned value does not fit in the declared return type.
    function _call(address collection, bytes memory callData, uint256 max) private view returns (uint256 value) {
        bool ok;
        (ok, value) = BoundedCallLib.tryStaticCallWord(collection, GAS_PER_QUESTION, callData);
        if (!ok || value > max) revert NoAnswer(collection);
    }
}
