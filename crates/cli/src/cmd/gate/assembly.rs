//! Puts a gate together: settings, verified tools, access checks, proxies and routes.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use alloy_primitives::keccak256;
use atr_auth::{AcceptedSchemes, ChallengeMode, Offers};
use atr_gate::{
    Clock, Gate, GateConfig, GateLayer, Metrics, RateLimit, RateLimiter, SeenNonces, ToolSchemas,
    UsageReporter,
    access::{AccessChecker, AccessConfig},
    discovery,
    mcp::{McpLayer, McpTool},
    payment::Facilitators,
    proxy::{Proxy, ProxyConfig},
    server::{App, Monitor, TlsIdentity},
};
use tower::Layer;
use url::Url;

use super::{
    args::{Challenge, GateArgs, Legacy},
    error::GateError,
    file::GateTable,
    payments::{self, Records},
    publication::Publication,
    report::{GateReport, RouteView, ToolView, url_of},
    settings::{self, GateSettings, ToolSettings},
};
use crate::{args::Chain, context::Context, network::node, process::clock};

/// What outlives a reload.
#[derive(Debug, Default)]
pub(super) struct Shared {
    metrics: Arc<Metrics>,
    seen_nonces: Arc<SeenNonces>,
    records: Records,
    /// With its limit. A new one would give every caller a full bucket.
    rate_limiter: Mutex<Option<(RateLimit, Arc<RateLimiter>)>>,
    /// By chain and RPC URLs.
    checkers: Mutex<BTreeMap<(u64, String), AccessChecker>>,
}

/// Everything a server needs.
#[derive(Debug)]
pub(super) struct Assembly {
    pub(super) settings: GateSettings,
    pub(super) app: App,
    pub(super) tls: Option<TlsIdentity>,
    pub(super) monitor: Arc<GateMonitor>,
    tools: Vec<ToolView>,
    open_routes: Vec<RouteView>,
    warnings: Vec<String>,
}

/// A tool with its gate.
#[derive(Debug)]
pub(super) struct GatedTool {
    pub(super) publication: Publication,
    pub(super) gate: Arc<Gate>,
    schemas: ToolSchemas,
    pub(super) access: AccessChecker,
    pub(super) warnings: Vec<String>,
}

/// What the gates of one configuration share.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    context: &'a Context,
    settings: &'a GateSettings,
    shared: &'a Shared,
    rate_limiter: Arc<RateLimiter>,
    facilitators: Option<Arc<Facilitators>>,
    usage: Option<Arc<UsageReporter>>,
}

impl<'a> Parts<'a> {
    pub(super) fn new(
        context: &'a Context,
        settings: &'a GateSettings,
        shared: &'a Shared,
    ) -> eyre::Result<Self> {
        Ok(Self {
            context,
            settings,
            shared,
            rate_limiter: shared.rate_limiter(settings.rate_limit),
            facilitators: payments::facilitators(context, settings)?,
            usage: payments::usage(context, settings)?,
        })
    }
}

impl Assembly {
    /// Reads the settings, verifies the tools and creates their gates.
    pub(super) async fn load(
        context: &Context,
        args: &GateArgs,
        shared: &Shared,
    ) -> eyre::Result<Self> {
        let settings = load_settings(context, args)?;
        let tls = load_tls(&settings)?;
        let mut app = App::new(settings.cors.clone(), settings.trusted_proxies.clone());
        if !settings.hosts.is_empty() {
            app = app.with_hosts(settings.hosts.clone());
        }
        let parts = Parts::new(context, &settings, shared)?;
        let (mut tools, mut views) = (Vec::new(), Vec::new());
        let mut mcp = McpServers::default();
        for settings_of_tool in &settings.tools {
            let tool = GatedTool::load(&parts, settings_of_tool).await?;
            let publication = &tool.publication;
            let of_tool = |source| GateError::App {
                tool: publication.tool,
                source,
            };
            app.add_manifest(publication.uri.slug(), publication.manifest.document())
                .map_err(of_tool)?;
            match &settings_of_tool.mcp {
                Some(name) => mcp.add(name, &tool, &settings_of_tool.proxy)?,
                None => {
                    let gate = GateLayer::new(tool.gate.clone());
                    let service = gate.layer(proxy(settings_of_tool.proxy.clone())?);
                    app.add_route(&publication.path, service).map_err(of_tool)?;
                }
            }
            views.push(ToolView::new(&tool, settings_of_tool));
            tools.push(tool);
        }
        mcp.add_routes(&mut app, &settings)?;
        add_discovery(&mut app, &tools);
        let mut open_routes = Vec::new();
        for route in &settings.routes {
            app.add_open_route(&route.path, proxy(route.proxy.clone())?)
                .map_err(GateError::Route)?;
            open_routes.push(RouteView {
                path: route.path.clone(),
                upstream: route.proxy.upstream.to_string(),
            });
        }
        let checkers = tools.iter().map(|tool| tool.access.clone()).collect();
        let mut warnings: Vec<_> = tools
            .iter()
            .flat_map(|tool| tool.warnings.clone())
            .collect();
        warnings.dedup();
        let is_paid = |tool: &GatedTool| !tool.publication.offers.is_free();
        if parts.facilitators.is_some() && !tools.iter().any(is_paid) {
            warnings.push("no tool has a price: the facilitators are not used".to_owned());
        }
        let monitor = GateMonitor {
            metrics: shared.metrics.clone(),
            checkers,
            facilitators: parts.facilitators.clone(),
        };
        Ok(Self {
            app,
            tls,
            monitor: Arc::new(monitor),
            tools: views,
            open_routes,
            warnings,
            settings,
        })
    }

