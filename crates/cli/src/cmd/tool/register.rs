//! `atr tool register`.

use std::{fs, path::PathBuf};

use alloy_primitives::U256;
use alloy_sol_types::SolValue;
use atr_ids::ToolRef;
use atr_manifest::ManifestSummary;
use atr_registry::Registration;
use atr_rpc::MinedTransaction;
use atr_verify::Candidate;
use eyre::WrapErr;

use crate::{
    args::{Chain, DocumentKind, FetchArgs, ManifestFile, SendArgs},
    cmd::tool::{
        access_predicate::AccessPredicateArgs, rejection::RejectionReport,
        script::ScriptTransaction, warnings,
    },
    context::Context,
    error::Error,
    network::registry,
    outcome::Outcome,
    output::{describe_manifest, price_tokens},
    process::{outcome_of, runtime},
    transaction::{Confirmation, Sender, TransactionReport},
};

/// Register a tool
///
/// Fetches the manifest and applies all checks of `atr verify`; a manifest that consumers would reject is not registered. The signer
/// must be the `creatorAddress` of the manifest. Prints warnings before signing. With --gate, more transactions configure the
/// predicates; until the last is mined, access is unknown. All of them are simulated together before the first is signed. With
/// --script there is one transaction for a Safe or an EIP-7702 account.
///
/// Exit codes: 0 registered (with --dry-run: the plan can be executed), 1 rejected, reverted or declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Manifest URL: https://<host>/.well-known/ai-tool/<slug>.json
    #[arg(value_name = "MANIFEST_URL")]
    manifest_url: String,

    /// Read the manifest from a file that the URL will serve, for example through `atr gate --manifest`, which needs a registered tool
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,

    #[command(flatten)]
    predicate: AccessPredicateArgs,

    /// Register and configure in one transaction, with the contract RegistrationScript
    ///
    /// The tool is configured with the id that it gets, so no other registration can come between. A Safe or another smart account
    /// runs the script by delegatecall: propose the transaction of --unsigned with operation 1. An account that delegates to the
    /// script with EIP-7702 sends the transaction itself. Deploy the script with `atr deploy --only RegistrationScript`.
    #[arg(long, conflicts_with = "safe", help_heading = None::<&'static str>)]
    script: bool,

    #[command(flatten)]
    fetch: FetchArgs,

    #[command(flatten)]
    send: SendArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.register(context))?
}

