//! Choice of the stipend of a predicate, from gas measured on the chain.

use alloy_primitives::Address;
use atr_bindings::PredicateKind;
use atr_registry::{
    Configuration, Registry,
    predicates::{Measurement, StipendMeasurement, Stipends, TokenMismatch, TokenStandard},
};

use crate::{args::StipendArg, error::slug, output::grouped};

/// A stipend in words, and warnings about the tokens.
#[derive(Debug, Default)]
pub(crate) struct StipendChoice {
    /// `None` if the predicate calls no other contracts.
    description: Option<String>,
    /// Whether the stipend is not the default.
    is_notable: bool,
    pub(crate) warnings: Vec<String>,
    /// Why a token cannot be used.
    pub(crate) problems: Vec<String>,
    /// Addresses without a contract, which every predicate rejects.
    pub(crate) missing: Vec<Address>,
}

impl StipendChoice {
    /// Measures the calls of a configuration and sets its stipend. Without an argument, the default stipends are kept if they
    /// suffice; for a predicate that is not the access predicate of the tool, and so can only be a term, if the first suffices.
    pub(crate) async fn apply(
        registry: &Registry,
        configuration: &mut Configuration,
        arg: Option<StipendArg>,
        is_term: bool,
    ) -> Self {
        let measured = match registry.measure_stipend(configuration).await {
            Ok(Some(measured)) => measured,
            Ok(None) => return Self::default(),
            // The configuration is valid without a measurement.
            Err(error) => {
                let mut choice = Self::default();
                choice
                    .warnings
                    .push(format!("gas is not measured: {error}"));
                if let (Some(stipend), Some(StipendArg::Gas(gas))) = (configuration.stipend(), arg)
                {
                    *stipend = Some(gas);
                }
                return choice;
            }
        };
        let unit = stipend_unit(configuration.kind());
        let chosen = match arg {
            Some(StipendArg::Gas(gas)) => Some(gas),
            Some(StipendArg::Default) => None,
            Some(StipendArg::Auto) => measured.proposed,
            None => measured.choose(is_term),
        };
        if let Some(stipend) = configuration.stipend() {
            *stipend = chosen;
        }
        Self {
            description: Some(describe(&measured, chosen, is_term, unit)),
            is_notable: chosen.is_some(),
            warnings: warnings(&measured, chosen),
            problems: problems(&measured),
            missing: measured
                .calls
                .iter()
                .filter(|call| call.measurement == Measurement::NoCode)
                .map(|call| call.call.target)
                .collect(),
        }
    }

    /// The line of the plan: only if the stipend is not the default, or with details.
    pub(crate) fn shown(&self, is_verbose: bool) -> Option<String> {
        let description = self.description.clone();
        description.filter(|_| self.is_notable || is_verbose)
    }
}

/// What a stipend is for. An ERC-1155 collection has a unit per token id and four more.
pub(crate) const fn stipend_unit(kind: PredicateKind) -> &'static str {
    match kind {
        PredicateKind::Erc1155 => "unit",
        _ => "token call",
    }
}

/// Stipends as text: `12,000 per token call, retry with 140,000`.
pub(crate) fn describe_stipends(stipends: Stipends, unit: &str) -> String {
    let first = format!("{} per {unit}", grouped(stipends.first));
    if stipends.first == stipends.retry {
        return first;
    }
    format!("{first}, retry with {}", grouped(stipends.retry))
}

fn describe(
    measured: &StipendMeasurement,
    chosen: Option<u64>,
    is_term: bool,
    unit: &str,
) -> String {
    let default = describe_stipends(measured.default, unit);
    let needed = match measured.needed {
        Some(needed) => format!("; measured: {}", grouped(needed)),
        None => String::new(),
    };
    let Some(gas) = chosen else {
        return format!("{default} (default{needed})");
    };
    let gas = format!("{} per {unit}", grouped(gas));
    if !measured.default_suffices() {
        format!("{gas}; the default is too small: {default}{needed}")
    } else if is_term && !measured.first_suffices() {
        format!("{gas}; the default is too small for a term of a composite: {default}{needed}")
    } else {
        format!("{gas} (default: {default}{needed})")
    }
}

fn warnings(measured: &StipendMeasurement, chosen: Option<u64>) -> Vec<String> {
    let mut warnings = Vec::new();
    for measured in &measured.calls {
        let (target, function) = (measured.call.target, measured.call.function);
        match measured.measurement {
            // Without code the transaction is rejected. A call that must not fail is a problem.
            Measurement::Answered { .. } | Measurement::NoCode => {}
            Measurement::NotMeasured => {
                warnings.push(format!("the node cannot measure {function} of {target}"));
            }
            Measurement::Failed if measured.call.may_fail => warnings.push(format!(
                "{function} of {target} is not measured: it fails for token 1"
            )),
            Measurement::Failed => {}
        }
    }
    let uncertain = measured.mismatches.iter();
    for mismatch in uncertain.filter(|mismatch| !mismatch.is_certain) {
        let TokenMismatch {
            token, expected, ..
        } = mismatch;
        warnings.push(match expected {
            TokenStandard::Erc20 => {
                format!("{token} does not have decimals(): it may not be an ERC-20 token")
            }
            expected => format!("{token} does not declare {expected} through ERC-165"),
        });
    }
    if let Some(needed) = measured.needed {
        let available = chosen.unwrap_or(measured.default.first.max(measured.default.retry));
        if measured.exceeds_max() {
            warnings.push(format!(
                "a call needs {} gas, and the maximum for this configuration is {} gas: access will be unknown",
                grouped(needed),
                grouped(measured.max)
            ));
        } else if needed > available {
            warnings.push(format!(
                "a call needs {} gas, more than its stipend of {} gas: access will be unknown",
                grouped(needed),
                grouped(available)
            ));
        }
    }
    warnings
}

/// Tokens of another standard, and calls that fail.
fn problems(measured: &StipendMeasurement) -> Vec<String> {
    let certain = measured.mismatches.iter();
    let certain: Vec<_> = certain.filter(|mismatch| mismatch.is_certain).collect();
    let mut problems: Vec<_> = certain
        .iter()
        .map(|mismatch| describe_mismatch(mismatch))
        .collect();
    for measured in &measured.calls {
        let (target, function) = (measured.call.target, measured.call.function);
        let is_known = certain.iter().any(|mismatch| mismatch.token == target);
        if measured.measurement == Measurement::Failed && !measured.call.may_fail && !is_known {
            problems.push(format!(
                "calls to {function} of {target} fail: access would be unknown"
            ));
        }
    }
    problems
}

fn describe_mismatch(mismatch: &TokenMismatch) -> String {
    let TokenMismatch {
        token,
        expected,
        found,
        ..
    } = mismatch;
    let start = format!("{token} is not an {expected} contract");
    match (expected, found) {
        (TokenStandard::Erc721, Some(TokenStandard::Erc20)) => format!(
            "{start}; it looks like an ERC-20 token, of which any balance would grant access: use erc20 with an amount"
        ),
        (_, Some(TokenStandard::Erc20)) => format!(
            "{start}; it looks like an ERC-20 token, and access would be unknown: use erc20 with an amount"
        ),
        (TokenStandard::Erc20, Some(found)) => format!(
            "{start}; it declares {found}, and its balances are numbers of tokens: use {}",
            slug(*found)
        ),
        (_, Some(found)) => format!(
            "{start}; it declares {found}, and access would be unknown: use {}",
            slug(*found)
        ),
        (_, None) => format!("{start}: it denies {expected} through ERC-165"),
    }
}
