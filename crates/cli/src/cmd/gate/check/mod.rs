//! `atr gate check`.

mod report;

use std::{convert::Infallible, sync::Arc};

use alloy::signers::{SignerSync, local::PrivateKeySigner};
use alloy_primitives::{Address, Bytes, keccak256};
use atr_auth::{Challenge, Signature, UnsignedAuthorization};
use atr_gate::{
    Body, GateLayer,
    access::{AccessOutcome, AccessQuery},
    proxy::Proxy,
};
use http::{Method, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Full};
use tower::{Layer, ServiceExt, service_fn};
use tracing::{instrument::WithSubscriber, subscriber::NoSubscriber};

use self::report::{CallerView, CheckReport, CheckView, Status, ToolCheck};
use super::{
    GateError,
    args::GateArgs,
    assembly::{GatedTool, Parts, Shared, load_settings},
    settings::ToolSettings,
};
use crate::{
    args::AddressArg,
    context::Context,
    outcome::Outcome,
    output::hints,
    process::{clock, outcome_of, runtime},
};

/// Size of a response body that is shown.
const MAX_BODY_BYTES: usize = 64 << 10;

/// Check a gate without starting it
///
/// Verifies the tools, and asks the node, the facilitators and the upstream servers. Then it shows what callers would see: one
/// without credentials, a new account without tokens that signs, and the accounts of --account. Nothing is paid,
/// and the tools are not called: upstream servers get a HEAD request only.
///
/// Exit codes: 0 the gate can start, 1 a check failed, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    atr gate check --config gate.toml\n  \
    atr gate check --chain base --tool 7 --upstream http://127.0.0.1:3000 --operator 0x… --account 0x…")]
pub(crate) struct Args {
    #[command(flatten)]
    gate: GateArgs,

    /// Account whose access is checked [repeatable]
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    account: Vec<AddressArg>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.check(context))?
}

impl Args {
    async fn check(&self, context: &Context) -> eyre::Result<Outcome> {
        let settings = load_settings(context, &self.gate)?;
        let shared = Shared::default();
        let parts = Parts::new(context, &settings, &shared)?;
        let mut tools = Vec::new();
        for tool in &settings.tools {
            // The requests of this command have no input.
            let tool = ToolSettings {
                schemas: false,
                ..tool.clone()
            };
            tools.push(self.check_tool(&parts, &tool).await?);
        }
        let report = CheckReport { tools };
        context.output.print(&report)?;
        Ok(report.outcome())
    }

    async fn check_tool(
        &self,
        parts: &Parts<'_>,
        settings: &ToolSettings,
    ) -> eyre::Result<ToolCheck> {
        let mut check = ToolCheck::new(settings.tool.to_string());
        // The report has the failure; a log line would repeat it.
        let upstream = upstream(settings).with_subscriber(NoSubscriber::default());
        check.add("upstream", Status::Fail, upstream.await);
        let tool = match GatedTool::load(parts, settings).await {
            Ok(tool) => tool,
            // Other errors of the flags end the command.
            Err(error) if outcome_of(&error) == Outcome::UsageError && !is_check(&error) => {
                return Err(error);
            }
            Err(error) => {
                check.checks.push(failure(&error));
                return Ok(check);
            }
        };
        check.set_tool(&tool);
        for warning in &tool.warnings {
            check.checks.push(CheckView::warning("payments", warning));
        }
        check.add("node", Status::Inconclusive, head(&tool).await);
        if let Some(payments) = &tool.gate.config().payments
            && !payments.facilitators.is_available()
        {
            let detail = "no facilitator is reachable: callers get status 502".to_owned();
            let failed = CheckView::new("facilitator", Status::Fail, detail);
            check.checks.push(failed);
        }
        check.callers.push(bare(&tool).await);
        check.callers.push(new_account(&tool).await);
        for account in &self.account {
            check.callers.push(account_access(&tool, account.0).await);
        }
        Ok(check)
    }
}

/// Whether an error is a result of the checks, although other commands take it for one of the flags.
fn is_check(error: &eyre::Report) -> bool {
    matches!(
        error.downcast_ref(),
        Some(
            GateError::NoToken { .. }
                | GateError::NoFacilitator { .. }
                | GateError::NoStore { .. }
                | GateError::Schemas { .. }
        )
    )
}

fn failure(error: &eyre::Report) -> CheckView {
    let name = match error.downcast_ref() {
        Some(GateError::NotVerified { .. }) => "manifest",
        Some(GateError::Price { .. }) => "price",
        Some(GateError::Facilitator { .. } | GateError::NoFacilitator { .. }) => "facilitator",
        Some(GateError::NoToken { .. } | GateError::Token { .. }) => "token",
        Some(GateError::NoStore { .. }) => "store",
        Some(GateError::Schemas { .. }) => "schemas",
        _ => "tool",
    };
    let status = match outcome_of(error) {
        Outcome::Unknown => Status::Inconclusive,
        _ => Status::Fail,
    };
    let mut detail = String::new();
    for cause in error.chain().map(ToString::to_string) {
        // Some messages contain their cause.
        if !detail.contains(&cause) {
            let separator = if detail.is_empty() { "" } else { ": " };
            detail += &format!("{separator}{cause}");
        }
    }
    if let Some(hint) = hints::for_error(error) {
        detail += &format!("; {hint}");
    }
    CheckView::new(name, status, detail)
}

