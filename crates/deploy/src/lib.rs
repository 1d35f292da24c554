#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod atomic;
mod audit;
mod blocker;
mod error;
mod estimate;
mod executor;
mod explorer;
mod factory;
mod inspect;
mod journal;
mod node;
mod plan;
mod provenance;
mod record;
mod reference;
mod suite;
mod transport;

pub use atr_registry::{FeeLimits, Fees, WaitPolicy, Wei};
pub use audit::{Audit, AuditRequest, ContractAudit, Subject};
pub use blocker::Blocker;
pub use error::Error;
pub use executor::{Deployed, Event, Executor, Outcome};
pub use explorer::{Etherscan, Explorer, Sourcify, Verification};
pub use factory::{FACTORY, Keyless};
pub use inspect::{Finding, Verdict};
pub use journal::Journal;
pub use node::Node;
pub use plan::{FactoryPlan, FactoryState, Plan, PlannedContract, State};
pub use record::{ContractEntry, Record, RecordFolder};
pub use suite::{Suite, Target};
