#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod build;
mod code;
mod contracts;
mod interface_id;
mod interfaces;

pub use build::{Build, CodeRange, Compiler};
pub use code::ContractCode;
pub use contracts::{
    ACCESS_PROOF_PREDICATE, ALWAYS_DENY_PREDICATE, AccessProofPredicate, AlwaysDenyPredicate,
    COMPOSITE_PREDICATE, CONTRACTS, CompositePredicate, ERC20_BALANCE_PREDICATE,
    ERC20BalancePredicate, ERC721_OWNER_PREDICATE, ERC721OwnerPredicate, ERC1155_OWNER_PREDICATE,
    ERC1155OwnerPredicate, MERKLE_ALLOWLIST_PREDICATE, MerkleAllowlistPredicate,
    SUBSCRIPTION_PREDICATE, SubscriptionPredicate, TOOL_REGISTRY, TRAIT_GATED_PREDICATE,
    ToolRegistry, TraitGatedPredicate,
};
pub use interface_id::{
    ACCESS_PREDICATE_ID, ACCESS_PROOF_ID, ALWAYS_DENIED_ID, ERC20_BALANCE_ID, ERC165_ID,
    ERC721_HOLDING_ID, ERC1155_HOLDING_ID, ERC7496_TRAIT_ID, MERKLE_ALLOWLIST_ID,
    NEGATED_REQUIREMENT_ID, NESTED_REQUIREMENTS_ID, READS_CALL_DATA_ID, SUBSCRIPTION_ID,
    TOOL_REGISTRY_ID, interface_id,
};
pub use interfaces::{
    IAccessPredicate::{self, AccessRequirement, RequirementLogic},
    IAccessProof, IAlwaysDenied, IERC20Balance, IERC721Holding, IERC1155Holding, IERC7496Trait,
    IMerkleAllowlist, INegatedRequirement, INestedRequirements, IReadsCallData, ISubscription,
    IToolRegistry::{self, ToolConfig},
};
