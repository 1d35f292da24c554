//! Writing to the chain: the plan is shown, the person asked, the transaction sent, the result told. For every command that
//! writes to a registry or a predicate.

mod report;

use std::time::Duration;

use alloy_primitives::Address;
use atr_registry::{Call, FeeLimits, Registry, TransactionPlan, WaitPolicy, Writer};
pub(crate) use report::WriteReport;
use report::{Later, Stopped};

use crate::{
    args::{Account, GasPrice},
    context::Context,
    error::Error,
    outcome::Outcome,
    output::prompt,
    signer::{BoxSigner, SignerArgs},
};

/// How to send, for every command that does.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Sending")]
pub(crate) struct SendArgs {
    /// Show the plan and stop; signs and sends nothing, needs no signer
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Do not ask before sending
    #[arg(long)]
    pub(crate) yes: bool,

    /// Account to plan for without its key; with --dry-run
    #[arg(
        long,
        value_name = "ADDRESS",
        requires = "dry_run",
        conflicts_with = "signer"
    )]
    from: Option<Account>,

    /// Most to pay per gas, such as 2gwei
    #[arg(long, value_name = "PRICE")]
    max_fee_per_gas: Option<GasPrice>,

    /// Most to wait for a transaction, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 180)]
    timeout: u64,

    #[command(flatten)]
    signer: SignerArgs,
}

/// Who sends, and how.
pub(crate) struct Sending<'a> {
    context: &'a Context,
    args: &'a SendArgs,
    writer: Writer,
    signer: Option<BoxSigner>,
}

impl SendArgs {
    /// Gets ready to send; nothing is signed yet.
    pub(crate) async fn start<'a>(
        &'a self,
        context: &'a Context,
        registry: &Registry,
    ) -> eyre::Result<Sending<'a>> {
        let chain_id = registry.chain_id();
        let signer = match self.from {
            Some(_) => None,
            None => self.signer.load(context, chain_id).await?,
        };
        if signer.is_none() && !self.dry_run {
            return Err(Error::NoSigner.into());
        }
        let patience = WaitPolicy {
            at_most: Duration::from_secs(self.timeout),
            ..WaitPolicy::default()
        };
        let caps = FeeLimits {
            max_fee_per_gas: self.max_fee_per_gas.map(|price| price.0),
            ..FeeLimits::default()
        };
        let writer = Writer::new(registry.provider().clone(), chain_id);
        Ok(Sending {
            context,
            args: self,
            writer: writer.with_caps(caps).with_wait_policy(patience),
            signer,
        })
    }
}

impl Sending<'_> {
    /// Who would send; none if a dry run was given nobody.
    pub(crate) fn sender(&self) -> Option<Address> {
        let signer = self.signer.as_ref().map(|signer| signer.address());
        signer.or(self.args.from.map(|from| from.0))
    }

    /// Tries a call, as `from` would make it.
    pub(crate) async fn plan(&self, call: Call, from: Address) -> eyre::Result<TransactionPlan> {
        Ok(self.writer.plan(call, from).await?)
    }

    /// What a call that cannot be tried yet costs at most, to be sent after the one that is planned.
    pub(crate) async fn later(
        &self,
        what: impl Into<String>,
        call: &Call,
        gas: u64,
        planned: &TransactionPlan,
    ) -> eyre::Result<Later> {
        Ok(Later {
            what: what.into(),
            gas,
            at_most: self.writer.at_most(call, gas, planned.fees).await?,
        })
    }

    /// Shows the plan, asks, sends, tells what came of it: all there is to do for a command that has nothing to send after that.
    pub(crate) async fn finish(
        &self,
        mut report: WriteReport,
        questions: &[&str],
    ) -> eyre::Result<Outcome> {
        self.carry_out(&mut report, questions).await?;
        self.context.output.present(&report)?;
        Ok(report.outcome())
    }

    /// Shows the plan and carries it out, if it can be and every question is answered with yes. What was sent, or why it was
    /// not, is in the report.
    pub(crate) async fn carry_out(
        &self,
        report: &mut WriteReport,
        questions: &[&str],
    ) -> eyre::Result<()> {
        report.judge(self.args.dry_run);
        self.context.output.present_early(&report.plan())?;
        if report.stopped.is_some() {
            return Ok(());
        }
        for question in questions {
            if !self.args.yes && !prompt::confirm(&self.context.output, question)? {
                report.stopped = Some(Stopped::Declined);
                return Ok(());
            }
        }
        for planned in report.planned.clone() {
            self.send(report, &planned).await?;
        }
        Ok(())
    }

    /// Sends one call more, that could not be planned before the others were in a block.
    pub(crate) async fn send_also(&self, report: &mut WriteReport, call: Call) -> eyre::Result<()> {
        let from = self.sender().ok_or(Error::NoSigner)?;
        let planned = self.plan(call, from).await?;
        self.send(report, &planned).await?;
        report.planned.push(planned);
        Ok(())
    }

    async fn send(&self, report: &mut WriteReport, planned: &TransactionPlan) -> eyre::Result<()> {
        let signer = self.signer.as_deref().ok_or(Error::NoSigner)?;
        let sent = self.writer.send(planned, signer as _).await?;
        report.add(planned, sent);
        Ok(())
    }
}
