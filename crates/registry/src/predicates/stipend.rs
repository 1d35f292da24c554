//! Stipends: the gas limits with which a predicate calls other contracts. The constants are those of `StipendLib`; a test
//! compares them with the contracts.

use alloy_primitives::{Address, Bytes};
use serde::Serialize;

/// Gas limits per call. A call that fails with the first stipend is repeated with the second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "documented on the type")]
pub struct Stipends {
    pub first: u64,
    /// Equal to `first` if failed calls are not repeated.
    pub retry: u64,
}

/// How a configured predicate calls other contracts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenCalls {
    /// The stipends if the creator chooses none.
    pub default: Stipends,
    /// Smallest stipend that the predicate accepts.
    pub min: u64,
    /// Largest stipend that the predicate accepts for this configuration.
    pub max: u64,
    /// The calls to measure.
    pub calls: Vec<TokenCall>,
    /// The contracts and what they should be.
    pub tokens: Vec<(Address, TokenStandard)>,
}

/// A call of a predicate to a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct TokenCall {
    pub target: Address,
    /// Name of the function.
    pub function: &'static str,
    #[serde(skip)]
    pub data: Bytes,
    /// The call has this multiple of the stipend.
    pub units: u64,
    /// Whether the call has a token id that may not exist. Its failure then means nothing.
    pub may_fail: bool,
}

/// A token standard that a contract can be checked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum TokenStandard {
    Erc20,
    Erc721,
    Erc1155,
}

impl std::fmt::Display for TokenStandard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Erc20 => "ERC-20",
            Self::Erc721 => "ERC-721",
            Self::Erc1155 => "ERC-1155",
        })
    }
}

const FIRST: u64 = 12_000;
pub(super) const RETRY_BUDGET: u64 = 140_000;
const MIN: u64 = 2_300;
pub(super) const MAX_GAS: u64 = 190_000;
pub(super) const OVERHEAD_PER_CALL: u64 = 3_400;
const CALL_MARGIN: u64 = 500;

impl Stipends {
    /// The default of a predicate that makes up to `calls` calls.
    pub(super) const fn of_calls(calls: u64) -> Self {
        Self {
            first: FIRST,
            retry: RETRY_BUDGET / calls,
        }
    }

    /// The stipend that the creator chose. A chosen stipend is used for all calls, so a result that equals the default is not
    /// distinguishable from it.
    pub(super) fn chosen(self, default: Self) -> Option<u64> {
        (self.first == self.retry && self != default).then_some(self.first)
    }
}

impl TokenCalls {
    /// For a predicate that makes up to `count` calls, each with the whole stipend.
    pub(super) const fn new(
        count: u64,
        calls: Vec<TokenCall>,
        tokens: Vec<(Address, TokenStandard)>,
    ) -> Self {
        Self {
            default: Stipends::of_calls(count),
            min: MIN,
            max: max_stipend((MAX_GAS / count).saturating_sub(OVERHEAD_PER_CALL)),
            calls,
            tokens,
        }
    }
}

/// The largest stipend that can be forwarded with this gas under the 63/64 rule, as `BoundedCallLib.maxStipend`. Zero for a list
/// that is too long for any stipend.
pub(super) const fn max_stipend(available: u64) -> u64 {
    available.saturating_sub(CALL_MARGIN) * 63 / 64
}
