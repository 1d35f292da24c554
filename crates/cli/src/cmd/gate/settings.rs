//! Settings of a gate, from flags and the configuration file.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    num::NonZeroU32,
    path::{Path, PathBuf},
    time::Duration,
};

use alloy_primitives::Address;
use atr_gate::{
    RateLimit,
    proxy::{HostPolicy, ProxyConfig, Upstream},
    server::{Cors, ServerConfig, TrustedProxies},
};
use http::{HeaderValue, uri::Authority};
use url::Url;

use super::{
    args::{Challenge, GateArgs, Legacy, Settle},
    error::GateError,
    file::{GateTable, RouteTable, Text, ToolTable, UpstreamTable},
};
use crate::args::{AddressArg, FetchArgs, ToolArg};

const DEFAULT_BIND: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8402);

#[derive(Clone, Debug)]
pub(super) struct GateSettings {
    pub(super) bind: SocketAddr,
    pub(super) admin_bind: Option<SocketAddr>,
    /// Certificate chain and private key.
    pub(super) tls: Option<(PathBuf, PathBuf)>,
    pub(super) server: ServerConfig,
    pub(super) trusted_proxies: TrustedProxies,
    pub(super) cors: Cors,
    /// Empty: every host.
    pub(super) hosts: Vec<Authority>,
    pub(super) facilitators: Vec<Url>,
    pub(super) usage_url: Option<Url>,
    pub(super) store: Option<String>,
    pub(super) ephemeral: bool,
    pub(super) public_url: Option<Url>,
    pub(super) legacy: Vec<Legacy>,
    pub(super) smart_accounts: bool,
    pub(super) account_factories: Vec<Address>,
    /// By client address and by account.
    pub(super) rate_limit: Option<RateLimit>,
    /// Tools of MCP servers that everyone may call.
    pub(super) mcp_free_tools: Vec<String>,
    pub(super) tools: Vec<ToolSettings>,
    pub(super) routes: Vec<RouteSettings>,
    pub(super) fetch: FetchArgs,
}

#[derive(Clone, Debug)]
pub(super) struct ToolSettings {
    pub(super) tool: ToolArg,
    pub(super) proxy: ProxyConfig,
    pub(super) manifest: Option<PathBuf>,
    pub(super) path: Option<String>,
    /// Name of the tool at an MCP server.
    pub(super) mcp: Option<String>,
    pub(super) price: Option<String>,
    pub(super) operator: Option<Address>,
    pub(super) token: Option<Address>,
    pub(super) settle: Settle,
    pub(super) challenge: Challenge,
    pub(super) bind_audience: bool,
    pub(super) schemas: bool,
}

#[derive(Clone, Debug)]
pub(super) struct RouteSettings {
    pub(super) path: String,
    pub(super) proxy: ProxyConfig,
}