/// Whether the upstream server answers at all.
async fn upstream(settings: &ToolSettings) -> Result<String, String> {
    let mut config = settings.proxy.clone();
    let url = config.upstream.to_string();
    config.strip_prefix = None;
    let proxy = Proxy::try_new(config).map_err(|error| error.to_string())?;
    let request = request(Method::HEAD, "/", &[]);
    let response = match proxy.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    let (status, body) = read(response).await;
    match body["code"].as_str() {
        Some(code) if code.starts_with("upstream_") => {
            let message = body["error"].as_str().unwrap_or(code);
            Err(format!("{url}: {message}"))
        }
        _ => Ok(format!("{url} responds with {}", status.as_u16())),
    }
}

async fn head(tool: &GatedTool) -> Result<String, String> {
    match tool.access.head(clock::now()).await {
        Ok(head) => Ok(format!("block {}", head.number)),
        Err(reason) => Err(reason.to_string()),
    }
}

/// A caller without credentials.
async fn bare(tool: &GatedTool) -> CallerView {
    let (status, body) = read(call(tool, &[]).await).await;
    CallerView::new("without credentials", status, &body)
}

/// A caller with a new key.
async fn new_account(tool: &GatedTool) -> CallerView {
    const NAME: &str = "new account";
    let response = call(tool, &[]).await;
    let header = response.headers().get("payment-required").cloned();
    let (status, body) = read(response).await;
    let header = header.as_ref().map(http::HeaderValue::as_bytes);
    let Ok(challenge) = Challenge::decode(header, body.to_string().as_bytes()) else {
        return CallerView::new(NAME, status, &body);
    };
    let signed = tool.offers().iter().next().and_then(|offer| {
        let requirement = challenge.requirements.first()?;
        let signer = PrivateKeySigner::random();
        // New for each key, so it is used once.
        let nonce = keccak256(signer.address());
        let authorization = requirement.authorization(signer.address(), nonce, clock::now());
        let unsigned = UnsignedAuthorization::new(authorization, offer.token().clone());
        let signature = signer.sign_hash_sync(&unsigned.digest()).ok()?;
        let signature = Signature::from_bytes(&signature.as_bytes()).ok()?;
        Some(challenge.payment_header(requirement, unsigned.sign(signature).ok()?))
    });
    let Some(payment) = signed else {
        return CallerView::new(NAME, status, &body);
    };
    let (status, body) = read(call(tool, &[(payment.name, &payment.value)]).await).await;
    CallerView::new(NAME, status, &body)
}

async fn account_access(tool: &GatedTool, account: Address) -> CallerView {
    let question = AccessQuery {
        tool: tool.publication.tool,
        account,
        agent: None,
        data: Bytes::new(),
    };
    let answer = tool.access.check(&question, clock::now()).await;
    let access = match &answer.outcome {
        AccessOutcome::Granted => "granted".to_owned(),
        AccessOutcome::Denied { .. } | AccessOutcome::NotDelegated => "denied".to_owned(),
        AccessOutcome::Unknown(reason) => format!("unknown: {reason}"),
    };
    CallerView::account(account, access)
}

/// Sends a request through the gate to a handler that does nothing.
async fn call(tool: &GatedTool, headers: &[(&str, &str)]) -> Response<Body> {
    let handler = service_fn(async |_: Request<Body>| {
        let mut response = Response::new(body(""));
        *response.status_mut() = StatusCode::OK;
        Ok::<_, Infallible>(response)
    });
    let service = GateLayer::new(Arc::clone(&tool.gate)).layer(handler);
    let path = &tool.publication.path;
    match service.oneshot(request(Method::POST, path, headers)).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

fn request(method: Method, path: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.header(CONTENT_TYPE, "application/json");
    let request = request.body(body("{}"));
    request.expect("the parts were checked when the gate was created")
}

fn body(content: &'static str) -> Body {
    Full::from(content)
        .map_err(|never| match never {})
        .boxed_unsync()
}

/// Status and JSON body.
async fn read(response: Response<Body>) -> (StatusCode, serde_json::Value) {
    let (parts, body) = response.into_parts();
    let limited = http_body_util::Limited::new(body, MAX_BODY_BYTES).collect();
    let bytes = limited.await.map(http_body_util::Collected::to_bytes);
    let json = bytes
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    (parts.status, json.unwrap_or_default())
}
