//! Steps of a scenario. They refer to tools and accounts by index, so that a scenario stays valid when steps are removed.

use alloy_primitives::{B256, Bytes, FixedBytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{ACCESS_PREDICATE_ID, ERC165_ID, IAccessPredicate::hasAccessCall};
use atr_harness::{Fork, Script};

use super::Uri;
use crate::variation::Variation;

/// A fork and a sequence of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Scenario {
    pub fork: Fork,
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Step {
    pub action: Action,
    /// Of calls only.
    pub variation: Variation,
}

/// An action. Indices are taken modulo the number of choices.
#[expect(
    missing_docs,
    reason = "each is the call of its name and its arguments"
)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Register {
        by: usize,
        uri: Uri,
        hash: B256,
        predicate: usize,
    },
    Update {
        tool: ToolPick,
        by: Caller,
        uri: NewUri,
        hash: Option<B256>,
    },
    SetPredicate {
        tool: ToolPick,
        by: Caller,
        predicate: NewPredicate,
    },
    Deregister {
        tool: ToolPick,
        by: Caller,
    },
    ReadConfig {
        tool: ToolPick,
    },
    /// `tryHasAccess` or `hasAccess`.
    CheckAccess {
        tool: ToolPick,
        account: usize,
        data: Bytes,
        is_try: bool,
    },
    /// `toolCount`, `name`, `version` or `supportsInterface`.
    ReadConstant {
        index: usize,
        interface: FixedBytes<4>,
    },
    /// Changes the script of a predicate.
    SetScript {
        predicate: usize,
        call: ScriptedCall,
        script: Script,
    },
    /// Sets or removes the code of a scripted predicate.
    SetCode {
        predicate: usize,
        has_code: bool,
    },
}

/// A registered or deregistered tool, or an unused id.
#[expect(missing_docs, reason = "the names are self-explanatory")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolPick {
    Existing(usize),
    /// The last id plus this number.
    AfterLast(u64),
    /// An existing id with more bits set.
    Aliased(usize, U256),
    Any(U256),
}

/// The sender.
#[expect(missing_docs, reason = "the names are self-explanatory")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    Creator,
    Account(usize),
    /// The tool's predicate, which has no write access.
    Predicate,
}

/// The new URI of an update.
#[expect(missing_docs, reason = "the names are self-explanatory")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewUri {
    Same,
    Other(Uri),
    /// The old URI with these bytes appended.
    Extended(Vec<u8>),
    /// The old URI truncated.
    Truncated(usize),
}

/// The new predicate.
#[expect(missing_docs, reason = "the names are self-explanatory")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewPredicate {
    Same,
    Index(usize),
}

/// A call that a scripted predicate can have a script for.
#[expect(missing_docs, reason = "the names are self-explanatory")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptedCall {
    SupportsErc165,
    SupportsPredicate,
    HasAccess,
}

impl ScriptedCall {
    /// The key of its script.
    #[must_use]
    pub fn key(self) -> FixedBytes<4> {
        match self {
            Self::SupportsErc165 => ERC165_ID,
            Self::SupportsPredicate => ACCESS_PREDICATE_ID,
            Self::HasAccess => hasAccessCall::SELECTOR.into(),
        }
    }
}
