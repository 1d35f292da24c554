//! Planning, confirming and sending the transactions of `atr tool` and `atr predicate`.

mod report;

use alloy_primitives::Address;
use atr_registry::{Call, Registry, TransactionPlan, TransactionSender};
pub(crate) use report::TransactionReport;
use report::{FollowUp, StopReason};

use crate::{
    args::SendArgs, context::Context, error::Error, outcome::Outcome, output::prompt,
    signer::BoxSigner,
};

/// Plans and sends the transactions of one command.
pub(crate) struct Sender<'a> {
    context: &'a Context,
    args: &'a SendArgs,
    sender: TransactionSender,
    signer: Option<BoxSigner>,
}

impl<'a> Sender<'a> {
    /// Loads the signer, which is optional with `--dry-run`.
    pub(crate) async fn try_new(
        args: &'a SendArgs,
        context: &'a Context,
        registry: &Registry,
    ) -> eyre::Result<Self> {
        let chain_id = registry.chain_id();
        let signer = args.load_signer(context, chain_id).await?;
        if signer.is_none() && !args.dry_run {
            return Err(Error::NoSigner.into());
        }
        let sender = TransactionSender::new(registry.provider().clone(), chain_id)
            .with_fee_limits(args.fee_limits())
            .with_wait_policy(args.wait_policy());
        Ok(Self {
            context,
            args,
            sender,
            signer,
        })
    }

    /// `None` for a dry run without signer and `--from`.
    pub(crate) fn address(&self) -> Option<Address> {
        self.args.sender_address(self.signer.as_ref())
    }

    /// Simulates a call and estimates its cost.
    pub(crate) async fn plan(&self, call: Call, from: Address) -> eyre::Result<TransactionPlan> {
        Ok(self.sender.plan(call, from).await?)
    }

    /// Maximum cost of a call that cannot be simulated until the planned transaction is mined.
    pub(crate) async fn plan_follow_up(
        &self,
        description: impl Into<String>,
        call: &Call,
        gas: u64,
        planned: &TransactionPlan,
    ) -> eyre::Result<FollowUp> {
        Ok(FollowUp {
            description: description.into(),
            gas,
            max_cost: self.sender.max_cost(call, gas, planned.fees).await?,
        })
    }

    /// Executes the plan and prints the report.
    pub(crate) async fn execute_and_print(
        &self,
        mut report: TransactionReport,
        prompts: &[&str],
    ) -> eyre::Result<Outcome> {
        self.execute(&mut report, prompts).await?;
        self.context.output.print(&report)?;
        Ok(report.outcome())
    }

    /// Prints the plan, asks for confirmation and sends the planned transactions. Sets `report.stopped` if nothing was sent.
    pub(crate) async fn execute(
        &self,
        report: &mut TransactionReport,
        prompts: &[&str],
    ) -> eyre::Result<()> {
        report.check_blockers(self.args.dry_run);
        self.context.output.print_preview(&report.plan())?;
        if report.stopped.is_some() {
            return Ok(());
        }
        for prompt in prompts {
            if !self.args.yes && !prompt::confirm(&self.context.output, prompt)? {
                report.stopped = Some(StopReason::Declined);
                return Ok(());
            }
        }
        for planned in report.planned.clone() {
            self.send(report, &planned).await?;
        }
        Ok(())
    }

    /// Plans and sends a call that depends on the transactions sent before.
    pub(crate) async fn send_follow_up(
        &self,
        report: &mut TransactionReport,
        call: Call,
    ) -> eyre::Result<()> {
        let from = self.address().ok_or(Error::NoSigner)?;
        let planned = self.plan(call, from).await?;
        self.send(report, &planned).await?;
        report.planned.push(planned);
        Ok(())
    }

    async fn send(
        &self,
        report: &mut TransactionReport,
        planned: &TransactionPlan,
    ) -> eyre::Result<()> {
        let signer = self.signer.as_deref().ok_or(Error::NoSigner)?;
        let sent = self.sender.send(planned, signer as _).await?;
        report.add(planned, sent);
        Ok(())
    }
}
