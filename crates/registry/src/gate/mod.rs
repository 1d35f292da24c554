//! Gates: conditions in one expression, and the predicates and configurations that check them.

mod condition;
mod error;
mod expression;

use alloy_primitives::{Address, U256};
use atr_bindings::PredicateKind;

pub use self::{
    condition::{Condition, TokenAmount},
    error::GateError,
    expression::GateExpression,
};
use crate::{
    Call, Configuration, Registry, TokenInfo,
    predicates::{
        composite::{self, formula::Literal},
        erc20_balance, erc721_owner, erc1155_owner,
        merkle_allowlist::{self, Allowlist},
        subscription,
    },
};

/// The predicates of a gate and their configurations. Until all of them are set for a tool, the gate grants access to no account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    terms: Vec<GateTerm>,
    /// `None` if the only term is the access predicate.
    composite: Option<(Address, composite::Configuration)>,
}

/// A condition with the predicate that checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct GateTerm {
    pub condition: Condition,
    pub predicate: Address,
    pub setting: TermSetting,
}

/// How the predicate of a term is configured.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TermSetting {
    /// The same for every tool.
    Configuration(Configuration),
    /// An amount of a token, with what the token reports.
    Balance {
        /// The minimum in base units.
        configuration: Configuration,
        /// Decimals, symbol and supply.
        token: TokenInfo,
    },
    /// The Merkle root of the accounts, which contains the tool id. At least one account; duplicates are possible.
    Accounts(Vec<Address>),
    /// The predicate needs no configuration.
    None,
}

impl GateTerm {
    /// The configuration for a tool; `None` if the predicate needs none.
    #[must_use]
    pub fn configuration(&self, tool_id: U256) -> Option<Configuration> {
        match &self.setting {
            TermSetting::Configuration(configuration)
            | TermSetting::Balance { configuration, .. } => Some(configuration.clone()),
            TermSetting::Accounts(accounts) => {
                let list = Allowlist::try_new(tool_id, accounts.iter().copied())?;
                Some(merkle_allowlist::Configuration { root: list.root() }.into())
            }
            TermSetting::None => None,
        }
    }

    /// The configuration that does not depend on the tool, to set its stipend.
    pub const fn configuration_mut(&mut self) -> Option<&mut Configuration> {
        match &mut self.setting {
            TermSetting::Configuration(configuration)
            | TermSetting::Balance { configuration, .. } => Some(configuration),
            TermSetting::Accounts(_) | TermSetting::None => None,
        }
    }
}

impl Gate {
    /// The access predicate: that of the only condition, or the composite.
    #[must_use]
    pub fn predicate(&self) -> Address {
        match &self.composite {
            Some((composite, _)) => *composite,
            None => self.terms[0].predicate,
        }
    }

    /// The kind of the access predicate.
    #[must_use]
    pub fn kind(&self) -> PredicateKind {
        match &self.composite {
            Some(_) => PredicateKind::Composite,
            None => self.terms[0].condition.kind(),
        }
    }

    /// All predicates with their kinds; the access predicate is last.
    #[must_use]
    pub fn predicates(&self) -> Vec<(PredicateKind, Address)> {
        let terms = self.terms.iter();
        let terms = terms.map(|term| (term.condition.kind(), term.predicate));
        let composite = self.composite.iter();
        let composite = composite.map(|(address, _)| (PredicateKind::Composite, *address));
        terms.chain(composite).collect()
    }

    /// The conditions; at least one.
    #[must_use]
    pub fn terms(&self) -> &[GateTerm] {
        &self.terms
    }

    /// The conditions, to set their stipends.
    pub fn terms_mut(&mut self) -> &mut [GateTerm] {
        &mut self.terms
    }

    /// The composite and its configuration, with default gas for its terms; `None` if the only term is the access predicate.
    #[must_use]
    pub const fn composite(&self) -> Option<&(Address, composite::Configuration)> {
        self.composite.as_ref()
    }

