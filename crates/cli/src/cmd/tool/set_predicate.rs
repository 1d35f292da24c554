//! `atr tool set-predicate`.

use alloy_primitives::Address;
use atr_ids::{MetadataUri, ToolRef};
use atr_registry::{Registration, Registry, SET_PREDICATE_GAS_LIMIT, ToolConfig};
use atr_rpc::{Call, MinedTransaction};

use crate::{
    args::{GateArg, PredicateOrOpen, SendArgs, TokenArgs, ToolArg},
    cmd::tool::{SelectedPredicate, access_predicate::GATE_HELP, gate::PlannedGate, warnings},
    context::Context,
    error::Error,
    network::registry,
    outcome::Outcome,
    output::configuration_warnings,
    process::runtime,
    transaction::{Confirmation, Sender, TransactionReport},
};

/// Set or remove the access predicate of a tool
///
/// `open` removes the predicate, which opens the tool to everyone. Predicates that belong to another registry are rejected.
/// Prints a warning for a predicate without code, a proxy, and a predicate that does not support ERC-165. Most predicates must
/// be configured for the tool: --gate does both, `atr predicate` configures one predicate.
///
/// With --gate, the predicates are configured first and the access predicate is set last. Configurations that the tool has already
/// are not sent again.
///
/// Exit codes: 0 success (with --dry-run: the plan can be executed), 1 reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("access").required(true),
    override_usage = "atr tool set-predicate [OPTIONS] <TOOL> <PREDICATE|--gate <EXPRESSION>>"
)]
pub(crate) struct Args {
    /// Tool to change
    #[arg(value_name = "TOOL")]
    tool: ToolArg,

    /// Predicate: a name such as `erc721` or `always-deny`, an address, or `open`
    #[arg(value_name = "PREDICATE", group = "access")]
    predicate: Option<PredicateOrOpen>,

    #[arg(
        long,
        value_name = "EXPRESSION",
        help = GATE_HELP.split('\n').next().unwrap_or_default(),
        long_help = GATE_HELP,
        group = "access"
    )]
    gate: Option<GateArg>,

    #[command(flatten)]
    tokens: TokenArgs,

    #[command(flatten)]
    send: SendArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.set(context))?
}

impl Args {
    async fn set(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for_tool(context, &self.tool).await?;
        let tool = registry::find_tool(&registry, &self.tool).await?;
        let config = registry::active_config(&registry, tool).await?;
        let sender = Sender::try_new(&self.send, context, &registry).await?;
        let from = sender.address().unwrap_or(config.creator);
        registry::ensure_creator(tool, &config, from)?;
        let predicate = match &self.gate {
            Some(gate) => {
                SelectedPredicate::from_gate(context, &registry, &gate.0, self.tokens).await?
            }
            None => {
                let predicate = self.predicate;
                let address = predicate.and_then(|predicate| predicate.address(registry.address()));
                SelectedPredicate::fetch(&registry, address).await?
            }
        };
        let opens = predicate.info.is_none() && config.access_predicate.is_some();
        let (warnings, prompt) = if opens {
            let warning = "every account gets access to the tool".to_owned();
            let name = slug(&config.metadata_uri);
            (
                vec![warning],
                format!("Open tool {}{name} to everyone?", tool.id()),
            )
        } else {
            (Vec::new(), "Set the access predicate?".to_owned())
        };
        let change = PredicateChange {
            context,
            registry,
            tool,
            config,
            predicate,
            lines: Vec::new(),
            warnings,
            checks_configuration: true,
            up_to_date: "up to date: nothing to send",
        };
        change.send(sender, &prompt).await
    }
}

/// ` (slug)` of a well-known manifest URL, to recognize the tool; else nothing.
fn slug(metadata_uri: &str) -> String {
    let uri = metadata_uri.parse::<MetadataUri>();
    uri.map_or_else(|_| String::new(), |uri| format!(" ({})", uri.slug()))
}

/// A change of the access predicate of a tool.
pub(super) struct PredicateChange<'a> {
    pub(super) context: &'a Context,
    pub(super) registry: Registry,
    pub(super) tool: ToolRef,
    pub(super) config: ToolConfig,
    pub(super) predicate: SelectedPredicate,
    /// More lines of the plan.
    pub(super) lines: Vec<(&'static str, String)>,
    /// Printed first.
    pub(super) warnings: Vec<String>,
    /// Whether to warn about a predicate that grants access to no account.
    pub(super) checks_configuration: bool,
    /// Printed if nothing changes.
    pub(super) up_to_date: &'static str,
}

