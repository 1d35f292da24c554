#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod abi;
mod contract;
mod error;
mod gate;
mod introspection;
mod json;
pub mod predicates;
mod registry;
mod requirements;
mod revert_reason;
mod tool_call;

pub use atr_rpc::{Call, LogStreamOptions, Poll, StartBlock};
pub use contract::{
    Contract, INVALID_INTERFACE, InterfaceSupport, ProxyIndicator, TokenInfo, proxy_indicators,
};
pub use error::Error;
pub use gate::{Condition, Gate, GateError, GateExpression, GateTerm, TermSetting, TokenAmount};
pub use introspection::{
    DIAGNOSTIC_GAS, INTROSPECTION_GAS, Introspection, IntrospectionLimits, Limit, MAX_NAME_BYTES,
};
pub use predicates::{
    Configuration, ConfigurationState, ConfigurationWarning, PredicateGas, PredicateInfo,
    PredicateWarning,
};
pub use registry::{
    Access, EventBatch, EventCheckpoint, LoggedEvent, LoggedPredicateEvent, MAX_TOOLS,
    PredicateEvent, REFERENCE_CHAINS, REFERENCE_REGISTRY, Registration, RegistrationAccess,
    Registry, RegistryInfo, SET_PREDICATE_GAS_LIMIT, ScriptRunner, ToolConfig, ToolEvent,
    ToolEventStream, ToolPages, ToolState,
};
pub use requirements::{CustomText, Logic, Requirement, RequirementKind};
pub use revert_reason::RevertReason;
