//! `atr tool set-predicate`.

use std::str::FromStr;

use alloy_primitives::Address;

use crate::{
    args::{Account, InvalidValue, ToolName},
    cmd::tool::{Gate, warnings},
    context::Context,
    network::registry,
    outcome::Outcome,
    process::runtime,
    transaction::{SendArgs, WriteReport},
};

/// Change who decides on access to a tool.
///
/// `open` lets everyone in. A predicate that serves another registry is refused; one without code, one that can be changed
/// behind the registry's back and one that does not say what it is are warned of. A predicate with settings of its own needs
/// them before it lets anybody in: see `atr predicate`.
///
/// Exit codes: 0 set (with --dry-run: it can be), 1 refused or declined, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Tool to change
    #[arg(value_name = "TOOL")]
    tool: ToolName,

    /// Predicate that decides from now on, or `open`
    #[arg(value_name = "PREDICATE")]
    predicate: Choice,

    #[command(flatten)]
    send: SendArgs,
}

#[derive(Clone, Copy, Debug)]
struct Choice(Option<Address>);

impl FromStr for Choice {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "open" => Ok(Self(None)),
            // The registry reads zero as open; whoever writes it may have meant something else.
            _ => match text.parse()? {
                Account(address) if address.is_zero() => Err(InvalidValue::ZeroPredicate),
                Account(address) => Ok(Self(Some(address))),
            },
        }
    }
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.set(context))?
}

impl Args {
    async fn set(&self, context: &Context) -> eyre::Result<Outcome> {
        let registry = registry::connect_for(context, &self.tool).await?;
        let tool = registry::find_one(&registry, &self.tool).await?;
        let config = registry::live(&registry, tool).await?;
        let sending = self.send.start(context, &registry).await?;
        let from = sending.sender().unwrap_or(config.creator);
        let gate = Gate::look(&registry, self.predicate.0, Vec::new()).await?;
        let before = Gate::describe(config.access_predicate);
        let mut report = WriteReport {
            tool: Some(tool.to_string()),
            lines: vec![
                ("tool", tool.to_string()),
                (
                    "gate",
                    format!("{before}\n            becomes {}", gate.description()),
                ),
            ],
            warnings: warnings::of_gate(&registry, &gate, config.creator).await?,
            ..WriteReport::default()
        };
        if config.access_predicate == gate.predicate() {
            report.nothing = Some("nothing to do: that is the tool's gate already".to_owned());
            context.output.present(&report)?;
            return Ok(Outcome::Yes);
        }
        let call = registry.set_predicate(tool.id(), gate.predicate());
        report.planned.push(sending.plan(call, from).await?);
        sending.finish(report, &["Change the gate?"]).await
    }
}
