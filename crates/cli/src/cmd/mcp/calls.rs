//! `call_tool`: the steps of `atr call`, with the user at the other end of the host.

use alloy_primitives::keccak256;
use atr_api::mcp::{CallAnswer, CallOutcome, CallRequest, Caller, Paid, Payment};
use atr_client::{Arguments, Call, CallResult, Demand, Ledger, PolicyViolation, SpendPolicy};
use futures_util::future::BoxFuture;

use super::policy::Limits;
use crate::{
    args::{Chain, FetchArgs, ToolArg},
    cmd::call::{self, ResponseView},
    context::Context,
    error::Error,
    output::escape_line,
    process::clock,
    signer::{AccountSigner, SignerArgs},
};

/// Says how to turn calls on.
#[derive(Debug)]
pub(super) struct CallsAreOff;

const OFF: &str = "calling tools is off, and only the user can turn it on: add \"--max-per-call\", \"0.05\" to the arguments of `atr mcp` in \
     the configuration of this host (the maximum payment of one call in units of the token; \"0\" allows calls that cost nothing), \
     \"--max-per-day\", \"1\" for the maximum of 24 hours, and an account: ATR_PRIVATE_KEY in the environment, or --account NAME with \
     --password-file FILE. `atr mcp --help` lists all limits, and `atr ledger` the payments. Then restart the host.";

impl Caller for CallsAreOff {
    fn call<'a>(&'a self, _: CallRequest<'a>) -> BoxFuture<'a, CallOutcome> {
        Box::pin(async { CallOutcome::Refused(OFF.to_owned()) })
    }
}

/// Calls tools within limits.
#[derive(Debug)]
pub(super) struct UserCalls {
    pub(super) context: Context,
    pub(super) limits: Limits,
    pub(super) fetch: FetchArgs,
    pub(super) signer: SignerArgs,
}

impl Caller for UserCalls {
    fn call<'a>(&'a self, request: CallRequest<'a>) -> BoxFuture<'a, CallOutcome> {
        Box::pin(async move {
            let outcome = self.try_call(request).await;
            outcome.unwrap_or_else(|error| CallOutcome::Refused(explain(&error)))
        })
    }
}

/// A payment that was not made yet.
enum Step {
    CallResult(Box<CallResult>),
    Ask(CallOutcome),
}

impl UserCalls {
    async fn try_call(&self, request: CallRequest<'_>) -> eyre::Result<CallOutcome> {
        let chain = request.tool.chain();
        if !self.limits.allows_chain(chain) {
            let chain = Chain::new(chain).label();
            return Err(eyre::eyre!(
                "the user does not allow calls on the chain {chain}"
            ));
        }
        let tool = ToolArg::Reference(request.tool);
        let (client, tool) = call::connect(&self.context, &tool, &self.fetch).await?;
        let fresh = client.verify(tool, clock::now()).await?;
        let hash = fresh.evidence().registered_hash;
        if request.manifest_hash.is_some() && request.manifest_hash != hash {
            return Err(eyre::eyre!(
                "the publisher changed the tool since this server started; the user has to check it and restart the host"
            ));
        }
        let arguments = Arguments::parse(request.arguments)?;
        let mut call = client.call(fresh, arguments)?;
        let mut paid = None;
        let mut reply = call.send().await?;
        let answer = loop {
            let demand = match reply {
                CallResult::ToolResponse(answer) => break answer,
                CallResult::Demand(demand) => demand,
            };
            let policy = self.limits.policy(demand.token())?;
            demand.check(&policy).map_err(atr_client::Error::from)?;
            let signer = self.signer.load_account(&self.context, chain).await?;
            let signer = signer.ok_or(Error::NoSigner)?;
            reply = if demand.is_free() {
                let signed = call::sign(&*signer, &demand).await?;
                call.identify(&demand, signed, &policy).await?
            } else {
                match self
                    .pay(&mut call, &demand, &policy, &*signer, request)
                    .await?
                {
                    Step::Ask(question) => return Ok(question),
                    Step::CallResult(reply) => {
                        paid = Some(demand);
                        *reply
                    }
                }
            };
        };
        let transaction = answer.receipt.as_ref();
        let transaction = transaction.and_then(|receipt| receipt.transaction);
        let answer = ResponseView::new(answer);
        let warnings = atr_client::warnings(call.tool().manifest()).into_iter();
        let warnings = warnings.map(|warning| warning.to_string());
        Ok(CallOutcome::Answered(Box::new(CallAnswer {
            tool_ref: tool.to_string(),
            status: answer.status,
            output: answer.output,
            payment: paid.map(|demand| Paid {
                price: demand.price(),
                amount: demand.amount().to_string(),
                asset: asset(&demand),
                payee: demand.payee(),
                transaction,
            }),
            suggestions: suggestions(&call),
            warnings: warnings.chain(answer.failures).collect(),
            body: answer.body,
        })))
    }