    /// The configurations for a tool, in the order in which they must be set: a composite reads what its terms need.
    #[must_use]
    pub fn configurations(&self, tool_id: U256) -> Vec<(Address, Configuration)> {
        let terms = self.terms.iter().filter_map(|term| {
            let configuration = term.configuration(tool_id)?;
            Some((term.predicate, configuration))
        });
        let composite = self.composite.iter();
        let composite =
            composite.map(|(address, configuration)| (*address, configuration.clone().into()));
        terms.chain(composite).collect()
    }

    /// The calls that set [`Self::configurations`].
    #[must_use]
    pub fn configure_calls(&self, tool_id: U256) -> Vec<Call> {
        let configurations = self.configurations(tool_id).into_iter();
        configurations
            .map(|(predicate, configuration)| configuration.set_call(predicate, tool_id))
            .collect()
    }
}

impl Registry {
    /// The predicates and configurations of a gate. `predicate` returns the address of a predicate of this registry, `accounts`
    /// the accounts of a list.
    ///
    /// # Errors
    ///
    /// When the gate needs too many terms, an amount does not fit its token, a list is empty, or an RPC request fails.
    pub async fn resolve_gate(
        &self,
        expression: &GateExpression,
        predicate: impl Fn(PredicateKind) -> Address,
        accounts: impl Fn(&str) -> Vec<Address>,
    ) -> Result<Gate, GateError> {
        let mut terms = Vec::new();
        for condition in expression.conditions() {
            terms.push(GateTerm {
                condition: condition.clone(),
                predicate: predicate(condition.kind()),
                setting: self.setting(condition, &accounts).await?,
            });
        }
        let clauses = expression.formula().to_clauses()?;
        let term = |literal: &Literal<Condition>| composite::Term {
            predicate: predicate(literal.leaf.kind()),
            negate: literal.negate,
        };
        let configuration = composite::Configuration {
            logic: clauses.logic,
            clauses: clauses
                .clauses
                .iter()
                .map(|clause| clause.iter().map(term).collect())
                .collect(),
            term_gas: Vec::new(),
        };
        // Absorption can remove conditions: `A or (A and B)` is `A`.
        let used = configuration.predicates();
        terms.retain(|term| used.contains(&term.predicate));
        let is_one_term = configuration.terms().map(|term| term.negate).eq([false]);
        let composite = (predicate(PredicateKind::Composite), configuration);
        Ok(Gate {
            terms,
            composite: (!is_one_term).then_some(composite),
        })
    }

    async fn setting(
        &self,
        condition: &Condition,
        accounts: impl Fn(&str) -> Vec<Address>,
    ) -> Result<TermSetting, GateError> {
        let stipend = None;
        Ok(TermSetting::Configuration(match condition {
            Condition::Erc721 { collections } => erc721_owner::Configuration {
                collections: collections.clone(),
                stipend,
            }
            .into(),
            Condition::Erc1155 { tokens } => erc1155_owner::Configuration {
                tokens: tokens.clone(),
                stipend,
            }
            .into(),
            Condition::Subscription {
                collection,
                min_tier,
            } => subscription::Configuration {
                collection: *collection,
                min_tier: *min_tier,
                stipend,
            }
            .into(),
            Condition::Erc20 { token, amount } => return self.balance(*token, amount).await,
            Condition::Allowlist { lists } => {
                let mut all = Vec::new();
                for list in lists {
                    let accounts = accounts(list);
                    if accounts.is_empty() {
                        return Err(GateError::EmptyList { list: list.clone() });
                    }
                    all.extend(accounts);
                }
                return Ok(TermSetting::Accounts(all));
            }
            Condition::AccessProof => return Ok(TermSetting::None),
        }))
    }

    async fn balance(
        &self,
        token: Address,
        amount: &TokenAmount,
    ) -> Result<TermSetting, GateError> {
        let info = self.token_info(token).await?;
        let Some(decimals) = info.decimals else {
            let declared = self.declared_standard(token).await?;
            return Err(GateError::NoDecimals { token, declared });
        };
        let min_balance = amount.to_base_units(decimals);
        let min_balance = min_balance.ok_or_else(|| GateError::InvalidAmount {
            token,
            amount: amount.clone(),
            decimals,
        })?;
        let configuration = erc20_balance::Configuration {
            token,
            min_balance,
            stipend: None,
        };
        Ok(TermSetting::Balance {
            configuration: configuration.into(),
            token: info,
        })
    }
}
