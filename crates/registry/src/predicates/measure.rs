//! Gas of the calls of a predicate, measured on the chain.

use alloy::{
    providers::Provider,
    rpc::types::{TransactionInput, TransactionRequest},
};
use alloy_primitives::{Address, B256, Bytes, FixedBytes, U256, fixed_bytes, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    DEPLOYLESS_CALL, ERC165_ID,
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

/// A contract that does not declare the standard that a predicate expects of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenMismatch {
    /// Address of the contract.
    pub token: Address,
    /// The standard that the predicate expects.
    pub expected: TokenStandard,
    /// The standard that the contract has instead, if it is known.
    pub found: Option<TokenStandard>,
    /// Whether the contract denies the standard: through ERC-165, or because it has another one. Otherwise it does not support
    /// ERC-165, and may have the standard all the same.
    pub is_certain: bool,
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
    pub mismatches: Vec<TokenMismatch>,
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
            let mismatch = check_standard(view, token, standard).await?;
            measurement.mismatches.extend(mismatch);
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

/// `None` if the contract declares the standard. ERC-20 has no interface id: `decimals` distinguishes a token from a collection.
async fn check_standard(
    view: BlockView<'_>,
    token: Address,
    expected: TokenStandard,
) -> Result<Option<TokenMismatch>, Error> {
    let (erc165, erc721, erc1155, decimals) = tokio::try_join!(
        contract::supports_interface(view, token, ERC165_ID),
        contract::interface_support(view, token, ERC721_ID),
        contract::interface_support(view, token, ERC1155_ID),
        contract::call(view, token, decimalsCall {}),
    )?;
    let (has_standard, denies) = match expected {
        TokenStandard::Erc20 => (decimals.is_some(), false),
        TokenStandard::Erc721 => support(erc721),
        TokenStandard::Erc1155 => support(erc1155),
    };
    if has_standard {
        return Ok(None);
    }
    let found = declared(erc721, erc1155).or_else(|| {
        // Collections older than ERC-165 can have zero decimals.
        let is_token = erc165.is_none() && decimals.is_some_and(|decimals| decimals > 0);
        is_token.then_some(TokenStandard::Erc20)
    });
    Ok(Some(TokenMismatch {
        token,
        expected,
        found,
        is_certain: denies || found.is_some(),
    }))
}

fn declared(erc721: InterfaceSupport, erc1155: InterfaceSupport) -> Option<TokenStandard> {
    if erc721 == InterfaceSupport::Declared {
        Some(TokenStandard::Erc721)
    } else if erc1155 == InterfaceSupport::Declared {
        Some(TokenStandard::Erc1155)
    } else {
        None
    }
}

/// Whether an interface is declared, and whether it is denied.
fn support(support: InterfaceSupport) -> (bool, bool) {
    (
        support == InterfaceSupport::Declared,
        support == InterfaceSupport::NotDeclared,
    )
}

impl Registry {
    /// The standard that a contract declares through ERC-165: ERC-721 or ERC-1155.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn declared_standard(&self, token: Address) -> Result<Option<TokenStandard>, Error> {
        let view = self.view();
        let (erc721, erc1155) = tokio::try_join!(
            contract::interface_support(view, token, ERC721_ID),
            contract::interface_support(view, token, ERC1155_ID),
        )?;
        Ok(declared(erc721, erc1155))
    }
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
