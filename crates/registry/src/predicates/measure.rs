//! Gas of the calls of a predicate, measured on the chain.

use alloy::{
    providers::Provider,
    rpc::types::{TransactionInput, TransactionRequest},
};
use alloy_primitives::{Address, B256, Bytes, FixedBytes, U256, fixed_bytes, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    DEPLOYLESS_CALL,
    IAccessPredicate::hasAccessCall,
    LENS,
    Lens::{MeasuredCall as LensCall, measureCall},
};
use atr_rpc::{BlockView, CallResult};
use serde::Serialize;

use super::{
    Configuration, Stipends, TokenCall, TokenCalls, TokenStandard, composite::TermGas,
    token::decimalsCall,
};
use crate::{Error, InterfaceSupport, Registry, contract};

/// Result of a measured call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Measurement {
    /// The call returned at least 32 bytes.
    Answered {
        /// Gas used by the call.
        gas: u64,
    },
    /// The call reverted, ran out of gas or returned too little.
    Failed,
    /// There is no contract at the address.
    NoCode,
    /// The node could not run the measurement.
    NotMeasured,
}

/// A call of a predicate with its measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "plain data")]
pub struct MeasuredCall {
    #[serde(flatten)]
    pub call: TokenCall,
    #[serde(flatten)]
    pub measurement: Measurement,
}

/// The calls of a configuration, measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StipendMeasurement {
    /// The default stipends of the configuration.
    pub default: Stipends,
    /// The largest stipend that the predicate accepts.
    pub max: u64,
    /// The calls.
    pub calls: Vec<MeasuredCall>,
    /// Contracts that do not declare the standard they should have.
    pub mismatches: Vec<(Address, TokenStandard)>,
    /// Stipend that all measured calls need at least; `None` if none was measured.
    pub needed: Option<u64>,
    /// `needed` with a margin, within the limits of the predicate.
    pub proposed: Option<u64>,
}

impl StipendMeasurement {
    /// Whether the default stipends suffice for the measured calls, with a margin.
    #[must_use]
    pub fn default_suffices(&self) -> bool {
        let needed = self.needed.map_or(0, with_margin);
        needed <= self.default.first.max(self.default.retry)
    }

    /// Whether no call has to be repeated with the larger default stipend. A term of a composite seldom has the gas for that.
    #[must_use]
    pub fn first_suffices(&self) -> bool {
        self.needed.map_or(0, with_margin) <= self.default.first
    }

    /// The stipend to set: `None` for the default stipends if they suffice. For a term of a composite the first must suffice.
    #[must_use]
    pub fn choose(&self, is_term: bool) -> Option<u64> {
        let suffices = if is_term {
            self.first_suffices()
        } else {
            self.default_suffices()
        };
        if suffices { None } else { self.proposed }
    }

    /// Whether the calls cannot be made with any stipend that the predicate accepts.
    #[must_use]
    pub fn exceeds_max(&self) -> bool {
        self.needed.is_some_and(|needed| needed > self.max)
    }

    fn new(calls: &TokenCalls, measured: Vec<MeasuredCall>) -> Self {
        let needed = measured.iter().filter_map(|call| match call.measurement {
            Measurement::Answered { gas } => Some(gas.div_ceil(call.call.units)),
            _ => None,
        });
        let needed = needed.max();
        Self {
            default: calls.default,
            max: calls.max,
            mismatches: Vec::new(),
            needed,
            // Not `clamp`: a list that is too long has a maximum below the minimum.
            proposed: needed.map(|gas| with_margin(gas).min(calls.max).max(calls.min)),
            calls: measured,
        }
    }
}

/// A quarter more, rounded up to hundreds: for accounts with other balances, and for the gas that each level of proxies keeps.
pub(super) const fn with_margin(gas: u64) -> u64 {
    (gas + gas / 4).div_ceil(100) * 100
}

/// Gas with which the registry calls a predicate.
pub const PREDICATE_GAS_LIMIT: u64 = 200_000;

/// Calls that are measured: more than a predicate accepts.
const MAX_CALLS: usize = 16;

/// Gas of a measured call. More than any predicate can use, so that the need of an expensive token is known.
const MEASURED_GAS: u64 = 1_000_000;

/// Gas of the `eth_call` besides that of the measured call: creation of the lens, call data, and the 63/64 rule.
const LENS_OVERHEAD: u64 = 3_000_000;

const ERC721_ID: FixedBytes<4> = fixed_bytes!("0x80ac58cd");
const ERC1155_ID: FixedBytes<4> = fixed_bytes!("0xd9b67a26");

/// An account without tokens: a check of a list then makes all calls.
fn non_holder() -> Address {
    Address::from_word(B256::from(keccak256("atr gas measurement")))
}

impl Registry {
    /// Measures a call in the way predicates call tokens, with cold storage and this gas limit. Needs no contract on the chain.
    ///
    /// # Errors
    ///
    /// When the RPC request fails.
    pub async fn measure_call(
        &self,
        target: Address,
        data: &Bytes,
        gas: u64,
    ) -> Result<Measurement, Error> {
        measure(self.view(), target, data, gas).await
    }

