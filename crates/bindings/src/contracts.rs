//! The contracts this project deploys. **[`for_each_predicate`] is the one table of predicates**: generated types, bytecode,
//! [`PredicateKind`] and every list of predicates in other crates derive from it.

use alloy_primitives::FixedBytes;
use alloy_sol_types::sol;

use crate::{
    ACCESS_PROOF_ID, ALWAYS_DENIED_ID, ContractCode, ERC20_BALANCE_ID, ERC721_HOLDING_ID,
    ERC1155_HOLDING_ID, ERC7496_TRAIT_ID, MERKLE_ALLOWLIST_ID, SUBSCRIPTION_ID,
};

/// Passes the table of predicates to the macro `$callback`, one row per predicate.
///
/// `configurable` predicates store a configuration per tool; their constructor takes the registry. `stateless` predicates have
/// no configuration and no constructor arguments. The columns of a row:
///
/// 1. name of the module and of the field that belong to it;
/// 2. variant of [`PredicateKind`];
/// 3. contract;
/// 4. constant with its bytecode;
/// 5. artifact (a literal, because `sol!` needs one);
/// 6. whether its result depends on the call data, as declared through `IReadsCallData`;
/// 7. id of the requirement kind that its `getRequirements` returns, in brackets; empty if it has none of its own;
/// 8. documentation of the bytecode constant.
#[macro_export]
macro_rules! for_each_predicate {
    ($callback:ident) => {
        $callback! {
            configurable {
                access_proof, AccessProof, AccessProofPredicate, ACCESS_PROOF_PREDICATE,
                    "artifacts/AccessProofPredicate.json", true, [ACCESS_PROOF_ID],
                    "Grants access to accounts that signed an AccessProof.";
                composite, Composite, CompositePredicate, COMPOSITE_PREDICATE,
                    "artifacts/CompositePredicate.json", false, [],
                    "Grants access if ALL or ANY of several predicates grant it; each may be negated.";
                erc1155_owner, Erc1155, ERC1155OwnerPredicate, ERC1155_OWNER_PREDICATE,
                    "artifacts/ERC1155OwnerPredicate.json", false, [ERC1155_HOLDING_ID],
                    "Grants access to holders of ERC-1155 tokens.";
                erc20_balance, Erc20, ERC20BalancePredicate, ERC20_BALANCE_PREDICATE,
                    "artifacts/ERC20BalancePredicate.json", false, [ERC20_BALANCE_ID],
                    "Grants access to holders of a minimum ERC-20 balance.";
                erc721_owner, Erc721, ERC721OwnerPredicate, ERC721_OWNER_PREDICATE,
                    "artifacts/ERC721OwnerPredicate.json", false, [ERC721_HOLDING_ID],
                    "Grants access to holders of ERC-721 collections.";
                merkle_allowlist, Allowlist, MerkleAllowlistPredicate, MERKLE_ALLOWLIST_PREDICATE,
                    "artifacts/MerkleAllowlistPredicate.json", true, [MERKLE_ALLOWLIST_ID],
                    "Grants access to the accounts of a Merkle tree.";
                subscription, Subscription, SubscriptionPredicate, SUBSCRIPTION_PREDICATE,
                    "artifacts/SubscriptionPredicate.json", false, [SUBSCRIPTION_ID],
                    "Grants access to active subscriptions of a minimum tier.";
                trait_gated, Trait, TraitGatedPredicate, TRAIT_GATED_PREDICATE,
                    "artifacts/TraitGatedPredicate.json", true, [ERC7496_TRAIT_ID],
                    "Grants access to holders of a token with a trait (ERC-7496).";
            }
            stateless {
                always_deny, AlwaysDeny, AlwaysDenyPredicate, ALWAYS_DENY_PREDICATE,
                    "artifacts/AlwaysDenyPredicate.json", false, [ALWAYS_DENIED_ID],
                    "Denies every account. Pauses a tool.";
            }
        }
    };
}

sol!(
    #[sol(all_derives)]
    ToolRegistry,
    "artifacts/ToolRegistry.json"
);

/// The registry. Its constructor takes no arguments.
pub static TOOL_REGISTRY: ContractCode = ContractCode::new(
    "ToolRegistry",
    &ToolRegistry::BYTECODE,
    &ToolRegistry::DEPLOYED_BYTECODE,
);

macro_rules! optional {
    () => {
        None
    };
    ($id:ident) => {
        Some($id)
    };
}

