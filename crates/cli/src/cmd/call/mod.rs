//! `atr call`.

mod card;
mod report;
mod session;

use std::{fs, io::Read};

use alloy_primitives::Bytes;
use atr_client::{
    Arguments, Call, CallResult, Client, Demand, IdentityPolicy, PolicyViolation, SpendPolicy,
    ToolResponse,
};
use atr_ids::ToolRef;
use atr_rpc::EnsName;

use self::{
    card::{CalledCard, Target},
    report::{CallReport, DemandView, Demands},
};
pub(in crate::cmd) use self::{
    report::{ResponseView, describe},
    session::{Amount, connect, sign},
};
use crate::{
    args::{AddressArg, AllowlistFile, CallData, FetchArgs, ToolArg},
    cmd::card::resolve::ResolveArgs,
    context::Context,
    error::Error,
    outcome::Outcome,
    output::prompt,
    process::{clock, runtime},
    signer::{AccountSigner, SignerArgs},
};

/// Call a tool, and pay for it if you allow it
///
/// Verifies the tool, validates the arguments against its manifest, and sends them to its endpoint. If the tool demands a
/// proof of identity or a payment (status 402), signs an EIP-3009 authorization and sends the request once more. A proof of
/// identity is free; it is signed without a prompt if the payee is bound to the tool, is its creator, or is named by
/// --allow-recipient. A payment is signed only with --max-amount, after the tool was verified again, and shown before it is
/// signed. Payments are recorded in a ledger before they are sent (`atr ledger`): if the answer is lost, run the same command
/// again, and the same payment is sent again.
///
/// With an ENS name, calls the tool of its Agent Card: the card must be trusted (`atr card resolve`), and the tool is named by the
/// record erc8257.tool of the name, or by --tool. The answer must be a receipt that follows the receipt schema of the card.
///
/// Exit codes: 0 the tool answered (2xx), 1 the tool refused, the call was not allowed or the receipt is invalid, 2 usage error,
/// 3 unknown (the tool did not answer, or the card or its receipt could not be checked).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    atr call 7 --data '{\"query\":\"eth\"}'\n  \
    atr call 7 --data @arguments.json --max-amount 0.05\n  \
    atr call 7 --data '{}' --dry-run\n  \
    atr call summarizeagent.eth summarize --data @request.json\n  \
    atr call 7 --data '{}' --allowlist members.txt\n  \
    atr call 7 --data '{}' --delegate-for 0xC8721c9A776958FfFfEb602DA1b708bf1D318379")]
pub(crate) struct Args {
    /// Tool to call, or the ENS name of an Agent Card
    #[arg(value_name = "TOOL|NAME")]
    target: Target,

    /// Verb of the card [default: its primary verb]
    #[arg(value_name = "VERB")]
    verb: Option<String>,

    /// Tool to call for the card, whatever its name says
    #[arg(long, value_name = "TOOL", help_heading = "Agent Card")]
    tool: Option<ToolArg>,

    #[command(flatten)]
    resolve: ResolveArgs,

    /// Arguments as JSON, `@FILE`, or `-` for standard input
    #[arg(long, value_name = "JSON", default_value = "{}")]
    data: String,

    /// Maximum payment in units of the token, such as 0.05 [default: no payment]
    #[arg(
        long,
        value_name = "AMOUNT",
        default_value = "0",
        hide_default_value = true
    )]
    max_amount: Amount,

    /// Payee that may be paid or given a proof of identity [repeatable] [default: payments: any; identity: the creator]
    #[arg(long, value_name = "ADDRESS")]
    allow_recipient: Vec<AddressArg>,

    /// Prove the identity only if the proof is bound to this tool, so that it is worthless elsewhere
    #[arg(long)]
    require_audience: bool,

    /// Call for this account, which delegated to the signer at delegate.xyz
    #[arg(long, value_name = "ADDRESS")]
    delegate_for: Option<AddressArg>,

    /// Prove that the caller is on the allowlist in a file with one account per line [repeatable]
    #[arg(long, value_name = "FILE", conflicts_with = "access_data")]
    allowlist: Vec<AllowlistFile>,

    /// ABI-encoded data for the predicate (X-Access-Data), such as a token id or a signature; it is public
    #[arg(long, value_name = "HEX")]
    access_data: Option<CallData>,

    /// Add the `default` and `const` values of the manifest to the arguments
    #[arg(long)]
    accept_defaults: bool,

    /// Pay within --max-amount even if the demand differs from the manifest
    #[arg(long)]
    accept_price_change: bool,

    /// Pay again if an earlier payment for the same call was settled and its answer lost
    #[arg(long)]
    pay_again: bool,

    /// Print what the tool demands, and stop before signing
    #[arg(long)]
    dry_run: bool,

    /// Do not ask before paying
    #[arg(short, long)]
    yes: bool,

    #[command(flatten)]
    fetch: FetchArgs,

    #[command(flatten)]
    signer: SignerArgs,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.call(context))?
}