impl GateSettings {
    /// Flags override the file. A tool of the flags replaces the tools of the file.
    pub(super) fn resolve(args: &GateArgs, table: GateTable) -> Result<Self, GateError> {
        let from_flags = UpstreamTable {
            preserve_host: args.preserve_host.then_some(true),
            http2: args.upstream_http2.then_some(true),
            ca_file: args.upstream_ca.clone(),
            response_timeout: args.upstream_timeout,
            max_body: args.max_body,
            ..UpstreamTable::default()
        };
        let upstream = from_flags.or(&table.upstream);
        let mut tools = table.tool;
        if let (Some(tool), Some(url)) = (&args.tool, &args.upstream) {
            tools = vec![ToolTable {
                tool: Text(tool.clone()),
                upstream: url.clone(),
                manifest: args.manifest.clone(),
                path: args.path.clone(),
                mcp: args.mcp_tool.clone(),
                price: args.price.clone(),
                operator: None,
                token: args.token.map(Text),
                settle: None,
                challenge: None,
                bind_audience: None,
                schemas: None,
                proxy: UpstreamTable::default(),
            }];
        }
        if tools.is_empty() {
            return Err(GateError::NoTool);
        }
        let address = |text: &Option<Text<AddressArg>>| text.as_ref().map(|text| text.0.0);
        let operator = args.operator.map(|operator| operator.0);
        let operator = operator.or(address(&table.operator));
        let settle = args.settle.or(table.settle);
        let challenge = args.challenge.or(table.challenge);
        let bind_audience = args.bind_audience || table.bind_audience;
        let schemas = !args.no_schemas && table.schemas.unwrap_or(true);
        let tools = tools.into_iter().map(|tool| {
            Ok::<_, GateError>(ToolSettings {
                proxy: proxy_config(&tool.upstream, tool.proxy.or(&upstream))?,
                operator: address(&tool.operator).or(operator),
                token: address(&tool.token),
                settle: tool.settle.or(settle).unwrap_or_default(),
                challenge: tool.challenge.or(challenge).unwrap_or_default(),
                bind_audience: tool.bind_audience.unwrap_or(bind_audience),
                schemas: tool.schemas.unwrap_or(schemas),
                tool: tool.tool.0,
                manifest: tool.manifest,
                path: tool.path,
                mcp: tool.mcp,
                price: tool.price,
            })
        });
        let routes = table.route.into_iter().map(|route: RouteTable| {
            Ok::<_, GateError>(RouteSettings {
                proxy: proxy_config(&route.upstream, route.proxy.or(&upstream))?,
                path: route.path,
            })
        });
        let facilitators = or_else(&args.facilitator, || table.facilitator.into_vec());
        let networks = table.trusted_proxies.iter().map(|network| network.0);
        let networks = or_else(&args.trusted_proxy, || networks.collect());
        let defaults = ServerConfig::default();
        let seconds = |value: Option<u64>, default| value.map_or(default, Duration::from_secs);
        let certificate = args.tls_cert.clone().or(table.tls_cert);
        let tls = certificate.zip(args.tls_key.clone().or(table.tls_key));
        let public_url = args.public_url.clone().or(table.public_url);
        Ok(Self {
            bind: args.bind.or(table.bind).unwrap_or(DEFAULT_BIND),
            admin_bind: args.admin_bind.or(table.admin_bind),
            tls,
            server: ServerConfig {
                max_connections: table.max_connections.unwrap_or(defaults.max_connections),
                idle_timeout: seconds(table.idle_timeout, defaults.idle_timeout),
                drain_timeout: seconds(table.drain_timeout, defaults.drain_timeout),
                header_timeout: defaults.header_timeout,
            },
            trusted_proxies: TrustedProxies(networks),
            cors: cors(or_else(&args.cors, || table.cors.into_vec()))?,
            hosts: parse_all("hosts", &table.hosts)?,
            facilitators: parse_all("--facilitator", &facilitators)?,
            usage_url: args
                .usage_url
                .clone()
                .or(table.usage_url)
                .map(|url| parse("--usage-url", &url))
                .transpose()?,
            store: args.store.clone().or(table.store),
            ephemeral: args.ephemeral || table.ephemeral,
            public_url: public_url
                .map(|url| parse("--public-url", &url))
                .transpose()?,
            legacy: or_else(&args.legacy, || table.legacy),
            smart_accounts: args.smart_accounts || table.smart_accounts,
            account_factories: or_else(
                &args
                    .account_factory
                    .iter()
                    .map(|factory| factory.0)
                    .collect::<Vec<_>>(),
                || {
                    table
                        .account_factories
                        .iter()
                        .map(|factory| factory.0.0)
                        .collect()
                },
            ),
            rate_limit: args.rate_limit.or(table.rate_limit).map(rate_limit),
            mcp_free_tools: table.mcp_free_tools,
            tools: tools.collect::<Result<_, _>>()?,
            routes: routes.collect::<Result<_, _>>()?,
            fetch: args.fetch.clone(),
        })
    }

