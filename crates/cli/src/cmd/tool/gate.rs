//! A gate of `--gate`: its predicates, configurations, warnings and transactions.

use std::collections::{BTreeMap, BTreeSet};

use alloy_primitives::{Address, U256};
use atr_deploy::predicate_address;
use atr_registry::{
    Access, Configuration, ConfigurationState, Gate, GateExpression, GateTerm, Registry,
    TermSetting,
};
use atr_rpc::Call;

use crate::{
    args::{AllowlistFile, TokenArgs},
    cmd::{
        predicate::{Budget, StipendChoice},
        tool::SelectedPredicate,
    },
    context::Context,
    error::Error,
    output::{amount, count_noun},
};

/// A gate whose predicates and tokens were checked on the chain.
#[derive(Debug)]
pub(crate) struct PlannedGate {
    pub(crate) gate: Gate,
    pub(crate) expression: GateExpression,
    /// Label and value of the lines in a plan.
    pub(crate) lines: Vec<(&'static str, String)>,
    pub(crate) warnings: Vec<String>,
}

impl PlannedGate {
    /// Reads the lists, resolves the conditions, checks the predicates and chooses stipends.
    pub(crate) async fn try_new(
        expression: &GateExpression,
        context: &Context,
        registry: &Registry,
        tokens: TokenArgs,
    ) -> eyre::Result<Self> {
        let lists = read_lists(expression)?;
        let address = |kind| predicate_address(registry.address(), kind);
        let accounts = |list: &str| lists.get(list).cloned().unwrap_or_default();
        let gate = registry.resolve_gate(expression, address, accounts).await?;
        let mut planned = Self {
            gate,
            expression: expression.clone(),
            lines: Vec::new(),
            warnings: Vec::new(),
        };
        planned.check_predicates(registry).await?;
        planned.choose_stipends(context, registry, tokens).await?;
        planned.warn_about_results();
        Ok(planned)
    }

    /// An error if a predicate is not deployed or belongs to another registry.
    async fn check_predicates(&mut self, registry: &Registry) -> eyre::Result<()> {
        let access_predicate = self.gate.predicate();
        for (kind, address) in self.gate.predicates() {
            let predicate = SelectedPredicate::fetch(registry, Some(address)).await?;
            if predicate.info.is_none_or(|info| !info.has_code) {
                return Err(Error::PredicateNotDeployed {
                    contract: kind.name(),
                    address,
                    registry: registry.address(),
                }
                .into());
            }
            if address != access_predicate {
                let warnings = predicate.warnings.iter();
                let warnings = warnings.map(|warning| format!("{}: {warning}", kind.slug()));
                self.warnings.extend(warnings);
            }
        }
        Ok(())
    }

    /// Measures the token calls of each condition and sets its stipend.
    async fn choose_stipends(
        &mut self,
        context: &Context,
        registry: &Registry,
        tokens: TokenArgs,
    ) -> eyre::Result<()> {
        let is_term = self.gate.composite().is_some();
        let name = |term: &GateTerm, text: String| {
            if is_term {
                format!("{}: {text}", term.condition.kind().slug())
            } else {
                text
            }
        };
        let (mut requires, mut stipends) = (Vec::new(), Vec::new());
        for term in self.gate.terms_mut() {
            if let Some(configuration) = term.configuration_mut() {
                let choice = StipendChoice::apply(registry, configuration, None, is_term).await;
                // Rejected by the predicate, but only after the tool is registered.
                if let Some(address) = choice.missing.first() {
                    return Err(Error::NoToken { address: *address }.into());
                }
                let shown = choice.shown(context.is_verbose());
                tokens.check(choice.problems, &mut self.warnings)?;
                self.warnings.extend(choice.warnings);
                stipends.extend(shown.map(|text| name(term, text)));
            }
            let lines = describe(term).into_iter().map(|text| name(term, text));
            requires.extend(lines);
            self.warnings.extend(supply_warning(term));
        }
        self.lines.push(("gate", self.expression.to_string()));
        self.lines.push(("requires", requires.join("\n")));
        if !stipends.is_empty() {
            self.lines.push(("gas limit", stipends.join("\n")));
        }
        let lists = self.expression.lists();
        if !lists.is_empty() {
            let lists = lists.into_iter().map(|list| format!(" --allowlist {list}"));
            self.lines.push((
                "proofs",
                format!(
                    "atr access proof <TOOL> <ACCOUNT>{}",
                    lists.collect::<String>()
                ),
            ));
        }
        Ok(())
    }

    fn warn_about_results(&mut self) {
        let Some((_, composite)) = self.gate.composite() else {
            return;
        };
        let results = composite.possible_results(|_| None);
        if !results.contains(&Access::Granted) {
            self.warnings.push(
                "the gate can never grant access: its conditions contradict each other".to_owned(),
            );
        } else if !results.contains(&Access::Denied) {
            self.warnings.push(
                "the gate grants access to every account: its conditions cover all cases"
                    .to_owned(),
            );
        }
    }

