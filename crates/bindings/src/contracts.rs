//! The contracts we deploy: generated types and the code itself.

use alloy_sol_types::sol;

use crate::ContractCode;

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

/// Generated types and code of a predicate. The artifact's path has to be spelled out: `sol!` reads it as a literal.
macro_rules! predicate {
    ($module:ident, $contract:ident, $artifact:literal, $code:ident, $doc:literal) => {
        // In a module of its own because an attribute cannot stand on `sol!`: it would be handed to every generated item.
        mod $module {
            #![expect(
                missing_docs,
                reason = "the ABI's enum becomes a struct that the macro leaves undocumented"
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
    };
}

predicate!(
    access_proof_predicate,
    AccessProofPredicate,
    "artifacts/AccessProofPredicate.json",
    ACCESS_PROOF_PREDICATE,
    "Lets in who signed an AccessProof. Its constructor takes no arguments."
);
predicate!(
    always_deny_predicate,
    AlwaysDenyPredicate,
    "artifacts/AlwaysDenyPredicate.json",
    ALWAYS_DENY_PREDICATE,
    "Lets nobody in: the pause. Its constructor takes no arguments."
);
predicate!(
    composite_predicate,
    CompositePredicate,
    "artifacts/CompositePredicate.json",
    COMPOSITE_PREDICATE,
    "ALL or ANY of other predicates, each as it is or negated. Its constructor takes the registry."
);
predicate!(
    erc1155owner_predicate,
    ERC1155OwnerPredicate,
    "artifacts/ERC1155OwnerPredicate.json",
    ERC1155_OWNER_PREDICATE,
    "Lets in holders of ERC-1155 tokens. Its constructor takes the registry."
);
predicate!(
    erc20balance_predicate,
    ERC20BalancePredicate,
    "artifacts/ERC20BalancePredicate.json",
    ERC20_BALANCE_PREDICATE,
    "Lets in balances of at least an amount. Its constructor takes the registry."
);
predicate!(
    erc721owner_predicate,
    ERC721OwnerPredicate,
    "artifacts/ERC721OwnerPredicate.json",
    ERC721_OWNER_PREDICATE,
    "Lets in holders of ERC-721 collections. Its constructor takes the registry."
);
predicate!(
    merkle_allowlist_predicate,
    MerkleAllowlistPredicate,
    "artifacts/MerkleAllowlistPredicate.json",
    MERKLE_ALLOWLIST_PREDICATE,
    "Lets in accounts on a list known by its Merkle root. Its constructor takes the registry."
);
predicate!(
    subscription_predicate,
    SubscriptionPredicate,
    "artifacts/SubscriptionPredicate.json",
    SUBSCRIPTION_PREDICATE,
    "Lets in running subscriptions of a tier or higher. Its constructor takes the registry."
);
predicate!(
    trait_gated_predicate,
    TraitGatedPredicate,
    "artifacts/TraitGatedPredicate.json",
    TRAIT_GATED_PREDICATE,
    "Lets in holders of a token with a trait. Its constructor takes the registry."
);

/// Every contract that can be deployed from here, by name.
pub static CONTRACTS: [&ContractCode; 10] = [
    &ACCESS_PROOF_PREDICATE,
    &ALWAYS_DENY_PREDICATE,
    &COMPOSITE_PREDICATE,
    &ERC1155_OWNER_PREDICATE,
    &ERC20_BALANCE_PREDICATE,
    &ERC721_OWNER_PREDICATE,
    &MERKLE_ALLOWLIST_PREDICATE,
    &SUBSCRIPTION_PREDICATE,
    &TOOL_REGISTRY,
    &TRAIT_GATED_PREDICATE,
];