    pub(super) fn report(&self, address: SocketAddr, admin: Option<SocketAddr>) -> GateReport {
        GateReport {
            url: url_of(address, self.tls.is_some()),
            admin_url: admin.map(|address| url_of(address, false)),
            tools: self.tools.clone(),
            open_routes: self.open_routes.clone(),
            warnings: self.warnings.clone(),
        }
    }
}

impl GatedTool {
    pub(super) async fn load(parts: &Parts<'_>, settings: &ToolSettings) -> eyre::Result<Self> {
        let (context, gate, shared) = (parts.context, parts.settings, parts.shared);
        let publication = Publication::load(context, gate, settings).await?;
        let tool = publication.tool;
        let access = shared.checker(context, tool.chain())?;
        let (payments, warnings) = payments::config(
            gate,
            settings,
            &publication,
            parts.facilitators.as_ref(),
            &shared.records,
            access.config().node.clone(),
        )
        .await?;
        let public_url = public_url(gate, &publication)?;
        let mut config = GateConfig::new(tool, Clock::new(clock::now));
        config.access = Some(access.clone());
        config.offers = Some(bind_audience(&publication, settings, &public_url)?);
        config.public_url = Some(public_url);
        config.challenge = match settings.challenge {
            Challenge::Both => ChallengeMode::Both,
            Challenge::V1 => ChallengeMode::V1,
            Challenge::V2 => ChallengeMode::V2,
        };
        config.resource = discovery::resource(&publication.manifest);
        config.extensions = discovery::extensions(&publication.manifest);
        config.schemes = AcceptedSchemes {
            eip3009: gate.legacy.contains(&Legacy::Eip3009),
            siwe: gate.legacy.contains(&Legacy::Siwe),
        };
        config.smart_accounts = gate.smart_accounts;
        config.account_factories.clone_from(&gate.account_factories);
        config.seen_nonces = Some(shared.seen_nonces.clone());
        config.rate_limiter = parts.rate_limiter.clone();
        config.payments = payments;
        config.usage = parts.usage.clone();
        config.metrics = shared.metrics.clone();
        let mut schemas = ToolSchemas::default();
        if settings.schemas {
            let compiled = ToolSchemas::from_manifest(&publication.manifest);
            schemas = compiled.map_err(|source| GateError::Schemas {
                tool,
                source: Box::new(source),
            })?;
        }
        // The body of an MCP call is a message around the input.
        if settings.mcp.is_none() {
            config.schemas = schemas.clone();
        }
        let gate = Gate::new(config).map_err(|source| GateError::Gate { tool, source })?;
        Ok(Self {
            publication,
            gate: Arc::new(gate),
            schemas,
            access,
            warnings,
        })
    }

    /// What callers are offered, with the payee of audience binding.
    pub(super) fn offers(&self) -> &Offers {
        let offers = self.gate.config().offers.as_ref();
        offers.unwrap_or(&self.publication.offers)
    }
}

/// MCP servers by path, each with several tools.
#[derive(Debug, Default)]
struct McpServers(BTreeMap<String, (ProxyConfig, BTreeMap<String, McpTool>)>);

impl McpServers {
    fn add(&mut self, name: &str, tool: &GatedTool, proxy: &ProxyConfig) -> Result<(), GateError> {
        let path = tool.publication.path.clone();
        let new = || (proxy.clone(), BTreeMap::new());
        let (first, tools) = self.0.entry(path.clone()).or_insert_with(new);
        let mcp_tool = McpTool {
            gate: tool.gate.clone(),
            schemas: ToolSchemas {
                output: None,
                ..tool.schemas.clone()
            },
        };
        let is_same_server = first.upstream == proxy.upstream;
        if !is_same_server || tools.insert(name.to_owned(), mcp_tool).is_some() {
            return Err(GateError::Mcp {
                tool: tool.publication.tool,
                name: name.to_owned(),
                path,
            });
        }
        Ok(())
    }

    fn add_routes(self, app: &mut App, settings: &GateSettings) -> Result<(), GateError> {
        for (path, (config, tools)) in self.0 {
            let max_bytes = usize::try_from(config.max_request_bytes).unwrap_or(usize::MAX);
            let free = settings.mcp_free_tools.iter().cloned().collect();
            let service = McpLayer::new(tools, free, max_bytes).layer(proxy(config)?);
            app.add_route(&path, service)?;
        }
        Ok(())
    }
}

