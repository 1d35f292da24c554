//! How payments are taken and reported.

use std::{path::Path, sync::Arc};

use atr_gate::{
    Clock, PaymentConfig, PaymentRecords, SettleMode, UsageReporter,
    payment::{FacilitatorConfig, FacilitatorProblem, Facilitators, SETTLE_TIMEOUT},
    replay::ReplayStore,
};
use atr_rpc::Node;
use atr_store::replay::{PostgresReplay, SqliteReplay};
use tokio::sync::OnceCell;

use super::{
    args::Settle,
    error::GateError,
    publication::Publication,
    settings::{GateSettings, ToolSettings},
};
use crate::{args::RpcHeader, context::Context, error::Error, process::clock};

/// Environment variable with the authentication header of the facilitators.
const FACILITATOR_HEADER: &str = "ATR_FACILITATOR_HEADER";

/// Environment variable with the API key of usage reports.
const USAGE_KEY: &str = "ATR_USAGE_KEY";

/// Records of payments. Kept over reloads: they know which payments are being worked on.
#[derive(Debug, Default)]
pub(super) struct Records(OnceCell<PaymentRecords>);

impl Records {
    /// Opens the store when it is needed for the first time.
    async fn open(&self, store: Option<&str>) -> Result<PaymentRecords, GateError> {
        let records = self.0.get_or_try_init(|| open(store)).await?;
        Ok(records.clone())
    }
}

async fn open(store: Option<&str>) -> Result<PaymentRecords, GateError> {
    let clock = Clock::new(clock::now);
    let Some(store) = store else {
        return Ok(PaymentRecords::in_memory(clock));
    };
    let opened: Result<Arc<dyn ReplayStore>, _> = if is_postgres(store) {
        let connected = PostgresReplay::connect(store).await;
        connected.map(|store| Arc::new(store) as _)
    } else {
        let opened = SqliteReplay::open(Path::new(store)).await;
        opened.map(|store| Arc::new(store) as _)
    };
    let opened = opened.map_err(|source| GateError::Store { source })?;
    Ok(PaymentRecords::new(opened, clock))
}

pub(super) fn is_postgres(store: &str) -> bool {
    store.starts_with("postgres://") || store.starts_with("postgresql://")
}

/// The configured facilitators; `None` without any.
pub(super) fn facilitators(
    context: &Context,
    settings: &GateSettings,
) -> eyre::Result<Option<Arc<Facilitators>>> {
    if settings.facilitators.is_empty() {
        return Ok(None);
    }
    let header = context.environment.text(FACILITATOR_HEADER)?;
    let parse = |text: &str| {
        text.parse().map_err(|reason| Error::InvalidVariable {
            name: FACILITATOR_HEADER,
            reason,
        })
    };
    let header: Option<RpcHeader> = header.map(parse).transpose()?;
    let configs = settings.facilitators.iter().map(|url| FacilitatorConfig {
        url: url.clone(),
        headers: header.iter().map(|header| header.0.clone()).collect(),
    });
    let all = Facilitators::new(configs.collect(), SETTLE_TIMEOUT)?;
    Ok(Some(Arc::new(all)))
}

/// How a paid tool takes payments; `None` for a free tool. Also returns warnings.
pub(super) async fn config(
    gate: &GateSettings,
    settings: &ToolSettings,
    publication: &Publication,
    facilitators: Option<&Arc<Facilitators>>,
    records: &Records,
    node: Node,
) -> Result<(Option<PaymentConfig>, Vec<String>), GateError> {
    let tool = publication.tool;
    if publication.offers.is_free() {
        return Ok((None, Vec::new()));
    }
    let facilitators = facilitators.ok_or(GateError::NoFacilitator { tool })?;
    if gate.store.is_none() && !gate.ephemeral {
        return Err(GateError::NoStore { tool });
    }
    let problems = facilitators.check(&publication.offers).await;
    let is_unsupported =
        |problem: &FacilitatorProblem| matches!(problem, FacilitatorProblem::Unsupported { .. });
    // One that does not answer may do so later.
    if problems.len() >= gate.facilitators.len()
        && let Some(problem) = problems.iter().find(|problem| is_unsupported(problem))
    {
        return Err(GateError::Facilitator {
            tool,
            source: problem.clone(),
        });
    }
    let records = records.open(gate.store.as_deref()).await?;
    let mut config = PaymentConfig::new(facilitators.clone(), records);
    config.settle = match settings.settle {
        Settle::After => SettleMode::After,
        Settle::Before => SettleMode::Before,
    };
    config.is_ephemeral = gate.ephemeral;
    config.node = Some(node);
    let mut warnings: Vec<_> = problems.iter().map(ToString::to_string).collect();
    if gate.ephemeral {
        let warning = "--ephemeral: after a restart, a payment that was used can be used again until it expires, and the answer to a \
                       payment can be lost";
        warnings.push(warning.to_owned());
    }
    Ok((Some(config), warnings))
}

/// Sends usage reports, if a URL and a key are configured.
pub(super) fn usage(
    context: &Context,
    settings: &GateSettings,
) -> eyre::Result<Option<Arc<UsageReporter>>> {
    let key = context.environment.text(USAGE_KEY)?;
    let Some((url, key)) = settings.usage_url.as_ref().zip(key) else {
        return Ok(None);
    };
    Ok(Some(Arc::new(UsageReporter::new(url, key)?)))
}
