//! `atr deploy`.

mod check;
mod explorers;
mod plan;
mod prediction;
mod progress;
mod records;
mod report;

use std::{num::NonZeroU64, path::PathBuf};

use atr_deploy::{Executor, Plan, Signing, Suite};
use atr_rpc::{TransactionSender, WaitPolicy, Wei};

use self::{
    explorers::ExplorerArgs, plan::PlanReport, prediction::PredictionReport,
    progress::DeployProgress, records::record_folder, report::DeployReport,
};
use crate::{
    args::{Bytes32, Chain, SendArgs},
    context::Context,
    error::Error,
    network::node,
    outcome::Outcome,
    output::{count_noun, prompt},
    process::runtime,
    transaction::unsigned,
};

/// Deploy the registry and its predicates to the same addresses on every chain
///
/// Prints a plan with the state of each contract and the cost, asks for confirmation, sends the transactions, compares the
/// deployed code with the compiled code, and writes a record. Contracts that are already deployed are skipped. An interrupted
/// run is resumed without sending a transaction twice. With --registry, predicates are deployed for that registry.
///
/// Exit codes: 0 all contracts are deployed (with --dry-run: the plan can be executed), 1 they are not, or the plan was
/// declined, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Cmd>,

    /// Print the addresses without connecting to a node
    #[arg(long, conflicts_with = "dry_run")]
    predict: bool,

    /// CREATE2 salt, 32 bytes [default: zero]
    #[arg(long, value_name = "SALT")]
    salt: Option<Bytes32>,

    /// Contracts to deploy [default: the registry and the predicates] [repeatable]
    ///
    /// RegistrationScript, which `atr tool register --script` uses, is deployed only if it is named.
    #[arg(long, value_name = "CONTRACT", num_args = 1..)]
    only: Vec<String>,

    /// Deploy the CREATE2 factory if the chain does not have it
    #[arg(long)]
    deploy_factory: bool,

    /// Number of confirmations to wait for; the block of the transaction counts as 1
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    confirmations: NonZeroU64,

    /// Directory of deployment records [default: script/deployments in this repository, else ~/.local/share/atr/deployments]
    #[arg(long, value_name = "DIRECTORY")]
    records: Option<PathBuf>,

    #[command(flatten)]
    explorers: ExplorerArgs,

    #[command(flatten)]
    send: SendArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Cmd {
    Check(check::Args),
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    if let Some(Cmd::Check(args)) = &args.command {
        return check::run(args, context);
    }
    let suite = args.suite(context)?;
    if args.predict {
        context.output.print(&PredictionReport::new(&suite))?;
        return Ok(Outcome::Success);
    }
    runtime::block_on(args.deploy(context, suite))?
}

impl Args {
    fn suite(&self, context: &Context) -> eyre::Result<Suite> {
        let salt = self.salt.unwrap_or_default().0;
        let suite = match context.settings.registry.value.address() {
            None => Suite::new(salt),
            Some(registry) => Suite::for_registry(salt, registry),
        };
        if self.only.is_empty() {
            return Ok(suite);
        }
        Ok(suite.only(&self.only)?)
    }

