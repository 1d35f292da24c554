//! `atr tool register`.

use atr_ids::ToolRef;
use atr_registry::ToolEvent;
use atr_verify::Candidate;
use eyre::WrapErr;

use crate::{
    args::{Chain, GuardArgs},
    cmd::tool::{gate::GateArgs, rejection::RefusalReport, warnings},
    context::Context,
    network::registry,
    outcome::Outcome,
    process::runtime,
    transaction::{SendArgs, WriteReport},
};

/// Register a tool whose manifest is served.
///
/// The manifest is fetched from its well-known place and held to everything consumers will hold it to; what they would refuse is
/// not registered. The signer must be the manifest's `creatorAddress`. What may be regretted is told before you are asked. With
/// --nft-gate the predicate is set up in a second transaction; until then nobody gets in.
///
/// Exit codes: 0 registered (with --dry-run: it can be), 1 refused or declined, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the manifest is served: https://<host>/.well-known/ai-tool/<slug>.json
    #[arg(value_name = "METADATA_URL")]
    metadata: String,

    #[command(flatten)]
    gate: GateArgs,

    #[command(flatten)]
    guard: GuardArgs,

    #[command(flatten)]
    send: SendArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.register(context))?
}

impl Args {
    async fn register(&self, context: &Context) -> eyre::Result<Outcome> {
        let door = self.guard.door(context)?;
        let registry = registry::connect(context).await?;
        let sending = self.send.start(context, &registry).await?;
        let candidate = match Candidate::fetch(&door, &self.metadata, sending.sender()).await {
            Ok(candidate) => candidate,
            Err(refusal) => {
                let report = RefusalReport::of_registration(self.metadata.clone(), *refusal);
                context.output.present(&report)?;
                return Ok(report.outcome());
            }
        };
        let Candidate { uri, manifest } = &candidate;
        let place = uri.to_string();
        let hash = manifest.hash();
        let creator = manifest.creator_address();
        let gate = self.gate.look(&registry).await?;
        let mut warnings = warnings::of_manifest(manifest);
        warnings.extend(warnings::of_gate(&registry, &gate, creator).await?);
        warnings.extend(warnings::of_place(&registry, &place).await?);
        let call = registry.register_tool(&place, hash.word(), gate.predicate());
        let chain = Chain::of_id(registry.chain_id());
        let planned = sending.plan(call, creator).await?;
        let later = match gate.set_up(Default::default()) {
            Some(call) => {
                let what = "setting the gate up, in a transaction of its own";
                let gas = gate.set_up_gas();
                vec![sending.later(what, &call, gas, &planned).await?]
            }
            None => Vec::new(),
        };
        let mut report = WriteReport {
            lines: vec![
                ("tool", atr_ids::excerpt(manifest.name())),
                ("manifest", place.clone()),
                ("hash", hash.to_string()),
                (
                    "registry",
                    format!("{} on {}", registry.address(), chain.named()),
                ),
                ("gate", gate.description()),
            ],
            warnings,
            planned: vec![planned],
            later,
            ..WriteReport::default()
        };
        let question = format!("Register it on {}?", chain.named());
        sending.carry_out(&mut report, &[&question]).await?;
        if report.stopped.is_some() {
            context.output.present(&report)?;
            return Ok(report.outcome());
        }
        let id = report.events().find_map(|event| match event {
            ToolEvent::Registered { tool_id, .. } => Some(*tool_id),
            _ => None,
        });
        let id = id.ok_or_else(|| {
            eyre::eyre!("the registry took the transaction and told of no registration")
        })?;
        let tool = ToolRef::try_new(registry.chain_id(), registry.address(), id)?.to_string();
        report.tool = Some(tool.clone());
        let set_up = match gate.set_up(id) {
            Some(call) => sending.send_also(&mut report, call).await,
            None => Ok(()),
        };
        // Whatever came of the gate, the tool is registered: its id must not be lost.
        context.output.present(&report)?;
        set_up.wrap_err_with(|| {
            format!(
                "the tool is registered as {tool}, its gate is not set up and lets nobody in; run `{}`",
                gate.set_up_command(&tool)
            )
        })?;
        Ok(Outcome::Yes)
    }
}
