//! Shared implementation of the `atr predicate set-*` commands.

use alloy_primitives::{Address, U256};
use atr_bindings::PredicateKind;
use atr_deploy::predicate_address;
use atr_ids::ToolRef;
use atr_registry::{Configuration, Registry, ToolConfig, predicates::composite};

use crate::{
    args::{PredicateArg, SendArgs, StipendArg, TokenArgs, ToolArg},
    cmd::{
        predicate::{
            configuration::describe_configuration, effect::Effect, set_composite::Budget,
            stipend::StipendChoice,
        },
        tool::SelectedPredicate,
    },
    context::Context,
    error::Error,
    network::registry,
    outcome::Outcome,
    output::predicate_title,
    transaction::{Confirmation, Sender, TransactionReport},
};

#[derive(Debug, clap::Args)]
pub(crate) struct ConfigureArgs {
    /// Tool to configure the predicate for
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

    /// Predicate to configure, by name or address [default: the access predicate of the tool]
    #[arg(long, value_name = "PREDICATE")]
    predicate: Option<PredicateArg>,

    #[command(flatten)]
    send: SendArgs,
}

/// How the tokens of a configuration are called and checked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TokenOptions {
    pub(crate) stipend: Option<StipendArg>,
    pub(crate) tokens: TokenArgs,
}

impl ConfigureArgs {
    /// The registry of the tool.
    pub(crate) async fn connect(&self, context: &Context) -> eyre::Result<Registry> {
        registry::connect_for_tool(context, &self.tool).await
    }

    /// Sets the configuration, which can depend on the tool id and the registry.
    pub(crate) async fn run(
        &self,
        context: &Context,
        options: TokenOptions,
        configuration: impl FnOnce(U256, Address) -> eyre::Result<Configuration>,
    ) -> eyre::Result<Outcome> {
        self.run_with_lines(context, Vec::new(), options, configuration)
            .await
    }

    /// As [`Self::run`], with more lines in the plan.
    pub(crate) async fn run_with_lines(
        &self,
        context: &Context,
        lines: Vec<(&'static str, String)>,
        options: TokenOptions,
        configuration: impl FnOnce(U256, Address) -> eyre::Result<Configuration>,
    ) -> eyre::Result<Outcome> {
        let registry = self.connect(context).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let config = registry::active_config(&registry, tool).await?;
        let mut configuration = configuration(tool.id(), registry.address())?;
        let predicate = self
            .select_predicate(&registry, tool, &config, configuration.kind())
            .await?;
        let sender = Sender::try_new(&self.send, context, &registry).await?;
        let from = sender.address().unwrap_or(config.creator);
        registry::ensure_creator(tool, &config, from)?;
        let address = predicate.address().expect("a predicate is selected");
        let mut warnings: Vec<_> = predicate.warnings.iter().map(ToString::to_string).collect();
        let gas = match &mut configuration {
            Configuration::Composite(composite) => {
                warnings.extend(term_warnings(&registry, composite).await?);
                let budget = Budget::choose(&registry, tool.id(), composite).await?;
                warnings.extend(budget.warnings);
                (budget.is_notable || context.is_verbose()).then_some(("gas", budget.lines))
            }
            configuration => {
                let is_term = config
                    .access_predicate
                    .is_some_and(|other| other != address);
                let stipend = options.stipend;
                let choice = StipendChoice::apply(&registry, configuration, stipend, is_term).await;
                let shown = choice.shown(context.is_verbose());
                // An address without a contract is rejected by the predicate.
                options.tokens.check(choice.problems, &mut warnings)?;
                warnings.extend(choice.warnings);
                shown.map(|text| ("gas limit", vec![text]))
            }
        };
        let effect = Effect::find(&registry, tool.id(), config.access_predicate, address);
        warnings.extend(effect.await?.change_warning());
        let description = describe_configuration(&configuration, &registry).await;
        let mut report = TransactionReport {
            tool: Some(tool.to_string()),
            lines: vec![
                ("tool", tool.to_string()),
                ("predicate", predicate.description()),
                ("configure", description.join("\n")),
            ],
            warnings,
            next: Some(format!("atr access check {tool} <ACCOUNT>")),
            ..TransactionReport::default()
        };
        let gas = gas.map(|(label, lines)| (label, lines.join("\n")));
        report.lines.extend(lines.into_iter().chain(gas));
        let call = configuration.set_call(address, tool.id());
        report.planned.push(sender.plan(call, from).await?);
        sender
            .execute_and_print(report, &Confirmation::Question("Configure the predicate?"))
            .await
    }

    /// The predicate of `--predicate` or of the tool; an error if it is not of this kind.
    async fn select_predicate(
        &self,
        registry: &Registry,
        tool: ToolRef,
        config: &ToolConfig,
        kind: PredicateKind,
    ) -> eyre::Result<SelectedPredicate> {
        let name = kind.name();
        let default = predicate_address(registry.address(), kind);
        let selected = self.predicate;
        let selected = selected.map(|predicate| predicate.address(registry.address()));
        let Some(address) = selected.or(config.access_predicate) else {
            let id = tool.id();
            let slug = kind.slug();
            return Err(Error::ToolIsOpen { id, slug }.into());
        };
        let predicate = SelectedPredicate::fetch(registry, Some(address)).await?;
        let info = predicate.info.as_ref().expect("a predicate is selected");
        if !info.has_code {
            let error = if address == default {
                Error::PredicateNotDeployed {
                    contract: name,
                    address,
                    registry: registry.address(),
                }
            } else {
                let slug = kind.slug();
                Error::NoContract { address, slug }
            };
            return Err(error.into());
        }
        if info.kind() != Some(kind) {
            let found = info.name.as_deref().map(atr_ids::excerpt);
            return Err(Error::WrongPredicateKind {
                predicate: address,
                found: found.unwrap_or_else(|| "a contract without a name".to_owned()),
                name,
                slug: kind.slug(),
            }
            .into());
        }
        Ok(predicate)
    }
}

/// Warnings about the terms of a composite. An error if a term belongs to another registry, whose tools have the same ids, or
/// must not be negated.
async fn term_warnings(
    registry: &Registry,
    composite: &composite::Configuration,
) -> eyre::Result<Vec<String>> {
    let mut warnings = Vec::new();
    for address in composite.predicates() {
        let predicate = SelectedPredicate::fetch(registry, Some(address)).await?;
        let info = predicate.info.as_ref();
        let is_negated = |term: &composite::Term| term.predicate == address && term.negate;
        if info.is_some_and(|info| info.reads_call_data) && composite.terms().any(is_negated) {
            return Err(Error::CannotNegate {
                predicate: predicate_title(registry.address(), address),
            }
            .into());
        }
        let term_warnings = predicate.warnings.iter();
        warnings.extend(term_warnings.map(|warning| format!("term {address}: {warning}")));
    }
    Ok(warnings)
}
