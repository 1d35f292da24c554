//! Planning, confirming and sending the transactions of `atr tool` and `atr predicate`.

mod events;
mod report;
pub(crate) mod unsigned;

use alloy_primitives::Address;
use atr_registry::{Registry, ToolEvent};
use atr_rpc::{
    Call, Journal, MinedTransaction, Node, Run, Transaction, TransactionPlan, TransactionSender,
};
pub(crate) use events::EventPrinter;
use report::{FollowUp, StopReason};
pub(crate) use report::{ScriptReport, TransactionReport};

use crate::{
    args::{Chain, SendArgs},
    context::Context,
    error::Error,
    network::node,
    outcome::Outcome,
    output::{Output, prompt},
    signer::BoxSigner,
};

/// How the user confirms a plan.
#[derive(Debug)]
pub(crate) enum Confirmation<'a> {
    /// A question, answered with yes or no.
    Question(&'a str),
    /// A text that must be typed.
    Typed { prompt: &'a str, expected: &'a str },
}

impl Confirmation<'_> {
    fn ask(&self, output: &Output) -> Result<bool, Error> {
        match self {
            Self::Question(prompt) => prompt::confirm(output, prompt),
            Self::Typed { prompt, expected } => prompt::confirm_by_typing(output, prompt, expected),
        }
    }
}

/// Plans and sends the transactions of one command.
pub(crate) struct Sender<'a> {
    context: &'a Context,
    args: &'a SendArgs,
    /// Whose events are reported.
    registry: Option<Address>,
    sender: TransactionSender,
    signer: Option<BoxSigner>,
    /// The account of the signer, or of `--from`.
    from: Option<Address>,
    /// `None` if nothing is sent.
    journal: Option<Journal>,
}

impl<'a> Sender<'a> {
    /// Loads the signer, which is optional with `--dry-run`, and opens its journal.
    pub(crate) async fn try_new(
        args: &'a SendArgs,
        context: &'a Context,
        registry: &Registry,
    ) -> eyre::Result<Self> {
        let chain_id = registry.chain_id();
        let node = node::connect_on(context, Some(Chain::new(chain_id)))?;
        Self::on_node(args, context, node, chain_id, Some(registry.address())).await
    }

    /// As [`Self::try_new`], for contracts that are not part of a registry.
    pub(crate) async fn on_node(
        args: &'a SendArgs,
        context: &'a Context,
        node: Node,
        chain_id: u64,
        registry: Option<Address>,
    ) -> eyre::Result<Self> {
        let (signer, from) = args.load_signer(context, &node, chain_id).await?;
        if signer.is_none() && !args.dry_run && !args.is_unsigned() {
            return Err(Error::NoSigner.into());
        }
        let sender = TransactionSender::new(node, chain_id)
            .with_fee_limits(args.fee_limits())
            .with_wait_policy(args.wait_policy());
        // A dry run must not create the journal or its lock.
        let journal = match &signer {
            Some(signer) if !args.dry_run => Some(Journal::open(
                &context.journal_folder()?,
                chain_id,
                signer.address(),
                sender.genesis().await?,
            )?),
            _ => None,
        };
        Ok(Self {
            context,
            args,
            registry,
            sender,
            signer,
            from,
            journal,
        })
    }

    /// `None` without signer and `--from`.
    pub(crate) const fn address(&self) -> Option<Address> {
        self.from
    }

    /// Simulates a call and estimates its cost. A call that an earlier run sent is not simulated again.
    pub(crate) async fn plan(&self, call: Call, from: Address) -> eyre::Result<TransactionPlan> {
        let entry = self
            .journal
            .as_ref()
            .and_then(|journal| journal.entry(call.id()));
        let plan = match entry {
            Some(entry) => self.sender.plan_resumed(call, from, entry).await,
            None => self.sender.plan(call, from).await,
        };
        Ok(plan.map_err(atr_registry::Error::from)?)
    }

    /// Maximum cost of a call that cannot be simulated until the planned transaction is mined.
    pub(crate) async fn plan_follow_up(
        &self,
        description: impl Into<String>,
        call: &Call,
        gas: u64,
        planned: &TransactionPlan,
    ) -> eyre::Result<FollowUp> {
        let (gas, max_cost) = self.sender.max_cost(call, gas, planned.fees).await?;
        Ok(FollowUp {
            description: description.into(),
            gas,
            max_cost,
        })
    }

