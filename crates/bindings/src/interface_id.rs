//! ERC-165 interface ids, computed from the generated types: a changed function set changes its id by itself.

use alloy_primitives::FixedBytes;
use alloy_sol_types::SolCall;

use crate::{
    IAccessPredicate::IAccessPredicateCalls, IERC721Holding::IERC721HoldingCalls,
    IERC1155Holding::IERC1155HoldingCalls, ISubscription::ISubscriptionCalls,
    IToolRegistry::IToolRegistryCalls, ToolRegistry::supportsInterfaceCall,
};

/// Id of `IToolRegistry`; its `supportsInterface` is not part of it (ERC-8257 § 9).
pub const TOOL_REGISTRY_ID: FixedBytes<4> = interface_id(IToolRegistryCalls::SELECTORS);

/// Id of `IAccessPredicate`, `getRequirements` included: the second question of the registry's ladder.
pub const ACCESS_PREDICATE_ID: FixedBytes<4> = interface_id(IAccessPredicateCalls::SELECTORS);

/// Id of ERC-165 itself: the first question of the ladder.
pub const ERC165_ID: FixedBytes<4> = interface_id(&[supportsInterfaceCall::SELECTOR]);

/// Requirement kind "holds a token of an ERC-721 collection"; data is `(address collection)`.
pub const ERC721_HOLDING_ID: FixedBytes<4> = interface_id(IERC721HoldingCalls::SELECTORS);

/// Requirement kind "holds this ERC-1155 token"; data is `(address collection, uint256 tokenId)`.
pub const ERC1155_HOLDING_ID: FixedBytes<4> = interface_id(IERC1155HoldingCalls::SELECTORS);

/// Requirement kind "has a subscription"; data is `(address collection, uint8 minTier)`.
pub const SUBSCRIPTION_ID: FixedBytes<4> = interface_id(ISubscriptionCalls::SELECTORS);

/// The ERC-165 id of a set of functions: all selectors, exclusive-or.
#[must_use]
pub const fn interface_id(selectors: &[[u8; 4]]) -> FixedBytes<4> {
    let mut id = 0;
    let mut i = 0;
    while i < selectors.len() {
        id ^= u32::from_be_bytes(selectors[i]);
        i += 1;
    }
    FixedBytes(id.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_exclusive_or_of_its_selectors() {
        assert_eq!(interface_id(&[]), [0; 4]);
        assert_eq!(interface_id(&[[1, 2, 3, 4]]), [1, 2, 3, 4]);
        assert_eq!(
            interface_id(&[[1, 2, 3, 4], [1, 0, 3, 255]]),
            [0, 2, 0, 251]
        );
    }
}
