//! Stipends: the gas of the calls that a predicate makes to tokens.

use alloy_primitives::{Address, U256};
use atr_bindings::ERC721OwnerPredicate::InvalidStipend;

use super::predicate::call_failed;
use crate::model::{CallResult, Context};

/// The default stipend of a call.
pub(super) const FIRST: u64 = 12_000;

/// The default gas of repeated calls, divided among the calls of a check.
pub(super) const RETRY_BUDGET: u64 = 140_000;

const MIN: u64 = 2_300;
const MAX_GAS: u64 = 190_000;
const PLAIN_CALL: u64 = 2_900;
pub(super) const OVERHEAD: u64 = 3_300;
pub(super) const OVERHEAD_PER_CALL: u64 = 3_400;
pub(super) const STORE: u64 = 2_700;

/// The stipend of a call, and that of its repetition after a failure. Equal if failed calls are not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stipends {
    pub(super) first: u64,
    pub(super) retry: u64,
}

impl Stipends {
    /// The stipend chosen by the creator, or the defaults if it is zero.
    pub(super) const fn new(chosen: u64, first: u64, retry: u64) -> Self {
        match chosen {
            0 => Self { first, retry },
            _ => Self {
                first: chosen,
                retry: chosen,
            },
        }
    }

    /// Of a tool whose check makes up to `calls` calls.
    pub(super) const fn of_calls(chosen: u64, calls: u64) -> Self {
        Self::new(chosen, FIRST, RETRY_BUDGET / calls)
    }

    /// `gasNeeded` of a check with up to `calls` calls.
    pub(super) const fn gas_needed(self, calls: u64) -> u64 {
        let more = match calls {
            0 | 1 => 0,
            _ => STORE + (calls - 1) * (OVERHEAD_PER_CALL + PLAIN_CALL),
        };
        gas_required(self.first) + OVERHEAD_PER_CALL + OVERHEAD + more
    }

    /// Calls a token, and repeats a failed call.
    pub(super) fn call_word(
        self,
        token: Address,
        calldata: &[u8],
        context: Context<'_>,
    ) -> Result<U256, Failure> {
        match call_word(token, self.first, calldata, context) {
            Err(_) if self.first < self.retry => call_word(token, self.retry, calldata, context),
            result => result,
        }
    }

    /// Calls a token, and repeats a failed call unless it reverted with an error. The tokens of this model that revert with an error
    /// have not run out of gas.
    pub(super) fn call_word_or_error(
        self,
        token: Address,
        calldata: &[u8],
        context: Context<'_>,
    ) -> Result<U256, Failure> {
        match call_word(token, self.first, calldata, context) {
            Err(failure) if self.first < self.retry && !failure.has_error => {
                call_word(token, self.retry, calldata, context)
            }
            result => result,
        }
    }
}

fn call_word(
    token: Address,
    stipend: u64,
    calldata: &[u8],
    context: Context<'_>,
) -> Result<U256, Failure> {
    let returned = context.call_token(token, stipend, calldata)?;
    let word = returned.first_chunk::<32>().ok_or(Failure::SILENT)?;
    Ok(U256::from_be_bytes(*word))
}

/// A failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Whether it reverted with an error: at least four bytes.
    pub has_error: bool,
}

impl Failure {
    /// Without revert data.
    pub const SILENT: Self = Self { has_error: false };
}

/// The gas that must be left to forward a stipend.
pub(super) const fn gas_required(stipend: u64) -> u64 {
    stipend + stipend / 63 + 500
}

/// The largest stipend that this gas can forward.
const fn max_stipend(gas: u64) -> u64 {
    (gas - 500) * 63 / 64
}

/// A stipend of zero, or one with which `calls` calls fit in the registry's gas limit.
pub(super) fn valid_stipend(stipend: U256, calls: u64) -> Result<u64, CallResult> {
    let max = max_stipend(MAX_GAS / calls - OVERHEAD_PER_CALL);
    in_range(stipend, MIN, max)
}

/// The largest stipend with which `calls` calls fit in the registry's gas limit, besides other gas.
pub(super) const fn max_stipend_besides(calls: u64, other: u64) -> u64 {
    max_stipend(MAX_GAS - calls * OVERHEAD_PER_CALL - other)
}

/// Zero, or in the range.
pub(super) fn in_range(stipend: U256, min: u64, max: u64) -> Result<u64, CallResult> {
    match u64::try_from(stipend) {
        Ok(0) => Ok(0),
        Ok(gas) if (min..=max).contains(&gas) => Ok(gas),
        _ => Err(CallResult::reverts(&InvalidStipend {
            stipend,
            min: U256::from(min),
            max: U256::from(max),
        })),
    }
}

/// Whether any contract of a list grants access. After a failed call, that call and the later ones have the larger stipend. If no
/// contract grants, the last one that failed makes the result unknown.
pub(super) fn any_grants<'a, T: 'a>(
    entries: impl IntoIterator<Item = &'a T>,
    stipends: Stipends,
    context: Context<'_>,
    contract: impl Fn(&T) -> Address,
    check: impl Fn(&T, u64) -> Option<bool>,
) -> Result<bool, CallResult> {
    let mut stipend = stipends.first;
    let mut failed = None;
    for entry in entries {
        let mut result = None;
        if context.has_code(contract(entry)) {
            result = check(entry, stipend);
            if result.is_none() && stipend < stipends.retry {
                stipend = stipends.retry;
                result = check(entry, stipend);
            }
        }
        match result {
            Some(true) => return Ok(true),
            Some(false) => {}
            None => failed = Some(contract(entry)),
        }
    }
    failed.map_or(Ok(false), |contract| Err(call_failed(contract)))
}