    /// Executes the plan and prints the report.
    pub(crate) async fn execute_and_print(
        mut self,
        mut report: TransactionReport,
        confirmation: &Confirmation<'_>,
    ) -> eyre::Result<Outcome> {
        self.execute(&mut report, confirmation, async |_, _| Ok(None))
            .await?;
        self.context.output.print(&report)?;
        self.finish(&report)?;
        Ok(report.outcome())
    }

    /// Prints the plan, asks for confirmation and sends the planned transactions, then the calls that `follow_up` derives from the
    /// mined transactions, until it returns `None`. Sets `report.stopped` if nothing was sent.
    pub(crate) async fn execute(
        &mut self,
        report: &mut TransactionReport,
        confirmation: &Confirmation<'_>,
        mut follow_up: impl AsyncFnMut(
            &[MinedTransaction],
            &mut TransactionReport,
        ) -> eyre::Result<Option<Call>>,
    ) -> eyre::Result<()> {
        if self.args.is_unsigned() {
            return self.write_unsigned(report);
        }
        report.unsigned.clear();
        report.is_local_node = node::is_local(self.context);
        let total = report.check_blockers(self.args.dry_run, self.args.max_cost());
        // The plan is the result of a run that sends nothing, and the subject of the prompts.
        let is_needed = report.stopped.is_some() || !self.args.yes;
        if is_needed || !self.context.output.is_quiet() {
            self.context.output.print_preview(&report.plan())?;
        }
        if report.stopped.is_some() {
            return Ok(());
        }
        if !self.args.yes && !confirmation.ask(&self.context.output)? {
            report.stopped = Some(StopReason::Declined);
            return Ok(());
        }
        let signer = self.signer.as_deref().ok_or(Error::NoSigner)?;
        let journal = self.journal.as_mut().ok_or(Error::NoSigner)?;
        let printer = EventPrinter::new(self.context);
        let observer = |event: atr_rpc::Event<'_>| printer.print(&event);
        let mut run = self
            .sender
            .start(signer as _, journal, total, &observer)
            .await?;
        let calls: Vec<_> = report.planned.iter().map(|plan| &plan.call).collect();
        for entry in run.settle(&calls).await? {
            printer.print_pending(&entry);
        }
        run.reserve(report.follow_up_cost(0));
        let mut mined = Vec::new();
        for planned in report.planned.clone() {
            mined.push(send(&mut run, report, &planned, self.registry).await?);
        }
        let from = signer.address();
        let first = mined.len();
        while let Some(last) = mined.last().map(|last: &MinedTransaction| last.block) {
            let Some(call) = follow_up(&mined, report).await? else {
                break;
            };
            run.reserve(report.follow_up_cost(mined.len() - first + 1));
            let planned = match run.entry(&call) {
                Some(entry) => self.sender.plan_resumed(call, from, entry).await,
                None => self.sender.plan_after(call, from, last).await,
            };
            let planned = planned.map_err(atr_registry::Error::from)?;
            mined.push(send(&mut run, report, &planned, self.registry).await?);
            report.planned.push(planned);
        }
        Ok(())
    }

    /// Removes the transactions of a report that was printed from the journal.
    pub(crate) fn finish(&mut self, report: &TransactionReport) -> eyre::Result<()> {
        if let (Some(journal), None) = (&mut self.journal, report.stopped) {
            for planned in &report.planned {
                journal.remove(planned.call.id())?;
            }
        }
        Ok(())
    }

    fn write_unsigned(&self, report: &mut TransactionReport) -> eyre::Result<()> {
        report.stopped = Some(StopReason::Unsigned);
        let planned = report.planned.iter().map(|plan| plan.call.clone());
        report.unsigned = planned.chain(report.unsigned.drain(..)).collect();
        self.context.output.print_preview(&report.plan())?;
        if let Some(path) = &self.args.safe {
            let chain_id = self.sender.profile().id;
            unsigned::write_safe_batch(path, chain_id, &report.unsigned)?;
            report.safe_file = Some(path.clone());
        }
        Ok(())
    }
}

async fn send(
    run: &mut Run<'_>,
    report: &mut TransactionReport,
    planned: &TransactionPlan,
    registry: Option<Address>,
) -> eyre::Result<MinedTransaction> {
    let transaction = Transaction {
        once: report.is_registration,
        ..Transaction::from(planned)
    };
    let mined = run.send(&transaction).await?;
    let events = registry.map(|registry| ToolEvent::of_contract(registry, &mined.logs));
    let events = events.unwrap_or_default();
    report.add(planned, mined.clone(), events);
    Ok(mined)
}
