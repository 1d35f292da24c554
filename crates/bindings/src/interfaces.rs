//! The interfaces of ERC-8257, one module each, from their committed ABI.
//!
//! Talk to any registry or predicate through these, ours or a stranger's: they hold what the standard fixes and no more.

use alloy_sol_types::sol;

sol!(
    #[sol(all_derives)]
    IToolRegistry,
    "artifacts/IToolRegistry.json"
);

// In a module of its own because an attribute cannot stand on the macro: it would be handed to every generated item.
mod access_predicate {
    #![expect(
        missing_docs,
        reason = "the ABI's enum becomes a struct that the macro leaves undocumented"
    )]

    alloy_sol_types::sol!(
        #[sol(all_derives)]
        IAccessPredicate,
        "artifacts/IAccessPredicate.json"
    );
}
pub use access_predicate::IAccessPredicate;

sol!(
    #[sol(all_derives)]
    IERC721Holding,
    "artifacts/IERC721Holding.json"
);

sol!(
    #[sol(all_derives)]
    IERC1155Holding,
    "artifacts/IERC1155Holding.json"
);

sol!(
    #[sol(all_derives)]
    ISubscription,
    "artifacts/ISubscription.json"
);

sol!(
    #[sol(all_derives)]
    IERC20Balance,
    "artifacts/IERC20Balance.json"
);

sol!(
    #[sol(all_derives)]
    IERC7496Trait,
    "artifacts/IERC7496Trait.json"
);

sol!(
    #[sol(all_derives)]
    IMerkleAllowlist,
    "artifacts/IMerkleAllowlist.json"
);

sol!(
    #[sol(all_derives)]
    IAccessProof,
    "artifacts/IAccessProof.json"
);

sol!(
    #[sol(all_derives)]
    IAlwaysDenied,
    "artifacts/IAlwaysDenied.json"
);

sol!(
    #[sol(all_derives)]
    INegatedRequirement,
    "artifacts/INegatedRequirement.json"
);

sol!(
    #[sol(all_derives)]
    INestedRequirements,
    "artifacts/INestedRequirements.json"
);

sol!(
    #[sol(all_derives)]
    IReadsCallData,
    "artifacts/IReadsCallData.json"
);