impl Shared {
    /// Kept over reloads while the limit is the same.
    fn rate_limiter(&self, limit: Option<RateLimit>) -> Arc<RateLimiter> {
        let Some(limit) = limit else {
            return Arc::default();
        };
        let kept = self.rate_limiter.lock();
        let mut kept = kept.unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((of, limiter)) if *of == limit => limiter.clone(),
            _ => {
                let limiter = Arc::new(RateLimiter::new(Some(limit), Some(limit)));
                *kept = Some((limit, limiter.clone()));
                limiter
            }
        }
    }

    /// Checks access on a chain. Kept over reloads while the RPC URLs are the same.
    fn checker(&self, context: &Context, chain: u64) -> eyre::Result<AccessChecker> {
        let urls = node::rpc_urls(context, Some(Chain::new(chain)))?;
        let urls: Vec<_> = urls.iter().map(|url| url.as_str()).collect();
        let key = (chain, urls.join(","));
        let mut checkers = self.checkers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(checker) = checkers.get(&key) {
            return Ok(checker.clone());
        }
        let node = node::connect_on(context, Some(Chain::new(chain)))?;
        let mut config = AccessConfig::new(chain, node);
        config.second_node = node::connect_second(context, Some(Chain::new(chain)))?;
        let checker = AccessChecker::new(config);
        checkers.insert(key, checker.clone());
        Ok(checker)
    }
}

pub(super) fn load_settings(context: &Context, args: &GateArgs) -> eyre::Result<GateSettings> {
    let table = match &context.settings.file {
        Some(path) => GateTable::read(path)?,
        None => GateTable::default(),
    };
    Ok(GateSettings::resolve(args, table)?)
}

/// The URL of the endpoint, or its path at the configured origin.
fn public_url(gate: &GateSettings, publication: &Publication) -> eyre::Result<Url> {
    let endpoint: Url = publication.manifest.endpoint().to_string().parse()?;
    Ok(match &gate.public_url {
        Some(base) => base.join(&publication.path)?,
        None => endpoint,
    })
}

fn bind_audience(
    publication: &Publication,
    settings: &ToolSettings,
    public_url: &Url,
) -> eyre::Result<Offers> {
    let offers = &publication.offers;
    // Nobody has the key of such a payee, so a payment cannot be bound.
    if !settings.bind_audience || !offers.is_free() {
        return Ok(offers.clone());
    }
    let bound = offers.iter().map(|offer| {
        let operator = offer.pay_to();
        let id = publication.tool.id();
        offer
            .clone()
            .bind_audience(public_url.as_str(), id, operator)
    });
    Ok(Offers::new(bound.collect::<Result<_, _>>()?)?)
}

fn add_discovery(app: &mut App, tools: &[GatedTool]) {
    let entries = tools.iter();
    let entries = entries.map(|tool| (&tool.publication.manifest, tool.offers()));
    let document = discovery::document(entries).to_string();
    let tag = keccak256(&document).to_string();
    for path in discovery::DISCOVERY_PATHS {
        app.add_document(path, document.clone().into_bytes(), &tag);
    }
}

/// Readiness and metrics.
#[derive(Debug)]
pub(super) struct GateMonitor {
    metrics: Arc<Metrics>,
    checkers: Vec<AccessChecker>,
    facilitators: Option<Arc<Facilitators>>,
}

impl Monitor for GateMonitor {
    fn problems(&self) -> Pin<Box<dyn Future<Output = Vec<String>> + Send + '_>> {
        Box::pin(async {
            let mut problems = Vec::new();
            for checker in &self.checkers {
                if let Err(reason) = checker.head(clock::now()).await {
                    problems.push(format!("chain {}: {reason}", checker.config().chain_id));
                }
            }
            problems.dedup();
            if self
                .facilitators
                .as_ref()
                .is_some_and(|all| !all.is_available())
            {
                problems.push("no facilitator answers".to_owned());
            }
            problems
        })
    }

    fn metrics(&self) -> String {
        self.metrics.render()
    }
}

fn proxy(config: ProxyConfig) -> Result<Proxy, GateError> {
    let upstream = config.upstream.to_string();
    Proxy::try_new(config).map_err(|source| GateError::Upstream { upstream, source })
}

fn load_tls(settings: &GateSettings) -> Result<Option<TlsIdentity>, GateError> {
    let Some((certificate, key)) = &settings.tls else {
        return Ok(None);
    };
    let chain = settings::read("--tls-cert", certificate)?;
    let private = settings::read("--tls-key", key)?;
    let identity = TlsIdentity::from_pem(&chain, &private);
    let identity = identity.map_err(|source| GateError::Tls {
        certificate: certificate.clone(),
        key: key.clone(),
        source,
    })?;
    Ok(Some(identity))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn a_reload_keeps_the_rate_limiter_while_the_limit_is_the_same() {
        let shared = Shared::default();
        let limit = |number| {
            let number = NonZeroU32::new(number).unwrap();
            Some(settings::rate_limit(number))
        };
        let first = shared.rate_limiter(limit(1));
        assert!(Arc::ptr_eq(&first, &shared.rate_limiter(limit(1))));
        assert!(!Arc::ptr_eq(&first, &shared.rate_limiter(limit(2))));
    }
}
