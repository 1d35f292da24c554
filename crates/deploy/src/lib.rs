#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod audit;
mod error;
mod executor;
mod explorer;
mod factory;
mod plan;
mod storage;
mod suite;

pub use audit::{
    Audit, AuditRequest, AuditStatus, ContractAudit, Finding, MissingInput, Origin, Subject,
};
pub use error::Error;
pub use executor::{DeployedContract, Deployment, Event, Executor, Signing};
pub use explorer::{Etherscan, Explorer, Sourcify, Verification};
pub use factory::{FACTORY, FactoryTransaction};
pub use plan::{Blocker, ContractState, FactoryPlan, Plan, PlannedContract};
pub use storage::{ContractEntry, Record, RecordFolder};
pub use suite::{Suite, Target, predicate_address, registration_script_address};
