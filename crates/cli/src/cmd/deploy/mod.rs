//! `atr deploy`.

mod check;
mod explorers;
mod plan;
mod prediction;
mod progress;
mod records;
mod report;

use std::{num::NonZeroU64, path::PathBuf, time::Duration};

use alloy_primitives::Address;
use atr_deploy::{Executor, FeeLimits, Journal, Plan, Suite, WaitPolicy};
use atr_fetch::HttpClient;

use crate::{
    args::{Chain, GasPrice, Word},
    cmd::deploy::{
        explorers::ExplorerArgs, plan::PlanReport, prediction::PredictionReport, progress::Watch,
        records::record_folder, report::DeployReport,
    },
    context::Context,
    error::Error,
    network::node,
    outcome::Outcome,
    output::prompt,
    process::runtime,
    signer::{BoxSigner, SignerArgs},
};

/// Deploy the registry and its predicates, at the same addresses on every chain.
///
/// Shows a plan first: what is there, what is missing, what it costs. Then asks, sends, waits, checks every byte, and writes
/// a record. What is there already stays; what was interrupted is taken up again and paid for once. Predicates serve the
/// registry that is deployed with them, or the one --registry names.
///
/// Exit codes: 0 everything is in place (with --dry-run: the plan can be carried out), 1 it is not, or the plan was
/// declined, 2 misuse, 3 could not find out.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Cmd>,

    /// Print the addresses and stop; asks no node
    #[arg(long, conflicts_with = "dry_run")]
    predict: bool,

    /// Print the plan and stop; signs and sends nothing, needs no signer
    #[arg(long)]
    dry_run: bool,

    /// Do not ask before sending
    #[arg(long)]
    yes: bool,

    /// Salt of the addresses, 32 bytes [default: zero]
    #[arg(long, value_name = "SALT")]
    salt: Option<Word>,

    /// Contract to deploy, instead of all [repeatable]
    #[arg(long, value_name = "CONTRACT", num_args = 1..)]
    only: Vec<String>,

    /// Add the CREATE2 factory to the plan where the chain lacks it
    #[arg(long)]
    deploy_factory: bool,

    /// Blocks to wait for, the one with the transaction included
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    confirmations: NonZeroU64,

    /// Most to pay per gas, such as 2gwei
    #[arg(long, value_name = "PRICE")]
    max_fee_per_gas: Option<GasPrice>,

    /// Most to tip per gas, such as 0.01gwei
    #[arg(long, value_name = "PRICE")]
    max_priority_fee_per_gas: Option<GasPrice>,

    /// Most to wait for a transaction, in seconds; the next run takes up the waiting
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,

    /// Most to wait for an answer of the node, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    rpc_timeout: u64,

    /// Folder of the records [default: script/deployments in this repository, else atr/deployments among your data]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,

    /// Account to plan for without its key; with --dry-run
    #[arg(
        long,
        value_name = "ADDRESS",
        requires = "dry_run",
        conflicts_with = "signer"
    )]
    from: Option<Address>,

    #[command(flatten)]
    explorers: ExplorerArgs,

    #[command(flatten)]
    signer: SignerArgs,
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
        context.output.present(&PredictionReport::of(&suite))?;
        return Ok(Outcome::Yes);
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
        let explorers = self.explorers.explorers(context)?;
        let door = node::door(self.rpc_timeout)?;
        let executor = self.executor(context, door.clone(), suite.clone()).await?;
        let here = std::env::current_dir().map_err(|source| Error::WorkingDirectory { source })?;
        let records = record_folder(self.records.as_deref(), context, &here)?;
        let record = records.file(executor.chain_id());

        let signer = self.signer(context, executor.chain_id()).await?;
        let sender = self.from.or(signer.as_ref().map(|signer| signer.address()));
        // A dry run touches nothing, not even the journal's lock.
        let mut journal = match self.dry_run {
            true => None,
            false => Some(Journal::open(records.path(), executor.chain_id())?),
        };
        let plan = executor.plan(sender, journal.as_ref()).await?;
        let shown = PlanReport {
            plan: &plan,
            record: &record,
        };
        context.output.present_early(&shown)?;
        let mut report = DeployReport {
            plan: shown,
            outcome: None,
            verifications: Vec::new(),
        };
        let journal = journal.as_mut().filter(|_| plan.blockers.is_empty());
        if let Some(journal) = journal {
            if !self.consents(context, &plan, signer.as_ref())? {
                return Ok(Outcome::No);
            }
            let watch = Watch::start(context, plan.contracts.len());
            let signer = signer.as_deref();
            let see = |event: atr_deploy::Event<'_>| watch.see(event);
            let outcome = executor
                .run(&plan, signer.map(|s| s as _), journal, &records, &see)
                .await?;
            drop(watch);
            report.outcome = Some(outcome);
            for explorer in &explorers {
                for target in suite.targets() {
                    let verified = explorer.verify(&door, executor.chain_id(), target).await;
                    // The deployment stands, whatever becomes of an explorer.
                    let unknown = |error| explorer.unknown(target, &error);
                    report.verifications.push(verified.unwrap_or_else(unknown));
                }
            }
        }
        context.output.present(&report)?;
        Ok(report.verdict().into())
    }

    async fn executor(
        &self,
        context: &Context,
        door: HttpClient,
        suite: Suite,
    ) -> eyre::Result<Executor> {
        let expected = context.settings.chain.value.map(|chain| chain.id());
        let node = node::connect(&context.settings, door)?;
        let patience = WaitPolicy {
            at_most: Duration::from_secs(self.timeout),
            ..WaitPolicy::default()
        };
        let executor = Executor::try_new(node, suite, expected).await?;
        let executor = executor
            .with_caps(FeeLimits {
                max_fee_per_gas: self.max_fee_per_gas.map(|price| price.0),
                max_priority_fee_per_gas: self.max_priority_fee_per_gas.map(|price| price.0),
            })
            .with_confirmations(self.confirmations.get())
            .with_wait_policy(patience);
        Ok(if self.deploy_factory {
            executor.with_factory()
        } else {
            executor
        })
    }

    async fn signer(&self, context: &Context, chain_id: u64) -> Result<Option<BoxSigner>, Error> {
        if self.from.is_some() {
            return Ok(None);
        }
        self.signer.load(context, chain_id).await
    }

    /// Whether the person agrees to the plan. Nothing to send needs no consent.
    fn consents(
        &self,
        context: &Context,
        plan: &Plan,
        signer: Option<&BoxSigner>,
    ) -> Result<bool, Error> {
        if plan.is_done() {
            return Ok(true);
        }
        if signer.is_none() {
            return Err(Error::NoSigner);
        }
        if self.yes {
            return Ok(true);
        }
        let chain = Chain::of_id(plan.chain_id);
        let (count, coin) = (plan.missing(), chain.coin());
        let question = format!(
            "Deploy {count} contracts to {chain} for about {} {coin}, at most {} {coin}?",
            plan.total, plan.at_most
        );
        prompt::confirm(&context.output, &question)
    }
}
