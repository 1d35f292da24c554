#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod build;
mod code;
mod contracts;
#[expect(missing_docs, reason = "generated items and plain data")]
mod interfaces;
#[expect(missing_docs, reason = "generated items")]
mod periphery;

pub use build::{Build, CodeRange, Compiler};
pub use code::{ContractCode, REGISTRY_IMMUTABLE};
pub use contracts::*;
pub use interfaces::{
    IAccessPredicate::{AccessRequirement, RequirementLogic},
    IToolRegistry::ToolConfig,
    *,
};
pub use periphery::*;