    async fn deploy(&self, context: &Context, suite: Suite) -> eyre::Result<Outcome> {
        let executor = self.executor(context, suite.clone()).await?;
        let chain = Chain::new(executor.chain_id());
        let explorers = self.explorers.explorers(context, chain)?;
        let directory =
            std::env::current_dir().map_err(|source| Error::WorkingDirectory { source })?;
        let records = record_folder(self.records.as_deref(), context, &directory)?;
        let record = records.file(executor.chain_id());

        let node = node::connect(context)?;
        let signing = self.send.load_signer(context, &node, executor.chain_id());
        let (signer, sender) = signing.await?;
        // A dry run must not create the journal or its lock.
        let mut journal = match &signer {
            Some(signer) if !self.send.dry_run => {
                let folder = context.journal_folder()?;
                let journal = executor.open_journal(&folder, signer.address(), &records);
                Some(journal.await?)
            }
            _ => None,
        };
        let mut plan = executor.plan(sender, journal.as_ref()).await?;
        let max_cost = self.send.max_cost().unwrap_or(plan.max_cost);
        if self.send.max_cost().is_some() {
            plan.check_max_cost(max_cost);
            plan.max_cost = max_cost;
        }
        let plan = plan;
        let plan_report = PlanReport {
            plan: &plan,
            record: &record,
            has_cost_limit: self.send.max_cost().is_some(),
        };
        // Before the plan, which would hide the error.
        let is_signed = !self.send.dry_run && !self.send.is_unsigned();
        if is_signed && signer.is_none() && !plan.is_complete() && plan.blockers.is_empty() {
            return Err(Error::NoSigner.into());
        }
        // The plan is the result of a run that sends nothing, and the subject of the prompt.
        let is_sent = self.send.yes && !self.send.dry_run && plan.blockers.is_empty();
        if !is_sent || !context.output.is_quiet() {
            context.output.print_preview(&plan_report)?;
        }
        let mut report = DeployReport {
            plan: plan_report,
            unsigned: Vec::new(),
            outcome: None,
            verifications: Vec::new(),
        };
        if self.send.is_unsigned() {
            report.unsigned = executor.calls(&plan);
            if let Some(path) = &self.send.safe {
                unsigned::write_safe_batch(path, executor.chain_id(), &report.unsigned)?;
            }
        } else if !self.send.dry_run && plan.blockers.is_empty() {
            if !self.confirm(context, &plan, max_cost)? {
                return Ok(Outcome::Failure);
            }
            let progress = DeployProgress::start(context, plan.contracts.len());
            let signing = match (&signer, &mut journal) {
                (Some(signer), Some(journal)) => Some(Signing {
                    signer: signer.as_ref() as _,
                    journal,
                    max_cost,
                }),
                _ => None,
            };
            let on_event = |event: atr_deploy::Event<'_>| progress.update(event);
            let outcome = executor.run(&plan, signing, &records, &on_event).await?;
            drop(progress);
            report.outcome = Some(outcome);
            let client = node::http_client(context)?;
            for explorer in &explorers {
                for target in suite.targets() {
                    let verified = explorer.verify(&client, executor.chain_id(), target).await;
                    // An explorer error does not fail the deployment.
                    let inconclusive = |error| explorer.inconclusive(target, &error);
                    report
                        .verifications
                        .push(verified.unwrap_or_else(inconclusive));
                }
            }
        }
        context.output.print(&report)?;
        Ok(report.status().into())
    }

    async fn executor(&self, context: &Context, suite: Suite) -> eyre::Result<Executor> {
        let expected = context.settings.chain.value.map(|chain| chain.id());
        let node = node::connect(context)?;
        let chain_id = node.chain_id(expected).await?;
        let sender = TransactionSender::new(node, chain_id)
            .with_fee_limits(self.send.fee_limits())
            .with_wait_policy(WaitPolicy {
                confirmations: self.confirmations.get(),
                ..self.send.wait_policy()
            });
        let executor = Executor::new(sender, suite);
        Ok(if self.deploy_factory {
            executor.with_factory_deployment()
        } else {
            executor
        })
    }

    /// Asks for confirmation unless there is nothing to send.
    fn confirm(&self, context: &Context, plan: &Plan, max_cost: Wei) -> Result<bool, Error> {
        if plan.is_complete() || self.send.yes {
            return Ok(true);
        }
        let chain = Chain::new(plan.chain_id);
        let (count, currency) = (plan.missing(), chain.currency());
        let prompt = format!(
            "Deploy {} to {chain} for about {} {currency}, at most {} {currency}?",
            count_noun(count, "contract"),
            plan.expected_cost,
            max_cost
        );
        prompt::confirm(&context.output, &prompt)
    }
}
