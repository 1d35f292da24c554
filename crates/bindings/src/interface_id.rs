//! ERC-165 interface ids, computed from the generated types: a changed function set changes its id by itself.

use alloy_primitives::FixedBytes;
use alloy_sol_types::SolCall;

use crate::{
    IAccessPredicate::IAccessPredicateCalls, IAccessProof::IAccessProofCalls,
    IAlwaysDenied::IAlwaysDeniedCalls, IERC20Balance::IERC20BalanceCalls,
    IERC721Holding::IERC721HoldingCalls, IERC1155Holding::IERC1155HoldingCalls,
    IERC7496Trait::IERC7496TraitCalls, IMerkleAllowlist::IMerkleAllowlistCalls,
    INegatedRequirement::INegatedRequirementCalls, INestedRequirements::INestedRequirementsCalls,
    IReadsCallData::IReadsCallDataCalls, ISubscription::ISubscriptionCalls,
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

/// Requirement kind "holds an amount of an ERC-20 token"; data is `(address token, uint256 minBalance)`.
pub const ERC20_BALANCE_ID: FixedBytes<4> = interface_id(IERC20BalanceCalls::SELECTORS);

/// Requirement kind "holds a token with a trait"; data is `(address collection, address traitsContract, bytes32 traitKey, bytes32[] allowedValues)`.
pub const ERC7496_TRAIT_ID: FixedBytes<4> = interface_id(IERC7496TraitCalls::SELECTORS);

/// Requirement kind "is on a list"; data is `(bytes32 root)`.
pub const MERKLE_ALLOWLIST_ID: FixedBytes<4> = interface_id(IMerkleAllowlistCalls::SELECTORS);

/// Requirement kind "has signed an AccessProof"; data is `(bytes32 domainSeparator)`.
pub const ACCESS_PROOF_ID: FixedBytes<4> = interface_id(IAccessProofCalls::SELECTORS);

/// Requirement kind "nobody"; data is empty.
pub const ALWAYS_DENIED_ID: FixedBytes<4> = interface_id(IAlwaysDeniedCalls::SELECTORS);

/// Requirement kind "the opposite of another"; data is `(bytes4 kind, bytes data)`.
pub const NEGATED_REQUIREMENT_ID: FixedBytes<4> = interface_id(INegatedRequirementCalls::SELECTORS);

/// Requirement kind "several that count as one"; data is `(uint8 logic, AccessRequirement[] requirements)`.
pub const NESTED_REQUIREMENTS_ID: FixedBytes<4> = interface_id(INestedRequirementsCalls::SELECTORS);

/// What a predicate claims through ERC-165 if its answer depends on the call data: it must not be negated.
pub const READS_CALL_DATA_ID: FixedBytes<4> = interface_id(IReadsCallDataCalls::SELECTORS);

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
