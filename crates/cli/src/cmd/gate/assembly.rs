//! Puts a gate together: settings, verified tools, proxies and routes.

use std::{net::SocketAddr, sync::Arc};

use alloy_primitives::keccak256;
use atr_gate::{
    discovery,
    proxy::Proxy,
    server::{App, Monitor, TlsIdentity},
};

use super::{
    args::GateArgs,
    error::GateError,
    file::GateTable,
    publication::Publication,
    report::{GateReport, RouteView, ToolView, url_of},
    settings::{self, GateSettings},
};
use crate::context::Context;

/// Everything a server needs.
#[derive(Debug)]
pub(super) struct Assembly {
    pub(super) settings: GateSettings,
    pub(super) app: App,
    pub(super) tls: Option<TlsIdentity>,
    pub(super) tools: Vec<ToolView>,
    pub(super) open_routes: Vec<RouteView>,
}

impl Assembly {
    /// Reads the settings and verifies the tools.
    pub(super) async fn load(context: &Context, args: &GateArgs) -> eyre::Result<Self> {
        let table = match &context.settings.file {
            Some(path) => GateTable::read(path)?,
            None => GateTable::default(),
        };
        let settings = GateSettings::resolve(args, table)?;
        let tls = load_tls(&settings)?;
        let mut app = App::new(settings.cors.clone(), settings.trusted_proxies.clone());
        if !settings.hosts.is_empty() {
            app = app.with_hosts(settings.hosts.clone());
        }
        let mut tools = Vec::new();
        let mut publications = Vec::new();
        for tool in &settings.tools {
            let publication = Publication::load(context, &settings, tool).await?;
            let of_tool = |source| GateError::App {
                tool: publication.tool,
                source,
            };
            let proxy = proxy(tool.proxy.clone())?;
            app.add_manifest(publication.uri.slug(), publication.manifest.document())
                .map_err(of_tool)?;
            app.add_route(&publication.path, proxy).map_err(of_tool)?;
            tools.push(ToolView::new(&publication, tool));
            publications.push(publication);
        }
        let entries = publications.iter();
        let entries = entries.map(|publication| (&publication.manifest, &publication.offers));
        let document = discovery::document(entries).to_string();
        let tag = keccak256(&document).to_string();
        for path in discovery::DISCOVERY_PATHS {
            app.add_document(path, document.clone().into_bytes(), &tag);
        }
        let mut open_routes = Vec::new();
        for route in &settings.routes {
            app.add_route(&route.path, proxy(route.proxy.clone())?)
                .map_err(GateError::Route)?;
            open_routes.push(RouteView {
                path: route.path.clone(),
                upstream: route.proxy.upstream.to_string(),
            });
        }
        Ok(Self {
            settings,
            app,
            tls,
            tools,
            open_routes,
        })
    }
}

impl Assembly {
    /// Readiness and metrics.
    pub(super) fn monitor(&self) -> Arc<dyn Monitor> {
        Arc::new(GateMonitor)
    }

    pub(super) fn report(&self, address: SocketAddr, admin: Option<SocketAddr>) -> GateReport {
        GateReport {
            url: url_of(address, self.tls.is_some()),
            admin_url: admin.map(|address| url_of(address, false)),
            tools: self.tools.clone(),
            open_routes: self.open_routes.clone(),
            warnings: Vec::new(),
        }
    }
}

#[derive(Debug)]
struct GateMonitor;

impl Monitor for GateMonitor {
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }

    fn metrics(&self) -> String {
        String::new()
    }
}

fn proxy(config: atr_gate::proxy::ProxyConfig) -> Result<Proxy, GateError> {
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