impl Args {
    async fn call(&self, context: &Context) -> eyre::Result<Outcome> {
        let (mut card, tool) = match &self.target {
            Target::Tool(_) if self.verb.is_some() || self.tool.is_some() => {
                return Err(Error::VerbOfTool.into());
            }
            Target::Tool(tool) => (None, tool.clone()),
            Target::Card(name) => {
                let card = self.card(name, context).await?;
                let tool = card.tool.clone();
                (Some(card), tool)
            }
        };
        let (client, tool) = session::connect(context, &tool, &self.fetch).await?;
        let chain_id = tool.chain();
        let arguments = Arguments::parse(self.read_data()?)?;
        let request = arguments.text().to_owned();
        let data = self.access_data(context, tool, chain_id).await?;
        let call = self.prepare(context, &client, tool, arguments).await?;
        let mut call = call.access_data(data);
        let mut report = CallReport::new(&call);
        if let Some(card) = &mut card {
            let warning = card.read_manifest(call.tool().manifest());
            report.warnings.extend(warning);
        }
        report.card = card;
        for warning in &report.warnings {
            context.output.print_warning(warning);
        }
        let mut reply = call.send().await?;
        // One proof of identity and one payment at most: the call rejects a second demand of either kind.
        let answer = loop {
            let demand = match reply {
                CallResult::ToolResponse(answer) => break answer,
                CallResult::Demand(demand) => demand,
            };
            report.demands.push(DemandView::new(&demand));
            if self.dry_run {
                context.output.print(&Demands(&report))?;
                return Ok(Outcome::Success);
            }
            let signer = self.signer.load_account(context, chain_id).await?;
            let signer = signer.ok_or(Error::NoSigner)?;
            reply = if demand.is_free() {
                let policy = self.identity_policy(context, &demand, &report)?;
                let signed = sign(&*signer, &demand).await?;
                call.identify(&demand, signed, &policy).await?
            } else {
                self.pay(context, &mut call, &demand, &*signer, &report)
                    .await?
            };
        };
        self.finish(context, report, &request, answer)
    }

    /// The card of a name, which must be trusted.
    async fn card(&self, name: &EnsName, context: &Context) -> eyre::Result<CalledCard> {
        let resolve = self.resolve.resolve(name, None, &self.fetch, context);
        let (verb, tool) = (self.verb.as_deref(), self.tool.as_ref());
        Ok(CalledCard::try_new(resolve.await?, verb, tool)?)
    }

