//! Configurations that do not work as their creator may expect.

use std::{collections::BTreeMap, fmt};

use alloy_primitives::{Address, U256};
use atr_bindings::PredicateKind;

use super::{Configuration, ConfigurationState, composite, erc20_balance};
use crate::{Access, Error, Registry, contract};

/// Why a predicate gives the same result to every account, or cannot give one. The text continues a sentence about the predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "plain data")]
pub enum ConfigurationWarning {
    /// The result is unknown.
    NotConfigured,
    /// The predicate calls an address without code: the result is unknown, or denied for other entries of a list.
    NoContract { token: Address },
    /// `AlwaysDenyPredicate`.
    AlwaysDenies,
    /// No account can be on the list.
    EmptyList,
    /// No account can hold the balance.
    ExceedsSupply { token: Address, supply: U256 },
    /// The terms of a composition contradict each other, or one of them can never grant access.
    NeverGrants,
    /// The terms of a composition cover all cases.
    AlwaysGrants,
    /// A warning about a term of a composition.
    Term {
        predicate: Address,
        warning: Box<Self>,
    },
}

impl fmt::Display for ConfigurationWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConfigured => {
                f.write_str("is not configured for this tool: its result is unknown")
            }
            Self::NoContract { token } => {
                write!(
                    f,
                    "calls {token}, where there is no contract: its result is unknown"
                )
            }
            Self::AlwaysDenies => f.write_str("denies every account"),
            Self::EmptyList => f.write_str("has an empty list: it denies every account"),
            Self::ExceedsSupply { token, supply } => write!(
                f,
                "requires a larger balance of {token} than its total supply of {supply} base units: it denies every account"
            ),
            Self::NeverGrants => f.write_str("can never grant access"),
            Self::AlwaysGrants => f.write_str("grants access to every account"),
            Self::Term { predicate, warning } => {
                write!(f, "has a term, {predicate}, that {warning}")
            }
        }
    }
}

impl ConfigurationWarning {
    /// The result that every account gets; `None` if it can differ.
    const fn result(&self) -> Option<Access> {
        match self {
            Self::NotConfigured => Some(Access::Unknown),
            Self::AlwaysDenies
            | Self::EmptyList
            | Self::ExceedsSupply { .. }
            | Self::NeverGrants => Some(Access::Denied),
            Self::AlwaysGrants => Some(Access::Granted),
            // Other entries of a list can grant access.
            Self::NoContract { .. } | Self::Term { .. } => None,
        }
    }
}

impl Registry {
    /// Warnings about the configuration of a predicate of this kind for a tool. The terms of a composite are included, those of
    /// composites inside it are not.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn configuration_warnings(
        &self,
        predicate: Address,
        kind: PredicateKind,
        tool_id: U256,
    ) -> Result<Vec<ConfigurationWarning>, Error> {
        let composite = match self.read_for_warnings(predicate, kind, tool_id).await? {
            Ok(Configuration::Composite(composite)) => composite,
            Ok(configuration) => return self.warnings_of(&configuration).await,
            Err(warnings) => return Ok(warnings),
        };
        if composite.clauses.is_empty() {
            return Ok(vec![ConfigurationWarning::EmptyList]);
        }
        let mut warnings = Vec::new();
        let mut results = BTreeMap::new();
        for term in composite.predicates() {
            for warning in self.term_warnings(term, tool_id).await? {
                if let Some(result) = warning.result() {
                    results.insert(term, result);
                }
                warnings.push(ConfigurationWarning::Term {
                    predicate: term,
                    warning: Box::new(warning),
                });
            }
        }
        warnings.extend(result_warning(&composite, &results));
        Ok(warnings)
    }

    async fn term_warnings(
        &self,
        term: Address,
        tool_id: U256,
    ) -> Result<Vec<ConfigurationWarning>, Error> {
        let name = contract::name(self.view(), term).await?;
        let kind = name.as_deref().and_then(PredicateKind::from_name);
        match kind {
            Some(PredicateKind::Composite) | None => {
                let is_missing = self.is_not_configured(term, tool_id).await?;
                let warning = is_missing.then_some(ConfigurationWarning::NotConfigured);
                Ok(warning.into_iter().collect())
            }
            Some(kind) => match self.read_for_warnings(term, kind, tool_id).await? {
                Ok(configuration) => self.warnings_of(&configuration).await,
                Err(warnings) => Ok(warnings),
            },
        }
    }

    /// The configuration, or warnings that make reading it unnecessary.
    async fn read_for_warnings(
        &self,
        predicate: Address,
        kind: PredicateKind,
        tool_id: U256,
    ) -> Result<Result<Configuration, Vec<ConfigurationWarning>>, Error> {
        if kind == PredicateKind::AlwaysDeny {
            return Ok(Err(vec![ConfigurationWarning::AlwaysDenies]));
        }
        Ok(match self.configuration(predicate, kind, tool_id).await? {
            ConfigurationState::Configured(configuration) => Ok(configuration),
            ConfigurationState::NotConfigured => Err(vec![ConfigurationWarning::NotConfigured]),
            ConfigurationState::Unreadable => Err(Vec::new()),
        })
    }

    /// Warnings about a configuration that is not a composition.
    async fn warnings_of(
        &self,
        configuration: &Configuration,
    ) -> Result<Vec<ConfigurationWarning>, Error> {
        let is_empty = match configuration {
            Configuration::Erc721(list) => list.collections.is_empty(),
            Configuration::Erc1155(list) => list.tokens.is_empty(),
            Configuration::Allowlist(list) => list.root.is_zero(),
            _ => false,
        };
        if is_empty {
            return Ok(vec![ConfigurationWarning::EmptyList]);
        }
        let mut warnings = Vec::new();
        let calls = configuration.token_calls(Address::ZERO);
        let calls = calls.map_or_else(Vec::new, |calls| calls.calls);
        let mut targets: Vec<_> = calls.iter().map(|call| call.target).collect();
        targets.dedup();
        // A contract of another project: more than what our predicates accept is not checked.
        targets.truncate(MAX_TARGETS);
        for token in targets {
            if self.view().code(token).await?.is_empty() {
                warnings.push(ConfigurationWarning::NoContract { token });
            }
        }
        if let Configuration::Erc20(balance) = configuration {
            warnings.extend(self.supply_warning(balance).await?);
        }
        Ok(warnings)
    }

    async fn supply_warning(
        &self,
        balance: &erc20_balance::Configuration,
    ) -> Result<Option<ConfigurationWarning>, Error> {
        let token = balance.token;
        let info = self.token_info(token).await?;
        let supply = info.total_supply;
        let supply = supply.filter(|supply| balance.min_balance > *supply);
        Ok(supply.map(|supply| ConfigurationWarning::ExceedsSupply { token, supply }))
    }
}

/// Contracts whose code is checked.
const MAX_TARGETS: usize = 16;

/// A warning if the composition can have only one result, given the results of some terms.
fn result_warning(
    composite: &composite::Configuration,
    results: &BTreeMap<Address, Access>,
) -> Option<ConfigurationWarning> {
    let possible = composite.possible_results(|term| results.get(&term).copied());
    if !possible.contains(&Access::Granted) {
        return Some(ConfigurationWarning::NeverGrants);
    }
    let always = possible.len() == 1;
    always.then_some(ConfigurationWarning::AlwaysGrants)
}