    /// Measures the calls of a predicate with this configuration, and checks that its tokens are what they should be. `None` if
    /// the predicate calls no other contracts, or more than it accepts.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn measure_stipend(
        &self,
        configuration: &Configuration,
    ) -> Result<Option<StipendMeasurement>, Error> {
        let Some(calls) = configuration.token_calls(non_holder()) else {
            return Ok(None);
        };
        if calls.calls.len() > MAX_CALLS {
            return Ok(None);
        }
        let view = self.view_at(self.block().await?);
        let mut measured = Vec::with_capacity(calls.calls.len());
        for call in &calls.calls {
            let gas = MEASURED_GAS;
            measured.push(MeasuredCall {
                call: call.clone(),
                measurement: measure(view, call.target, &call.data, gas).await?,
            });
        }
        let mut measurement = StipendMeasurement::new(&calls, measured);
        for (token, standard) in calls.tokens {
            if !has_standard(view, token, standard).await? {
                measurement.mismatches.push((token, standard));
            }
        }
        Ok(Some(measurement))
    }

    /// The gas that a predicate needs as a term of a composite: reported by `gasNeeded`, and measured with this stipend.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn measure_term(
        &self,
        predicate: Address,
        tool_id: U256,
        stipend: u64,
    ) -> Result<TermGas, Error> {
        let call = hasAccessCall {
            toolId: tool_id,
            account: non_holder(),
            data: Bytes::new(),
        };
        let data = call.abi_encode().into();
        let (measurement, reported) = tokio::try_join!(
            measure(self.view(), predicate, &data, stipend),
            self.gas_needed(predicate, tool_id),
        )?;
        Ok(TermGas {
            reported,
            measured: match measurement {
                Measurement::Answered { gas } => Some(gas),
                _ => None,
            },
        })
    }
}

async fn measure(
    view: BlockView<'_>,
    target: Address,
    data: &Bytes,
    gas: u64,
) -> Result<Measurement, Error> {
    let call = measureCall {
        calls: vec![LensCall {
            target,
            gasLimit: U256::from(gas),
            data: data.clone(),
        }],
    };
    let arguments = (LENS.creation().clone(), call.abi_encode()).abi_encode_params();
    let input = [DEPLOYLESS_CALL.creation().as_ref(), &arguments].concat();
    let request = TransactionRequest {
        input: TransactionInput::both(input.into()),
        gas: Some(gas + LENS_OVERHEAD),
        ..Default::default()
    };
    let response = view.provider.call(request).block(view.block).await;
    let measured = CallResult::from_response(response)?
        .returned()
        .and_then(|bytes| measureCall::abi_decode_returns_validate(&bytes).ok())
        .and_then(|measured| measured.into_iter().next());
    Ok(match measured {
        None => Measurement::NotMeasured,
        Some(measured) if !measured.hasCode => Measurement::NoCode,
        Some(measured) if !measured.ok => Measurement::Failed,
        Some(measured) => Measurement::Answered {
            gas: measured.gasUsed.saturating_to(),
        },
    })
}

/// ERC-20 has no interface id: `decimals` distinguishes a token from a collection.
async fn has_standard(
    view: BlockView<'_>,
    token: Address,
    standard: TokenStandard,
) -> Result<bool, Error> {
    let id = match standard {
        TokenStandard::Erc721 => ERC721_ID,
        TokenStandard::Erc1155 => ERC1155_ID,
        TokenStandard::Erc20 => {
            let decimals = contract::call(view, token, decimalsCall {}).await?;
            return Ok(decimals.is_some());
        }
    };
    let support = contract::interface_support(view, token, id).await?;
    Ok(support == InterfaceSupport::Declared)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurement(
        calls: &[(u64, Measurement)],
        stipends: Stipends,
        max: u64,
    ) -> StipendMeasurement {
        let calls = calls.iter().map(|(units, measurement)| MeasuredCall {
            call: TokenCall {
                target: Address::ZERO,
                function: "f",
                data: Bytes::new(),
                units: *units,
                may_fail: false,
            },
            measurement: *measurement,
        });
        let limits = TokenCalls {
            default: stipends,
            min: 2_300,
            max,
            calls: Vec::new(),
            tokens: Vec::new(),
        };
        StipendMeasurement::new(&limits, calls.collect())
    }

    const STIPENDS: Stipends = Stipends {
        first: 12_000,
        retry: 20_000,
    };

    #[test]
    fn the_default_suffices_up_to_the_retry_stipend_with_a_margin() {
        let answered = |gas| measurement(&[(1, Measurement::Answered { gas })], STIPENDS, 30_000);
        assert!(answered(9_600).first_suffices() && !answered(9_601).first_suffices());
        assert!(answered(16_000).default_suffices());
        assert_eq!(answered(16_000).choose(false), None);
        assert_eq!(answered(16_000).choose(true), Some(20_000));
        let large = answered(16_001);
        assert!(!large.default_suffices() && !large.exceeds_max());
        assert_eq!(large.proposed, Some(20_100));
        // The proposal stays within the limits of the predicate.
        assert_eq!(answered(29_000).proposed, Some(30_000));
        assert!(!answered(30_000).exceeds_max());
        assert!(answered(30_001).exceeds_max());
        assert_eq!(answered(100).proposed, Some(2_300));
        let too_long = [(1, Measurement::Answered { gas: 9_000 })];
        assert_eq!(measurement(&too_long, STIPENDS, 0).proposed, Some(2_300));
    }

    #[test]
    fn failed_calls_do_not_count_and_units_divide_the_need() {
        let failed = measurement(&[(1, Measurement::Failed)], STIPENDS, 30_000);
        assert_eq!((failed.needed, failed.proposed), (None, None));
        assert!(failed.default_suffices());
        let calls = [
            (5, Measurement::Answered { gas: 10_001 }),
            (6, Measurement::Answered { gas: 6_000 }),
        ];
        assert_eq!(measurement(&calls, STIPENDS, 30_000).needed, Some(2_001));
    }
}