    async fn pay(
        &self,
        call: &mut Call<'_>,
        demand: &Demand,
        policy: &SpendPolicy,
        signer: &dyn AccountSigner,
        request: CallRequest<'_>,
    ) -> eyre::Result<Step> {
        let ledger = self.context.ledger()?;
        let earlier = call.earlier_payment(signer.address(), &ledger, false, clock::now());
        if let Some(earlier) = earlier.await? {
            // Pays nothing more.
            let reply = call.resend(demand, &earlier, &ledger, clock::now()).await?;
            return Ok(Step::CallResult(Box::new(reply)));
        }
        // Before the user is asked; it is decided when the payment is written.
        let spent = ledger.spent_in_day(clock::now(), demand.token().decimals())?;
        let within_day = policy.check_day(demand.amount(), spent, demand.token());
        within_day.map_err(atr_client::Error::from)?;
        let payment = Payment {
            tool_ref: call.tool().tool().to_string(),
            manifest_hash: call.tool().evidence().registered_hash.unwrap_or_default(),
            arguments_hash: keccak256(request.arguments),
            asset: asset(demand),
            payee: demand.payee(),
            amount: demand.amount().to_string(),
        };
        if request.can_ask && request.approved != Some(&payment) {
            let question = question(call, demand, &ledger, policy)?;
            return Ok(Step::Ask(CallOutcome::ConsentNeeded { payment, question }));
        }
        if !request.can_ask {
            // The limits of the user are the consent, but not to another payment than the manifest says (J-10).
            if !demand.differences().is_empty() {
                return Err(atr_client::Error::DiffersFromManifest.into());
            }
            if self.limits.always_asks {
                return Err(eyre::eyre!(
                    "the user wants to be asked before a payment, and this host cannot ask"
                ));
            }
        }
        call.verify_again(clock::now()).await?;
        let signed = call::sign(signer, demand).await?;
        let reply = call.pay(demand, signed, policy, &ledger, false, clock::now());
        Ok(Step::CallResult(Box::new(reply.await?)))
    }
}

/// CAIP-19.
fn asset(demand: &Demand) -> String {
    format!("{}/erc20:{:#x}", demand.network(), demand.token().address())
}

/// Shown before anything is sent with them (J-06); they never are (J-05, J-07).
fn suggestions(call: &Call<'_>) -> Vec<String> {
    let prefills = call.prefills().into_iter();
    let prefills = prefills.map(|prefill| {
        let (name, value) = (&prefill.name, &prefill.value);
        format!("{name} = {value} (`{}`)", prefill.kind.keyword())
    });
    prefills.collect()
}

/// All that the user needs to decide. The name and the host are the publisher's.
fn question(
    call: &Call<'_>,
    demand: &Demand,
    ledger: &Ledger,
    policy: &SpendPolicy,
) -> eyre::Result<String> {
    let (tool, token) = (call.tool(), demand.token());
    let manifest = tool.manifest();
    let spent = ledger.spent_in_day(clock::now(), token.decimals())?;
    let mut text = format!(
        "Pay {} to {} on {} for one call?\n\nTool: \"{}\"\n{}\nEndpoint: {}\n",
        demand.price(),
        demand.payee(),
        Chain::new(demand.network().chain_id()).label(),
        atr_ids::excerpt(manifest.name()),
        tool.tool(),
        atr_ids::excerpt(&manifest.endpoint().to_string()),
    );
    if demand.differences().is_empty() {
        text += "Price, token and payee are those of its manifest.\n";
    }
    for difference in demand.differences() {
        text += &format!("Differs: {}\n", call::describe(difference, demand));
    }
    text += &format!(
        "Paid in the last 24 hours: {} of at most {} {}.",
        token.format_amount(spent),
        token.format_amount(policy.max_per_day.unwrap_or_default()),
        token.symbol()
    );
    Ok(text)
}

/// An error for the model and the user, with what the user can do about it.
fn explain(error: &eyre::Report) -> String {
    use atr_client::Error as Client;
    let advice = match error.downcast_ref::<Client>() {
        Some(Client::Policy(violation)) => match violation {
            PolicyViolation::PaymentNotAllowed { .. } | PolicyViolation::TooExpensive { .. } => {
                "only the user can raise --max-per-call of `atr mcp`"
            }
            PolicyViolation::DailyLimit { .. } => {
                "only the user can raise --max-per-day of `atr mcp`; `atr ledger` lists the payments"
            }
            PolicyViolation::Recipient { .. } | PolicyViolation::UnnamedPayee { .. } => {
                "only the user can add it with --allow-recipient of `atr mcp`, after checking it"
            }
            PolicyViolation::Network { .. } => {
                "only the user can add it with --allow-chain of `atr mcp`"
            }
            PolicyViolation::NotBound { .. } => "",
        },
        Some(Client::DiffersFromManifest) => {
            "the user has to agree, and this host cannot ask; `atr call` asks in a terminal"
        }
        Some(Client::Fetch(_)) => {
            "a payment without an answer is not paid twice: call the tool again with the same arguments"
        }
        Some(Client::PaidWithoutResponse { .. }) => {
            "the user can ask the publisher for the answer, or pay once more with `atr call --pay-again`"
        }
        _ => match error.downcast_ref::<Error>() {
            Some(Error::NoSigner) => {
                "the user sets it in the configuration of this host: ATR_PRIVATE_KEY, or --account with --password-file"
            }
            _ => "",
        },
    };
    let text = match error.downcast_ref::<Error>() {
        Some(Error::NoSigner) => {
            "the tool asks who calls it, and `atr mcp` has no account".to_owned()
        }
        _ => escape_line(&format!("{error:#}")),
    };
    match advice {
        "" => text,
        advice => format!("{text}; {advice}"),
    }
}