    async fn prepare<'a>(
        &self,
        context: &Context,
        client: &'a Client,
        tool: ToolRef,
        arguments: Arguments,
    ) -> eyre::Result<Call<'a>> {
        let tool = client.verify(tool, clock::now()).await?;
        let inputs = tool.manifest().document().root().get("inputs");
        let prefills = inputs.map_or_else(Vec::new, |inputs| arguments.prefills(inputs));
        let arguments = if self.accept_defaults {
            arguments.with_prefills(&prefills)?
        } else {
            arguments
        };
        if !prefills.is_empty() {
            let added = self.accept_defaults;
            let notice = report::Prefills { prefills, added };
            context.output.print_event(&notice);
        }
        let call = client.call(tool, arguments)?;
        Ok(call.delegate_for(self.delegate_for.map(|holder| holder.0)))
    }

    /// Data for the predicate: given, or the proof of the account that calls.
    async fn access_data(
        &self,
        context: &Context,
        tool: ToolRef,
        chain_id: u64,
    ) -> eyre::Result<Bytes> {
        if self.allowlist.is_empty() {
            let data = self.access_data.as_ref();
            return Ok(data.map_or_else(Bytes::new, |data| data.0.clone()));
        }
        let list = AllowlistFile::load_all(&self.allowlist, tool.id())?;
        let account = match self.delegate_for {
            Some(holder) => holder.0,
            None => {
                let signer = self.signer.load_account(context, chain_id).await?;
                signer.ok_or(Error::NoSigner)?.address()
            }
        };
        Ok(list.call_data(account))
    }

    /// The policy for a proof of identity. Asks if nobody names the payee: the proof could be used at another tool.
    fn identity_policy(
        &self,
        context: &Context,
        demand: &Demand,
        report: &CallReport,
    ) -> eyre::Result<SpendPolicy> {
        let mut policy = self.policy(demand)?;
        match demand.check(&policy) {
            Ok(()) => return Ok(policy),
            Err(PolicyViolation::UnnamedPayee { .. })
                if !self.yes && context.output.is_interactive() => {}
            Err(violation) => return Err(atr_client::Error::from(violation).into()),
        }
        context.output.print_event(&Demands(report));
        let prompt = format!(
            "Prove your identity to {}, which the manifest does not name?",
            demand.payee()
        );
        if !prompt::confirm(&context.output, &prompt)? {
            return Err(Error::Declined.into());
        }
        policy.identity = IdentityPolicy::Any;
        Ok(policy)
    }

    async fn pay(
        &self,
        context: &Context,
        call: &mut Call<'_>,
        demand: &Demand,
        signer: &dyn AccountSigner,
        report: &CallReport,
    ) -> eyre::Result<CallResult> {
        let ledger = context.ledger()?;
        let policy = self.policy(demand)?;
        demand.check(&policy).map_err(atr_client::Error::from)?;
        let payer = signer.address();
        let earlier = call.earlier_payment(payer, &ledger, self.pay_again, clock::now());
        if let Some(earlier) = earlier.await? {
            context
                .output
                .print_event(&report::EarlierPayment(&earlier));
            return Ok(call.resend(demand, &earlier, &ledger, clock::now()).await?);
        }
        context.output.print_event(&Demands(report));
        let differs = !demand.differences().is_empty();
        if differs && !self.accept_price_change && !context.output.is_interactive() {
            return Err(atr_client::Error::DiffersFromManifest.into());
        }
        let needs_consent = !self.yes || (differs && !self.accept_price_change);
        let prompt = format!(
            "Pay {} to {} for this call?",
            demand.price(),
            demand.payee()
        );
        if needs_consent && !prompt::confirm(&context.output, &prompt)? {
            return Err(Error::Declined.into());
        }
        call.verify_again(clock::now()).await?;
        let signed = sign(signer, demand).await?;
        let paid = call.pay(
            demand,
            signed,
            &policy,
            &ledger,
            self.pay_again,
            clock::now(),
        );
        Ok(paid.await?)
    }

    fn policy(&self, demand: &Demand) -> Result<SpendPolicy, Error> {
        Ok(SpendPolicy {
            max_amount: self.max_amount.of(demand.token(), "--max-amount")?,
            max_per_day: None,
            allowed_recipients: self
                .allow_recipient
                .iter()
                .map(|address| address.0)
                .collect(),
            allowed_networks: Vec::new(),
            identity: if self.require_audience {
                IdentityPolicy::Bound
            } else {
                IdentityPolicy::Named
            },
        })
    }

    fn finish(
        &self,
        context: &Context,
        mut report: CallReport,
        request: &str,
        answer: ToolResponse,
    ) -> eyre::Result<Outcome> {
        if let Some(card) = report.card.as_ref().filter(|_| answer.is_success()) {
            report.receipt = Some(card.check_receipt(request, &answer.body));
        }
        let answer = report::ResponseView::new(answer);
        if !context.output.is_json() {
            context.output.print_event(&report::Notes {
                answer: &answer,
                receipt: report.receipt.as_ref(),
            });
        }
        let refusal = answer
            .refusal(report.is_paid())
            .filter(|_| !context.output.is_json());
        report.answer = Some(answer);
        match refusal {
            Some(refusal) => context.output.print_error(&refusal.into()),
            None => context.output.print(&report)?,
        }
        Ok(report.outcome())
    }

    fn read_data(&self) -> eyre::Result<Vec<u8>> {
        let read = |path: &str, text: std::io::Result<Vec<u8>>| {
            text.map_err(|source| Error::ReadData {
                path: path.to_owned(),
                source,
            })
        };
        Ok(match self.data.strip_prefix('@') {
            Some(path) => read(path, fs::read(path))?,
            None if self.data == "-" => {
                let mut text = Vec::new();
                let stdin = std::io::stdin().lock().read_to_end(&mut text);
                read("standard input", stdin.map(|_| text))?
            }
            None => self.data.clone().into_bytes(),
        })
    }
}
