#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod code;
mod contracts;
mod interface_id;
mod interfaces;

pub use code::ContractCode;
pub use contracts::{CONTRACTS, TOOL_REGISTRY, ToolRegistry};
pub use interface_id::{
    ACCESS_PREDICATE_ID, ERC165_ID, ERC721_HOLDING_ID, ERC1155_HOLDING_ID, SUBSCRIPTION_ID,
    TOOL_REGISTRY_ID, interface_id,
};
pub use interfaces::{
    IAccessPredicate::{self, AccessRequirement, RequirementLogic},
    IERC721Holding, IERC1155Holding, ISubscription,
    IToolRegistry::{self, ToolConfig},
};
