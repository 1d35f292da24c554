//! Steps: what is done to the registry and around it. They pick relatively, so that any of them can be left out.

use alloy_primitives::{B256, Bytes, FixedBytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{ACCESS_PREDICATE_ID, ERC165_ID, IAccessPredicate::hasAccessCall};
use atr_harness::{Fork, Script};

use super::Uri;
use crate::form::Form;

/// A chain and what is done on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// The rules of the chain.
    pub fork: Fork,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// One thing done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What.
    pub act: Act,
    /// In which way; of calls only.
    pub form: Form,
}

/// What is done. Numbers pick, modulo how many there are.
#[expect(
    missing_docs,
    reason = "each is the call of its name and its arguments"
)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
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
    /// `hasAccess`, or `tryHasAccess`.
    Ask {
        tool: ToolPick,
        account: usize,
        data: Bytes,
        plainly: bool,
    },
    /// `toolCount`, `name`, `version` or `supportsInterface`.
    ReadConstant {
        which: usize,
        interface: FixedBytes<4>,
    },
    /// A scripted predicate changes its mind.
    Rescript {
        predicate: usize,
        question: Question,
        script: Script,
    },
    /// A scripted predicate gets its code, or loses it.
    SetAlive {
        predicate: usize,
        alive: bool,
    },
}

/// A tool that exists or existed; or an id that none has.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolPick {
    Existing(usize),
    /// So many behind the last.
    Next(u64),
    /// An existing id, and this on top.
    Aliased(usize, U256),
    Any(U256),
}

/// Who calls.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Whoever created the tool.
    Creator,
    Actor(usize),
    /// The tool's predicate: it decides on access and on nothing else.
    Predicate,
}

/// What the URI is changed to.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewUri {
    Same,
    Fresh(Uri),
    /// The old one and this behind it.
    Longer(Vec<u8>),
    /// So many bytes of the old one.
    Cut(usize),
}

/// What the predicate is changed to.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewPredicate {
    Same,
    Of(usize),
}

/// What a predicate is asked.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    IsErc165,
    IsPredicate,
    HasAccess,
}

impl Question {
    /// How a scripted predicate knows it.
    #[must_use]
    pub fn id(self) -> FixedBytes<4> {
        match self {
            Self::IsErc165 => ERC165_ID,
            Self::IsPredicate => ACCESS_PREDICATE_ID,
            Self::HasAccess => hasAccessCall::SELECTOR.into(),
        }
    }
}
