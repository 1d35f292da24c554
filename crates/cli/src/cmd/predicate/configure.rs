//! Configuring a predicate for a tool: which predicate, whether it may be, and how it is said.

use alloy_primitives::{Address, U256};
use atr_bindings::ContractCode;
use atr_ids::ToolRef;
use atr_registry::{Configuration, Registry, ToolConfig, predicates};

use super::configuration::configuration_lines;
use crate::{
    args::{Account, ToolName},
    cmd::tool::{Gate, known_predicate},
    context::Context,
    error::Error,
    network::registry,
    outcome::Outcome,
    transaction::{SendArgs, WriteReport},
};

/// Why a command's configuration has a make and a call.
const WRITABLE: &str = "commands make configurations that can be set";

/// What every command that configures a predicate takes.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigureArgs {
    /// Tool to configure it for
    #[arg(value_name = "TOOL")]
    tool: ToolName,

    /// Predicate to configure [default: the one the tool has]
    #[arg(long, value_name = "ADDRESS")]
    predicate: Option<Account>,

    #[command(flatten)]
    send: SendArgs,
}

impl ConfigureArgs {
    /// Configures a predicate so. What exactly may depend on the tool's id.
    pub(crate) async fn configure(
        &self,
        context: &Context,
        configuration: impl FnOnce(U256) -> eyre::Result<Configuration>,
    ) -> eyre::Result<Outcome> {
        let registry = registry::connect_for(context, &self.tool).await?;
        let tool = registry::find_one(&registry, &self.tool).await?;
        let config = registry::live(&registry, tool).await?;
        let configuration = configuration(tool.id())?;
        let make = configuration.make().expect(WRITABLE);
        let gate = self.gate(&registry, tool, &config, make).await?;
        let sending = self.send.start(context, &registry).await?;
        let from = sending.sender().unwrap_or(config.creator);
        if from != config.creator {
            return Err(Error::NotCreator {
                id: tool.id(),
                creator: config.creator,
                sender: from,
            }
            .into());
        }
        let predicate = gate.predicate().expect("a predicate was looked at");
        let mut warnings: Vec<_> = gate.warnings.iter().map(ToString::to_string).collect();
        warnings.extend(of_terms(&registry, &configuration).await?);
        warnings.extend(decides_on_nobody(config.access_predicate, predicate));
        let rule = configuration_lines(&configuration).join("\n            ");
        let mut report = WriteReport {
            tool: Some(tool.to_string()),
            lines: vec![
                ("tool", tool.to_string()),
                ("predicate", gate.description()),
                ("rule", rule),
            ],
            warnings,
            ..WriteReport::default()
        };
        let call = predicates::configure(predicate, tool.id(), configuration).expect(WRITABLE);
        report.planned.push(sending.plan(call, from).await?);
        sending.finish(report, &["Configure the predicate?"]).await
    }

    /// The predicate that was named or the tool has, if it is one that can be configured so.
    async fn gate(
        &self,
        registry: &Registry,
        tool: ToolRef,
        config: &ToolConfig,
        make: &'static ContractCode,
    ) -> eyre::Result<Gate> {
        let known = known_predicate(registry.address(), make.name());
        let named = self.predicate.map(|account| account.0);
        let Some(predicate) = named.or(config.access_predicate) else {
            return Err(Error::NoGate {
                id: tool.id(),
                name: make.name(),
                known,
            }
            .into());
        };
        let gate = Gate::look(registry, Some(predicate), Vec::new()).await?;
        let facts = gate.facts.as_ref().expect("a predicate was looked at");
        if !facts.has_code {
            let error = if predicate == known {
                Error::NoPredicate {
                    contract: make.name(),
                    address: predicate,
                    registry: registry.address(),
                }
            } else {
                Error::NoContract {
                    address: predicate,
                    name: make.name(),
                    known,
                }
            };
            return Err(error.into());
        }
        if facts.name.as_deref() != Some(make.name()) {
            let found = facts.name.as_deref().map(atr_ids::excerpt);
            return Err(Error::OtherMake {
                predicate,
                found: found.unwrap_or_else(|| "nothing".to_owned()),
                name: make.name(),
                known,
            }
            .into());
        }
        Ok(gate)
    }
}

/// What should be known of the predicates a composition asks. One that serves another registry is refused: it would be asked
/// about another's tool of the same id.
async fn of_terms(registry: &Registry, configuration: &Configuration) -> eyre::Result<Vec<String>> {
    let Configuration::Composite { terms, .. } = configuration else {
        return Ok(Vec::new());
    };
    let mut predicates: Vec<_> = terms.iter().map(|term| term.predicate).collect();
    predicates.sort_unstable();
    predicates.dedup();
    let mut warnings = Vec::new();
    for predicate in predicates {
        let gate = Gate::look(registry, Some(predicate), Vec::new()).await?;
        let of_term = gate.warnings.iter();
        warnings.extend(of_term.map(|warning| format!("term {predicate}: {warning}")));
    }
    Ok(warnings)
}

/// What to say of a predicate that is not the tool's.
pub(super) fn decides_on_nobody(now: Option<Address>, predicate: Address) -> Option<String> {
    let is_gate = now == Some(predicate);
    (!is_gate).then(|| {
        format!(
            "the tool's gate is another now ({}): this decides on nobody until it is set",
            Gate::describe(now)
        )
    })
}
