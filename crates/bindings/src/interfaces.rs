//! The interfaces of ERC-8257 and the requirement kinds, with their ERC-165 ids.
//!
//! They contain only what the standard and the published markers define, so they work with any registry and any predicate.

use alloy_primitives::FixedBytes;
use alloy_sol_types::SolCall;

/// One generated interface.
#[derive(Clone, Copy, Debug)]
pub struct Interface {
    pub name: &'static str,
    /// ERC-165 id.
    pub id: FixedBytes<4>,
    /// Function selectors, in the order of `signatures`.
    pub selectors: &'static [[u8; 4]],
    pub signatures: &'static [&'static str],
}

/// The ERC-165 id of a set of functions: the exclusive or of their selectors.
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

/// ERC-165 id of ERC-165 itself: the first query of the registry's interface check.
pub const ERC165_ID: FixedBytes<4> =
    interface_id(&[crate::ToolRegistry::supportsInterfaceCall::SELECTOR]);

/// One row per interface: name, generated enum of its calls, artifact, id constant, documentation of the id.
/// The artifact's path is spelled out because `sol!` needs a literal.
macro_rules! interfaces {
    ($($interface:ident, $calls:ident, $artifact:literal, $id:ident, $doc:literal;)*) => {
        $(
            alloy_sol_types::sol!(
                #[sol(all_derives)]
                $interface,
                $artifact
            );

            #[doc = $doc]
            pub const $id: FixedBytes<4> = interface_id($interface::$calls::SELECTORS);
        )*

        /// Every interface in `artifacts/`.
        pub const INTERFACES: &[Interface] = &[$(Interface {
            name: stringify!($interface),
            id: $id,
            selectors: $interface::$calls::SELECTORS,
            signatures: $interface::$calls::SIGNATURES,
        }),*];
    };
}

interfaces! {
    IToolRegistry, IToolRegistryCalls, "artifacts/IToolRegistry.json", TOOL_REGISTRY_ID,
        "Id of `IToolRegistry`. `supportsInterface` is not part of it (ERC-8257 § 9).";
    IAccessPredicate, IAccessPredicateCalls, "artifacts/IAccessPredicate.json", ACCESS_PREDICATE_ID,
        "Id of `IAccessPredicate`, including `getRequirements`: the second query of the registry's interface check.";
    IReadsCallData, IReadsCallDataCalls, "artifacts/IReadsCallData.json", READS_CALL_DATA_ID,
        "Declared by predicates whose result depends on the call data. They must not be negated.";
    IERC721Holding, IERC721HoldingCalls, "artifacts/IERC721Holding.json", ERC721_HOLDING_ID,
        "Requirement kind: holds a token of an ERC-721 collection. Data: `(address collection)`.";
    IERC1155Holding, IERC1155HoldingCalls, "artifacts/IERC1155Holding.json", ERC1155_HOLDING_ID,
        "Requirement kind: holds an ERC-1155 token. Data: `(address collection, uint256 tokenId)`.";
    ISubscription, ISubscriptionCalls, "artifacts/ISubscription.json", SUBSCRIPTION_ID,
        "Requirement kind: has an active subscription. Data: `(address collection, uint8 minTier)`.";
    IERC20Balance, IERC20BalanceCalls, "artifacts/IERC20Balance.json", ERC20_BALANCE_ID,
        "Requirement kind: minimum ERC-20 balance. Data: `(address token, uint256 minBalance)`.";
    IERC7496Trait, IERC7496TraitCalls, "artifacts/IERC7496Trait.json", ERC7496_TRAIT_ID,
        "Requirement kind: holds a token with a trait. Data: `(address collection, address traitsContract, bytes32 traitKey, bytes32[] allowedValues)`.";
    IMerkleAllowlist, IMerkleAllowlistCalls, "artifacts/IMerkleAllowlist.json", MERKLE_ALLOWLIST_ID,
        "Requirement kind: is on an allowlist. Data: `(bytes32 root)`.";
    IAccessProof, IAccessProofCalls, "artifacts/IAccessProof.json", ACCESS_PROOF_ID,
        "Requirement kind: presents a signed AccessProof. Data: `(bytes32 domainSeparator)`.";
    IAlwaysDenied, IAlwaysDeniedCalls, "artifacts/IAlwaysDenied.json", ALWAYS_DENIED_ID,
        "Requirement kind: cannot be met. Data: empty.";
    INegatedRequirement, INegatedRequirementCalls, "artifacts/INegatedRequirement.json", NEGATED_REQUIREMENT_ID,
        "Requirement kind: negation of another requirement. Data: `(bytes4 kind, bytes data)`.";
    INestedRequirements, INestedRequirementsCalls, "artifacts/INestedRequirements.json", NESTED_REQUIREMENTS_ID,
        "Requirement kind: nested list of requirements. Data: `(uint8 logic, AccessRequirement[] requirements)`.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_id_is_the_exclusive_or_of_its_selectors() {
        assert_eq!(interface_id(&[]), [0; 4]);
        assert_eq!(interface_id(&[[1, 2, 3, 4]]), [1, 2, 3, 4]);
        assert_eq!(
            interface_id(&[[1, 2, 3, 4], [1, 0, 3, 255]]),
            [0, 2, 0, 251]
        );
    }
}