    /// The command that sets the gate of a registered tool.
    pub(crate) fn command(&self, tool: &str) -> String {
        let expression = self.expression.to_string().replace('\'', "'\\''");
        format!("atr tool set-predicate {tool} --gate '{expression}'")
    }

    /// What a transaction configures, with a limit of its gas.
    pub(crate) fn follow_ups(&self, tool_id: U256) -> Vec<(String, Call, u64)> {
        let configurations = self.gate.configurations(tool_id).into_iter();
        let follow_ups = configurations.map(|(predicate, configuration)| {
            let description = format!("configure {}", configuration.kind().name());
            let call = configuration.set_call(predicate, tool_id);
            (description, call, configuration.gas_limit())
        });
        follow_ups.collect()
    }

    /// The call that sets one of the configurations. The gas of the terms of a composite is measured, at a block at which the terms
    /// are configured.
    pub(crate) async fn configure_call(
        &self,
        registry: &Registry,
        tool_id: U256,
        index: usize,
        block: Option<u64>,
    ) -> eyre::Result<Option<Call>> {
        let mut configurations = self.gate.configurations(tool_id);
        if index >= configurations.len() {
            return Ok(None);
        }
        let (predicate, mut configuration) = configurations.swap_remove(index);
        if let Configuration::Composite(composite) = &mut configuration {
            let registry = match block {
                Some(block) => registry.clone().at_block(block),
                None => registry.clone(),
            };
            match Budget::choose(&registry, tool_id, composite).await {
                Ok(budget) => {
                    for warning in budget.warnings {
                        tracing::warn!("{warning}");
                    }
                }
                // A node without the block: the predicate chooses the gas.
                Err(error) if error.downcast_ref::<atr_registry::Error>().is_some() => {
                    tracing::warn!(%error, "the gas of the terms is not measured; using the default");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Some(configuration.set_call(predicate, tool_id)))
    }

    /// Indices of the configurations that the tool does not have yet.
    pub(crate) async fn outdated(
        &self,
        registry: &Registry,
        tool_id: U256,
    ) -> eyre::Result<BTreeSet<usize>> {
        let mut outdated = BTreeSet::new();
        // The gas of a composite follows from its terms.
        let mut has_same_gas = true;
        let configurations = self.gate.configurations(tool_id).into_iter();
        for (index, (predicate, mut configuration)) in configurations.enumerate() {
            let kind = configuration.kind();
            let current = registry.configuration(predicate, kind, tool_id).await?;
            if let Configuration::Composite(composite) = &mut configuration
                && has_same_gas
            {
                let budget = Budget::choose(registry, tool_id, composite).await?;
                composite.term_gas = budget.gas;
            }
            let ConfigurationState::Configured(current) = current else {
                outdated.insert(index);
                has_same_gas = false;
                continue;
            };
            if current != configuration {
                outdated.insert(index);
                has_same_gas &= current.has_same_gas(&configuration);
            }
        }
        Ok(outdated)
    }
}

/// The accounts of each list.
fn read_lists(expression: &GateExpression) -> Result<BTreeMap<String, Vec<Address>>, Error> {
    let lists = expression.lists().into_iter();
    lists
        .map(|list| Ok((list.to_owned(), AllowlistFile::from(list).accounts()?)))
        .collect()
}

/// What the predicate of a condition requires.
fn describe(term: &GateTerm) -> Vec<String> {
    match &term.setting {
        TermSetting::Balance {
            configuration: Configuration::Erc20(configuration),
            token,
        } => {
            let symbol = token.symbol.as_deref().map(atr_ids::excerpt);
            let symbol = symbol.map_or_else(String::new, |symbol| format!(" {symbol}"));
            let amount = match &term.condition {
                atr_registry::Condition::Erc20 { amount, .. } => amount.to_string(),
                condition => condition.to_string(),
            };
            vec![format!(
                "balance of at least {amount}{symbol} of {}",
                configuration.token
            )]
        }
        TermSetting::Configuration(configuration) | TermSetting::Balance { configuration, .. } => {
            configuration.describe()
        }
        TermSetting::Accounts(accounts) => vec![describe_accounts(accounts)],
        _ => vec!["signature of the account (AccessProof)".to_owned()],
    }
}

/// `3 accounts; 1 duplicate left out`.
pub(crate) fn describe_accounts(accounts: &[Address]) -> String {
    let count = accounts.iter().collect::<BTreeSet<_>>().len();
    let duplicates = accounts.len() - count;
    let accounts = count_noun(count, "account");
    if duplicates == 0 {
        return accounts;
    }
    format!(
        "{accounts}; {} left out",
        count_noun(duplicates, "duplicate")
    )
}

/// A balance that no account can have.
fn supply_warning(term: &GateTerm) -> Option<String> {
    let TermSetting::Balance {
        configuration: Configuration::Erc20(configuration),
        token,
    } = &term.setting
    else {
        return None;
    };
    let supply = token.total_supply?;
    (configuration.min_balance > supply).then(|| {
        format!(
            "no account can hold this balance: the total supply of {} is {}",
            configuration.token,
            amount(supply, token.decimals.unwrap_or_default())
        )
    })
}