macro_rules! define {
    (
        configurable { $($configurable:tt)* }
        stateless { $($stateless:tt)* }
    ) => {
        define! { @rows $($configurable)* $($stateless)* }
        define! { @configurable $($configurable)* }
    };
    (@rows $(
        $module:ident, $kind:ident, $contract:ident, $code:ident, $artifact:literal, $reads_call_data:literal,
        [$($requirement:ident)?], $doc:literal;
    )*) => {
        $(
            // A module of its own, because `sol!` copies an attribute to every item it generates.
            mod $module {
                #![expect(
                    missing_docs,
                    reason = "`sol!` generates an undocumented struct for the enum in the ABI"
                )]

                alloy_sol_types::sol!(
                    #[sol(all_derives)]
                    $contract,
                    $artifact
                );
            }
            pub use $module::$contract;

            #[doc = $doc]
            pub static $code: ContractCode = ContractCode::new(
                stringify!($contract),
                &$contract::BYTECODE,
                &$contract::DEPLOYED_BYTECODE,
            );
        )*

        const PREDICATE_COUNT: usize = [$(stringify!($contract)),*].len();

        /// Every contract: the registry, then the predicates.
        pub static CONTRACTS: [&ContractCode; PREDICATE_COUNT + 1] = [&TOOL_REGISTRY, $(&$code),*];

        /// The predicates this project deploys.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum PredicateKind {
            $(#[doc = concat!("`", stringify!($contract), "`: ", $doc)] $kind,)*
        }

        impl PredicateKind {
            /// Every predicate, in the order of the table.
            pub const ALL: [Self; PREDICATE_COUNT] = [$(Self::$kind),*];

            /// Its bytecode.
            #[must_use]
            pub const fn code(self) -> &'static ContractCode {
                match self {
                    $(Self::$kind => &$code,)*
                }
            }

            /// Whether its result depends on the call data. Such a predicate must not be negated.
            #[must_use]
            pub const fn reads_call_data(self) -> bool {
                match self {
                    $(Self::$kind => $reads_call_data,)*
                }
            }

            /// The requirement kind its `getRequirements` returns. A composite has none: it returns those of its terms.
            #[must_use]
            pub const fn requirement_id(self) -> Option<FixedBytes<4>> {
                match self {
                    $(Self::$kind => optional!($($requirement)?),)*
                }
            }
        }
    };
    (@configurable $(
        $module:ident, $kind:ident, $contract:ident, $code:ident, $artifact:literal, $reads_call_data:literal,
        [$($requirement:ident)?], $doc:literal;
    )*) => {
        impl PredicateKind {
            /// Whether it stores a configuration per tool. If so, its constructor takes the registry.
            #[must_use]
            pub const fn is_configurable(self) -> bool {
                matches!(self, $(Self::$kind)|*)
            }
        }
    };
}

for_each_predicate!(define);

impl PredicateKind {
    /// Name of the contract; `name()` returns the same.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.code().name()
    }

    /// Short name in kebab case, such as `erc721` or `access-proof`.
    #[must_use]
    pub fn slug(self) -> String {
        let variant = format!("{self:?}");
        let words = variant.char_indices().map(|(index, letter)| {
            let dash = if index > 0 && letter.is_uppercase() {
                "-"
            } else {
                ""
            };
            format!("{dash}{}", letter.to_lowercase())
        });
        words.collect()
    }

    /// The predicate with this short name.
    #[must_use]
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.slug() == slug)
    }

    /// The predicate with this contract name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The predicate whose requirements have this kind.
    #[must_use]
    pub fn from_requirement_id(id: FixedBytes<4>) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.requirement_id() == Some(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_requirement_kinds_identify_a_predicate() {
        for kind in PredicateKind::ALL {
            assert_eq!(PredicateKind::from_name(kind.name()), Some(kind));
            assert_eq!(PredicateKind::from_slug(&kind.slug()), Some(kind));
            if let Some(id) = kind.requirement_id() {
                assert_eq!(PredicateKind::from_requirement_id(id), Some(kind));
            }
        }
        assert_eq!(PredicateKind::from_name(TOOL_REGISTRY.name()), None);
        assert_eq!(PredicateKind::AccessProof.slug(), "access-proof");
        assert_eq!(PredicateKind::Erc1155.slug(), "erc1155");
    }

    #[test]
    fn exactly_the_configurable_predicates_take_the_registry() {
        for kind in PredicateKind::ALL {
            assert_eq!(
                kind.code().takes_registry(),
                kind.is_configurable(),
                "{kind:?}"
            );
        }
        assert!(!TOOL_REGISTRY.takes_registry());
    }
}
