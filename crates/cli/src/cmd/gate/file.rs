//! The table `[gate]` of the configuration file.

use std::{
    fmt::Display,
    fs,
    net::SocketAddr,
    num::NonZeroU32,
    path::{Path, PathBuf},
    str::FromStr,
};

use ipnet::IpNet;
use serde::{Deserialize, Deserializer, de::Error as _};

use super::{
    args::{Challenge, Legacy, Settle},
    payments::is_postgres,
};
use crate::{
    args::{AddressArg, ToolArg},
    config::line_number,
    error::Error,
};

/// A value that is written as a string, as on the command line.
#[derive(Clone, Debug)]
pub(super) struct Text<T>(pub(super) T);

impl<'de, T> Deserialize<'de> for Text<T>
where
    T: FromStr,
    T::Err: Display,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(D::Error::custom)
    }
}

/// One string or a list of strings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany {
    One(String),
    Many(Vec<String>),
    #[default]
    None,
}

impl OneOrMany {
    pub(super) fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts,
            Self::None => Vec::new(),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct GateTable {
    pub(super) operator: Option<Text<AddressArg>>,
    pub(super) facilitator: OneOrMany,
    pub(super) usage_url: Option<String>,
    pub(super) store: Option<String>,
    pub(super) ephemeral: bool,
    pub(super) settle: Option<Settle>,
    pub(super) challenge: Option<Challenge>,
    pub(super) public_url: Option<String>,
    pub(super) bind_audience: bool,
    pub(super) legacy: Vec<Legacy>,
    pub(super) smart_accounts: bool,
    pub(super) account_factories: Vec<Text<AddressArg>>,
    pub(super) schemas: Option<bool>,
    pub(super) rate_limit: Option<NonZeroU32>,
    pub(super) bind: Option<SocketAddr>,
    pub(super) admin_bind: Option<SocketAddr>,
    pub(super) tls_cert: Option<PathBuf>,
    pub(super) tls_key: Option<PathBuf>,
    pub(super) trusted_proxies: Vec<Text<IpNet>>,
    pub(super) cors: OneOrMany,
    pub(super) hosts: Vec<String>,
    pub(super) max_connections: Option<usize>,
    pub(super) idle_timeout: Option<u64>,
    pub(super) drain_timeout: Option<u64>,
    pub(super) upstream: UpstreamTable,
    pub(super) mcp_free_tools: Vec<String>,
    pub(super) tool: Vec<ToolTable>,
    pub(super) route: Vec<RouteTable>,
}

/// Settings of upstream servers; those of a tool override those of the gate.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct UpstreamTable {
    pub(super) preserve_host: Option<bool>,
    pub(super) http2: Option<bool>,
    pub(super) ca_file: Option<PathBuf>,
    pub(super) strip_prefix: Option<String>,
    pub(super) connect_timeout: Option<u64>,
    pub(super) response_timeout: Option<u64>,
    pub(super) idle_timeout: Option<u64>,
    pub(super) max_body: Option<u64>,
    pub(super) retries: Option<u32>,
}

impl UpstreamTable {
    /// Uses `defaults` for what is not set.
    pub(super) fn or(self, defaults: &Self) -> Self {
        let defaults = defaults.clone();
        Self {
            preserve_host: self.preserve_host.or(defaults.preserve_host),
            http2: self.http2.or(defaults.http2),
            ca_file: self.ca_file.or(defaults.ca_file),
            strip_prefix: self.strip_prefix.or(defaults.strip_prefix),
            connect_timeout: self.connect_timeout.or(defaults.connect_timeout),
            response_timeout: self.response_timeout.or(defaults.response_timeout),
            idle_timeout: self.idle_timeout.or(defaults.idle_timeout),
            max_body: self.max_body.or(defaults.max_body),
            retries: self.retries.or(defaults.retries),
        }
    }
}

/// A gated tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ToolTable {
    pub(super) tool: Text<ToolArg>,
    pub(super) upstream: String,
    pub(super) manifest: Option<PathBuf>,
    pub(super) path: Option<String>,
    pub(super) mcp: Option<String>,
    pub(super) price: Option<String>,
    pub(super) operator: Option<Text<AddressArg>>,
    pub(super) token: Option<Text<AddressArg>>,
    pub(super) settle: Option<Settle>,
    pub(super) challenge: Option<Challenge>,
    pub(super) bind_audience: Option<bool>,
    pub(super) schemas: Option<bool>,
    #[serde(default)]
    pub(super) proxy: UpstreamTable,
}

/// A path that everyone may use.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RouteTable {
    pub(super) path: String,
    pub(super) upstream: String,
    #[serde(default)]
    pub(super) proxy: UpstreamTable,
}

/// Only the table of the gate; other keys are read as settings.
#[derive(Deserialize)]
struct File {
    #[serde(default)]
    gate: GateTable,
}

impl GateTable {
    /// Reads the table of a file. Relative paths in it are relative to the file.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|source| Error::ReadConfig {
            path: path.to_owned(),
            source,
        })?;
        let file: File = toml::from_str(&text).map_err(|error| Error::ConfigNotToml {
            path: path.to_owned(),
            line: line_number(text.as_bytes(), error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        let mut table = file.gate;
        let directory = path.parent().unwrap_or(Path::new(""));
        let paths = [
            &mut table.tls_cert,
            &mut table.tls_key,
            &mut table.upstream.ca_file,
        ];
        let of_tools = table.tool.iter_mut();
        let of_tools = of_tools.flat_map(|tool| [&mut tool.manifest, &mut tool.proxy.ca_file]);
        let of_routes = table.route.iter_mut().map(|route| &mut route.proxy.ca_file);
        for path in paths.into_iter().chain(of_tools).chain(of_routes).flatten() {
            *path = directory.join(&path);
        }
        if let Some(store) = table.store.as_mut().filter(|store| !is_postgres(store)) {
            *store = directory.join(&store).to_string_lossy().into_owned();
        }
        Ok(table)
    }
}