    /// Files whose content is part of the configuration.
    pub(super) fn files(&self) -> Vec<&Path> {
        let tls = self.tls.iter();
        let tls = tls.flat_map(|(certificate, key)| [certificate, key]);
        let manifests = self.tools.iter().flat_map(|tool| &tool.manifest);
        tls.chain(manifests).map(PathBuf::as_path).collect()
    }
}

/// The flags, if there are any.
fn or_else<T: Clone>(flags: &[T], table: impl FnOnce() -> Vec<T>) -> Vec<T> {
    if flags.is_empty() {
        table()
    } else {
        flags.to_vec()
    }
}

fn parse<T: std::str::FromStr>(name: &'static str, text: &str) -> Result<T, GateError>
where
    T::Err: ToString,
{
    text.parse().map_err(|error: T::Err| GateError::Invalid {
        name,
        found: text.to_owned(),
        reason: error.to_string(),
    })
}

fn parse_all<T: std::str::FromStr>(
    name: &'static str,
    texts: &[String],
) -> Result<Vec<T>, GateError>
where
    T::Err: ToString,
{
    texts.iter().map(|text| parse(name, text)).collect()
}

/// Twice the rate may come at once.
pub(super) const fn rate_limit(per_second: NonZeroU32) -> RateLimit {
    RateLimit {
        per_second,
        burst: per_second.saturating_mul(NonZeroU32::MIN.saturating_add(1)),
    }
}

fn cors(origins: Vec<String>) -> Result<Cors, GateError> {
    match origins.as_slice() {
        [] => Ok(Cors::Any),
        [only] if only == "*" => Ok(Cors::Any),
        [only] if only == "off" => Ok(Cors::Off),
        origins => {
            let origins = origins.iter().map(|text| {
                let invalid = |reason: &str| GateError::Invalid {
                    name: "--cors",
                    found: text.clone(),
                    reason: reason.to_owned(),
                };
                let url: Url = parse("--cors", text)?;
                if url.origin().ascii_serialization() != *text {
                    return Err(invalid(
                        "use an origin such as https://app.example, `*` or `off`",
                    ));
                }
                HeaderValue::from_str(text).map_err(|_| invalid("not a header value"))
            });
            origins.collect::<Result<_, _>>().map(Cors::Origins)
        }
    }
}

fn proxy_config(url: &str, table: UpstreamTable) -> Result<ProxyConfig, GateError> {
    if !url.contains("://") {
        return Err(GateError::Invalid {
            name: "upstream",
            found: url.to_owned(),
            reason: format!("the scheme is missing; use http://{url}"),
        });
    }
    let upstream = Upstream::parse(url).map_err(|source| GateError::Upstream {
        upstream: "--upstream".to_owned(),
        source,
    })?;
    let mut config = ProxyConfig::new(upstream);
    if table.preserve_host == Some(true) {
        config.host = HostPolicy::Preserve;
    }
    if let Some(path) = table.ca_file {
        config.root_certificates = read("--upstream-ca", &path)?;
    }
    let set = |target: &mut Duration, seconds: Option<u64>| {
        if let Some(seconds) = seconds {
            *target = Duration::from_secs(seconds);
        }
    };
    set(&mut config.connect_timeout, table.connect_timeout);
    set(&mut config.response_timeout, table.response_timeout);
    set(&mut config.idle_timeout, table.idle_timeout);
    config.http2 = table.http2.unwrap_or(config.http2);
    config.strip_prefix = table.strip_prefix;
    config.max_request_bytes = table.max_body.unwrap_or(config.max_request_bytes);
    config.retries = table.retries.unwrap_or(config.retries);
    Ok(config)
}

pub(super) fn read(name: &'static str, path: &Path) -> Result<Vec<u8>, GateError> {
    fs::read(path).map_err(|source| GateError::ReadFile {
        name,
        path: path.to_owned(),
        source,
    })
}