impl Args {
    async fn register(&self, context: &Context) -> eyre::Result<Outcome> {
        let client = self.fetch.client(context)?;
        let registry = registry::connect(context).await?;
        let mut sender = Sender::try_new(&self.send, context, &registry).await?;
        let (url, signer) = (&self.manifest_url, sender.address());
        let candidate = match &self.manifest {
            None => Candidate::fetch(&client, url, signer).await,
            Some(path) => {
                let content = fs::read(path).map_err(|source| Error::ReadDocument {
                    name: path.display().to_string(),
                    kind: DocumentKind::Manifest,
                    source,
                })?;
                Candidate::fetch(&ManifestFile(content), url, signer).await
            }
        };
        let candidate = match candidate {
            Ok(candidate) => candidate,
            Err(rejection) => {
                let report =
                    RejectionReport::for_registration(self.manifest_url.clone(), *rejection);
                context.output.print(&report)?;
                return Ok(report.outcome());
            }
        };
        let Candidate { uri, manifest } = &candidate;
        let url = uri.to_string();
        let hash = manifest.hash();
        let creator = manifest.creator_address();
        let predicate = self.predicate.fetch(context, &registry).await?;
        let mut warnings = warnings::manifest_warnings(manifest);
        if self.manifest.is_some() {
            warnings.push(format!(
                "the manifest was read from a file: nobody can verify the tool until {url} serves the same bytes"
            ));
        }
        warnings.extend(warnings::predicate_warnings(&predicate));
        warnings.extend(warnings::creator_warning(&registry, &predicate, creator).await?);
        warnings.extend(warnings::new_tool_warning(&predicate));
        let registration = Registration {
            metadata_uri: url.clone(),
            manifest_hash: hash.to_b256(),
            access: predicate.access(),
        };
        let script = match self.script {
            true => Some(ScriptTransaction::try_new(&registration, &registry, creator).await?),
            false => None,
        };
        let chain = Chain::new(registry.chain_id());
        let planned = match &script {
            None => Some(registration.register_call(&registry)),
            Some(script) => {
                script.require_unsigned(self.send.is_unsigned())?;
                script.can_be_sent().then(|| script.call.clone())
            }
        };
        let planned = match planned {
            Some(call) => Some(sender.plan(call, creator).await?),
            None => None,
        };
        if planned.as_ref().is_none_or(|plan| plan.pending.is_none()) {
            warnings.extend(warnings::duplicate_warnings(&registry, &url).await?);
            if predicate.gate.is_some() || script.is_some() {
                registration.simulate(&registry, creator).await?;
            }
        }
        let (mut unsigned, mut follow_ups) = (Vec::new(), Vec::new());
        match (&script, &planned) {
            (Some(script), _) => {
                warnings.extend(script.warning());
                if planned.is_none() {
                    unsigned.push(script.call.clone());
                }
            }
            (None, Some(planned)) => {
                // The id that the simulation returned.
                let predicted = U256::abi_decode(&planned.return_data).unwrap_or_default();
                unsigned = registration.configure_calls(predicted);
                if self.send.is_unsigned() && !unsigned.is_empty() {
                    warnings.push(unsigned_warning(predicted));
                }
                for (description, call, gas) in predicate.follow_ups(predicted) {
                    let follow_up = sender.plan_follow_up(description, &call, gas, planned);
                    follow_ups.push(follow_up.await?);
                }
            }
            (None, None) => {}
        }
        let summary = ManifestSummary::new(manifest.document());
        let tokens = price_tokens(&registry, Some(&summary)).await;
        let mut lines = vec![("name", atr_ids::excerpt(manifest.name()))];
        lines.extend(describe_manifest(&summary, &tokens));
        lines.extend([
            ("manifest", url.clone()),
            ("hash", hash.to_string()),
            (
                "registry",
                format!("{} on {}", registry.address(), chain.label()),
            ),
            ("access", predicate.description()),
        ]);
        let mut report = TransactionReport {
            lines,
            warnings,
            planned: planned.into_iter().collect(),
            follow_ups,
            unsigned,
            is_registration: true,
            ..TransactionReport::default()
        };
        if let Some(gate) = &predicate.gate {
            report.gate = Some(gate.expression.to_string());
            report.lines.extend(gate.lines.clone());
        }
        if let Some(script) = script {
            report.lines.push(("script", script.describe()));
            report.next = script.command();
            report.script = Some(script.report);
        }
        let prompt = format!("Register the tool on {}?", chain.label());
        let configure = async |mined: &[MinedTransaction], report: &mut TransactionReport| {
            let id = Registration::tool_id(&registry, &mined[0]).ok_or_else(|| {
                eyre::eyre!("the transaction was mined without a ToolRegistered event")
            })?;
            let tool = ToolRef::try_new(registry.chain_id(), registry.address(), id)?;
            report.tool = Some(tool.to_string());
            report.next = Some(format!("atr verify {tool}"));
            let Some(gate) = predicate.gate.as_ref().filter(|_| !self.script) else {
                return Ok(None);
            };
            let block = mined.last().map(|last| last.block);
            gate.configure_call(&registry, id, mined.len() - 1, block)
                .await
        };
        let confirmation = Confirmation::Question(&prompt);
        let configured = sender.execute(&mut report, &confirmation, configure).await;
        let Some(tool) = report.tool.clone() else {
            configured?;
            context.output.print(&report)?;
            return Ok(report.outcome());
        };
        report.is_incomplete = configured.is_err();
        let is_final = match &configured {
            Ok(()) => true,
            // The same command would fail again.
            Err(error) => outcome_of(error) == Outcome::Failure,
        };
        let advice = match &predicate.gate {
            Some(gate) if is_final => format!("run `{}`", gate.command(&tool)),
            _ => "run the same command again to continue".to_owned(),
        };
        let configured = configured.wrap_err_with(|| {
            format!("the tool is registered as {tool}, but its gate is not configured; {advice}")
        });
        // The tool is registered: print its id even if configuring the gate failed.
        let outcome = match configured {
            Ok(()) => {
                context.output.print(&report)?;
                Outcome::Success
            }
            Err(failure) => context.output.print_failed(&report, &failure)?,
        };
        if is_final {
            sender.finish(&report)?;
        }
        Ok(outcome)
    }
}

/// The configuration contains the id that the registration will get if no other comes first.
fn unsigned_warning(id: U256) -> String {
    format!(
        "the configuration is for tool {id}: if another account registers a tool first, a batch of all transactions reverts. Execute it \
         before this account registers another tool, and do not send its transactions one by one"
    )
}