impl PredicateChange<'_> {
    /// Plans, confirms and sends the transactions.
    pub(super) async fn send(
        mut self,
        mut sender: Sender<'_>,
        prompt: &str,
    ) -> eyre::Result<Outcome> {
        let from = sender.address().unwrap_or(self.config.creator);
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.extend(warnings::predicate_warnings(&self.predicate));
        if let (Some(info), None) = (&self.predicate.info, &self.predicate.gate)
            && self.checks_configuration
        {
            let configuration = configuration_warnings(&self.registry, info, self.tool.id());
            warnings.extend(configuration.await?);
        }
        let mut report = TransactionReport {
            tool: Some(self.tool.to_string()),
            lines: vec![
                ("tool", self.tool.to_string()),
                ("predicate", self.description()),
            ],
            warnings,
            next: Some(format!("atr access check {} <ACCOUNT>", self.tool)),
            ..TransactionReport::default()
        };
        report.lines.append(&mut self.lines);
        let steps = self.steps(from).await?;
        if let Some(gate) = &self.predicate.gate {
            report.gate = Some(gate.expression.to_string());
            report.lines.extend(gate.lines.clone());
            report.warnings.extend(self.order_warning(gate, &steps));
        }
        let Some((first, rest)) = steps.split_first() else {
            report.up_to_date = Some(self.up_to_date.to_owned());
            self.context.output.print(&report)?;
            return Ok(Outcome::Success);
        };
        let first = self.call(*first, None).await?;
        let planned = sender.plan(first, from).await?;
        for step in rest {
            let (description, call, gas) = self.follow_up(*step);
            let follow_up = sender.plan_follow_up(description, &call, gas, &planned);
            report.follow_ups.push(follow_up.await?);
            report.unsigned.push(call);
        }
        report.planned.push(planned);
        let next = async |mined: &[MinedTransaction], _: &mut TransactionReport| {
            let block = mined.last().map(|last| last.block);
            Ok(match rest.get(mined.len() - 1) {
                Some(step) => Some(self.call(*step, block).await?),
                None => None,
            })
        };
        let confirmation = Confirmation::Question(prompt);
        sender.execute(&mut report, &confirmation, next).await?;
        self.context.output.print(&report)?;
        sender.finish(&report)?;
        Ok(report.outcome())
    }

    /// The predicate before and after the change.
    fn description(&self) -> String {
        let (before, after) = (self.config.access_predicate, self.predicate.address());
        let new = self.predicate.description();
        if before == after {
            return format!("{new} (unchanged)");
        }
        let before = SelectedPredicate::describe(&self.registry, before);
        format!("{before}\n-> {new}")
    }

    /// The steps that change something, in order.
    async fn steps(&self, from: Address) -> eyre::Result<Vec<Step>> {
        let mut steps = Vec::new();
        if let Some(gate) = &self.predicate.gate {
            if from != self.config.creator {
                return Err(Error::NotCreator {
                    id: self.tool.id(),
                    creator: self.config.creator,
                    sender: from,
                }
                .into());
            }
            let outdated = gate.outdated(&self.registry, self.tool.id()).await?;
            // A composite is simulated with its terms, for a new tool: the terms of this one are not configured yet.
            if outdated.len() > 1 {
                let registration = Registration {
                    metadata_uri: self.config.metadata_uri.clone(),
                    manifest_hash: self.config.manifest_hash,
                    access: self.predicate.access(),
                };
                registration.simulate(&self.registry, from).await?;
            }
            steps.extend(outdated.into_iter().map(Step::Configure));
        }
        if self.config.access_predicate != self.predicate.address() {
            steps.push(Step::SetPredicate);
        }
        Ok(steps)
    }

    async fn call(&self, step: Step, block: Option<u64>) -> eyre::Result<Call> {
        if let (Step::Configure(index), Some(gate)) = (step, &self.predicate.gate) {
            let call = gate.configure_call(&self.registry, self.tool.id(), index, block);
            if let Some(call) = call.await? {
                return Ok(call);
            }
        }
        Ok(self.set_call())
    }

    fn set_call(&self) -> Call {
        let predicate = self.predicate.address();
        self.registry.set_predicate(self.tool.id(), predicate)
    }

    /// Description, call and maximum gas of a later step.
    fn follow_up(&self, step: Step) -> (String, Call, u64) {
        let set = || {
            (
                "set the access predicate".to_owned(),
                self.set_call(),
                SET_PREDICATE_GAS_LIMIT,
            )
        };
        match (step, &self.predicate.gate) {
            (Step::Configure(index), Some(gate)) => {
                let mut follow_ups = gate.follow_ups(self.tool.id());
                follow_ups.swap_remove(index)
            }
            _ => set(),
        }
    }

    /// A predicate that is in use changes before the others: the access predicate, or a term of it.
    fn order_warning(&self, gate: &PlannedGate, steps: &[Step]) -> Option<String> {
        let current = self.config.access_predicate?;
        let configurations = gate.gate.configurations(self.tool.id());
        let is_used = steps.iter().any(|step| match step {
            Step::Configure(index) => {
                current == gate.gate.predicate() || configurations[*index].0 == current
            }
            Step::SetPredicate => false,
        });
        (is_used && steps.len() > 1).then(|| {
            format!(
                "the current access predicate is configured anew: until the last transaction is mined, access follows a part of the new \
                 gate; `atr tool pause {}` denies everyone meanwhile",
                self.tool.id()
            )
        })
    }
}

/// One transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Index of a configuration of the gate.
    Configure(usize),
    SetPredicate,
}
