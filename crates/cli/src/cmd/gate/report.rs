//! What `atr gate` serves.

use std::net::SocketAddr;

use atr_auth::{Offer, Offers};
use serde::Serialize;

use super::{assembly::GatedTool, settings::ToolSettings};
use crate::{
    args::Chain,
    output::{Palette, Report, predicate_title},
};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GateReport {
    /// Where the gate listens.
    pub(super) url: String,
    pub(super) admin_url: Option<String>,
    pub(super) tools: Vec<ToolView>,
    /// Paths that everyone may use.
    pub(super) open_routes: Vec<RouteView>,
    pub(super) warnings: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolView {
    pub(super) tool: String,
    name: String,
    pub(super) path: String,
    /// Name of the tool at an MCP server.
    mcp_tool: Option<String>,
    upstream: String,
    manifest_path: String,
    public_url: String,
    prices: Vec<PriceView>,
    /// `None`: open to everyone.
    predicate: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PriceView {
    /// In units of the token.
    amount: String,
    symbol: String,
    asset: String,
    network: String,
    chain: String,
    pay_to: String,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct RouteView {
    pub(super) path: String,
    pub(super) upstream: String,
}

impl ToolView {
    pub(super) fn new(tool: &GatedTool, settings: &ToolSettings) -> Self {
        let publication = &tool.publication;
        let registry = publication.registry.address();
        let title = |address| predicate_title(registry, address);
        let predicate = publication.predicate.map(title);
        Self {
            tool: publication.tool.to_string(),
            name: publication.manifest.name().to_owned(),
            path: publication.path.clone(),
            mcp_tool: settings.mcp.clone(),
            upstream: settings.proxy.upstream.to_string(),
            manifest_path: publication.uri.path(),
            public_url: publication.manifest.endpoint().to_string(),
            prices: prices(tool.offers()),
            predicate,
        }
    }
}

fn prices(offers: &Offers) -> Vec<PriceView> {
    offers.iter().map(PriceView::new).collect()
}

impl PriceView {
    pub(super) fn new(offer: &Offer) -> Self {
        Self {
            amount: offer.token().format_amount(offer.amount()),
            symbol: offer.token().symbol().to_owned(),
            asset: offer.token().address().to_string(),
            network: offer.network().caip2(),
            chain: Chain::new(offer.network().chain_id()).label(),
            pay_to: offer.pay_to().to_string(),
        }
    }

    pub(super) fn describe(&self) -> String {
        let (chain, pay_to) = (&self.chain, &self.pay_to);
        if self.amount == "0" {
            return format!("free; callers prove their identity to {pay_to} on {chain}");
        }
        format!(
            "{} {} on {chain}, paid to {pay_to}",
            self.amount, self.symbol
        )
    }
}

impl Report for GateReport {
    fn render(&self, palette: &Palette) -> String {
        let mut text = line("gate", &palette.heading(&self.url));
        if let Some(url) = &self.admin_url {
            text += &line("admin", url);
        }
        for tool in &self.tools {
            text += &line("tool", &format!("{} ({})", tool.tool, tool.name));
            text += &line(
                "  path",
                &format!("{}, forwarded to {}", tool.path, tool.upstream),
            );
            if let Some(name) = &tool.mcp_tool {
                text += &line("  mcp tool", name);
            }
            for price in &tool.prices {
                text += &line("  price", &price.describe());
            }
            let access = tool.predicate.as_deref().unwrap_or("open to everyone");
            text += &line("  access", access);
            text += &line("  manifest", &tool.manifest_path);
        }
        for route in &self.open_routes {
            let what = format!("{}, open, forwarded to {}", route.path, route.upstream);
            text += &line("route", &what);
        }
        for warning in &self.warnings {
            text += &line(&palette.warning("warning"), warning);
        }
        for tool in &self.tools {
            text += &line("try", &tool.curl(&self.url));
        }
        text + &line("ready", "Ctrl-C stops the gate; -v prints requests")
    }
}

impl ToolView {
    /// A call without credentials: the answer says what the caller must sign.
    fn curl(&self, url: &str) -> String {
        let quoted = format!("{url}{}", self.path).replace('\'', "%27");
        let body = match &self.mcp_tool {
            Some(name) => serde_json::json!({
                "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name },
            })
            .to_string(),
            None => "{}".to_owned(),
        };
        let body = body.replace('\'', "'\\''");
        // The certificate is for the public name, not for this address.
        let options = if url.starts_with("https:") {
            "-ik"
        } else {
            "-i"
        };
        format!("curl {options} '{quoted}' -H 'content-type: application/json' -d '{body}'")
    }
}

fn line(name: &str, value: &str) -> String {
    format!("{name:<11}  {value}\n")
}

pub(super) fn url_of(address: SocketAddr, is_tls: bool) -> String {
    let scheme = if is_tls { "https" } else { "http" };
    format!("{scheme}://{address}")
}
