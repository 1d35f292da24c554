//! Private, loopback and link-local addresses, in every spelling that URL parsers accept.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};

use regex::Regex;
use url::{Host, Url};

use super::{Hit, Text, credentials::compile};
use crate::Code;

/// A URL of any scheme, and without one; group 1 is the scheme, group 2 the rest.
static URL: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"(?i)(?:\b([a-z][a-z0-9+.-]{1,20}):[/\\]{2,}|\b(https?|wss?|ftp):[/\\]*|(?:^|[\s"'(=])[/\\]{2})([^\s"'<>]+)"#,
    )
});

static LOCALHOST: LazyLock<Regex> = LazyLock::new(|| {
    compile(r#"(?i)(?:^|[\s"'(=,@])(?:ip6-)?(?:localhost|loopback)\.?(?::[0-9]{1,5}\b|/)"#)
});

/// A host name in text that ends with a private suffix.
static PRIVATE_NAME: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"(?i)(?:^|[\s"'(=,@])((?:[a-z0-9_-]+\.)+(?:local|internal|intranet|lan|corp|localdomain|localhost|home\.arpa|svc))\.?(?::[0-9]{1,5})?(?:$|[\s"'),;/?#])"#,
    )
});

/// Last labels of names that are not public.
const PRIVATE_SUFFIXES: &[&str] = &[
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "localdomain",
    "svc",
];

/// Public names that resolve to the address in them, or to loopback.
const PRIVATE_SERVICES: &[&str] = &[
    ".nip.io",
    ".sslip.io",
    ".xip.io",
    "localtest.me",
    "lvh.me",
    "vcap.me",
];

/// Schemes whose URLs have a DNS name: a name without a dot is private. In `ipfs://<cid>` it is not a host.
const DNS_SCHEMES: &[&str] = &[
    "http",
    "https",
    "ws",
    "wss",
    "ftp",
    "sftp",
    "ssh",
    "grpc",
    "grpcs",
    "tcp",
    "udp",
    "redis",
    "rediss",
    "postgres",
    "postgresql",
    "mysql",
    "mongodb",
    "amqp",
    "amqps",
    "nats",
    "kafka",
    "ldap",
    "smb",
    "nfs",
    "smtp",
    "imap",
];

/// Member names whose value may be an address without a scheme.
const HOST_FIELDS: &[&str] = &[
    "host",
    "hostname",
    "ip",
    "ipaddress",
    "endpoint",
    "server",
    "url",
    "uri",
    "rpc",
    "rpcurl",
    "upstream",
    "origin",
    "listen",
    "bind",
    "callback",
    "webhook",
    "address",
    "proxy",
    "gateway",
];

pub(super) fn search(text: Text<'_>) -> Vec<Hit> {
    let private = |kind, found: &str| Hit::new(Code::PrivateAddress, kind, found);
    let mut hits = Vec::new();
    for captures in URL.captures_iter(text.text) {
        let scheme = captures.get(1).or_else(|| captures.get(2));
        let scheme = scheme
            .map_or("", |scheme| scheme.as_str())
            .to_ascii_lowercase();
        let Some(url) = parse(&captures[3]) else {
            continue;
        };
        if has_credentials(&url, &scheme) {
            hits.push(Hit::new(Code::Credential, "credentials in a URL", ""));
        }
        if let Some(kind) = private_host(&url, &scheme) {
            hits.push(private(kind, &captures[3]));
        }
    }
    let trimmed = text.text.trim();
    let is_localhost = ["localhost", "ip6-localhost", "ip6-loopback", "localhost."]
        .iter()
        .any(|name| trimmed.eq_ignore_ascii_case(name));
    if is_localhost || LOCALHOST.is_match(text.text) {
        hits.push(private("localhost", trimmed));
    }
    if let Some(captures) = PRIVATE_NAME.captures(text.text) {
        hits.push(private("a name of a private network", &captures[1]));
    }
    // What remains is an address without a URL around it.
    let is_part =
        |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | ':' | '%' | '[' | ']' | '_');
    for token in text.text.split(|one: char| !is_part(one)) {
        if bare_address(token).is_some_and(is_private) {
            hits.push(private("a private or loopback address", token));
            break;
        }
    }
    if HOST_FIELDS.contains(&text.field) && !trimmed.contains(char::is_whitespace) {
        // Small numbers are not addresses.
        let is_number = trimmed.parse::<u64>().is_ok_and(|number| number < 1 << 24);
        let host = parse(trimmed).filter(|_| !is_number);
        let is_address =
            |url: &Url| matches!(url.host(), Some(Host::Ipv4(ip)) if is_private(ip.into()));
        if host.is_some_and(|url| is_address(&url)) {
            hits.push(private("a private or loopback address", trimmed));
        }
    }
    hits
}

/// Parses the part after the scheme as browsers parse http URLs, which covers every spelling of an IPv4 address.
fn parse(rest: &str) -> Option<Url> {
    let rest = rest.trim_start_matches(['/', '\\']);
    let url = Url::parse(&format!("http://{rest}")).ok();
    // A URL in a sentence may be followed by punctuation.
    url.or_else(|| {
        let host = rest
            .split(['/', '?', '#', '\\', ',', ';', ')', '('])
            .next()?;
        Url::parse(&format!("http://{host}")).ok()
    })
}

fn has_credentials(url: &Url, scheme: &str) -> bool {
    // In `ssh://git@host` the user is public.
    url.password().is_some()
        || (!url.username().is_empty() && !matches!(scheme, "ssh" | "git" | "did"))
}

fn private_host(url: &Url, scheme: &str) -> Option<&'static str> {
    match url.host()? {
        Host::Ipv4(address) => {
            is_private(address.into()).then_some("a private or loopback address")
        }
        Host::Ipv6(address) => {
            is_private(address.into()).then_some("a private or loopback address")
        }
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            let last = name.rsplit('.').next().unwrap_or_default();
            if last == "localhost" {
                return Some("localhost");
            }
            let is_dns = scheme.is_empty() || DNS_SCHEMES.contains(&scheme);
            let is_single = is_dns && !name.contains('.') && !scheme.is_empty();
            let is_named = PRIVATE_SUFFIXES.contains(&last) && (is_dns || name.contains('.'));
            let is_embedded = PRIVATE_SERVICES
                .iter()
                .any(|service| name.ends_with(service));
            (is_single || is_named || is_embedded || name.ends_with("home.arpa"))
                .then_some("a name of a private network")
        }
    }
}

/// An address that stands alone in a text: four numbers, or an IPv6 address, with brackets, zone and port.
fn bare_address(token: &str) -> Option<IpAddr> {
    let token = token.trim_end_matches(['.', ':']);
    if let Some(inner) = token.strip_prefix('[') {
        let inner = inner.split(']').next()?;
        return ipv6(inner).map(IpAddr::V6);
    }
    let host = token.split(':').next()?;
    if is_dotted(host) {
        return match Url::parse(&format!("http://{host}")).ok()?.host()? {
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            _ => None,
        };
    }
    (token.matches(':').count() >= 2)
        .then(|| ipv6(token).map(IpAddr::V6))
        .flatten()
}

fn ipv6(text: &str) -> Option<Ipv6Addr> {
    text.split('%').next()?.parse().ok()
}

/// Four numbers in decimal, octal or hex.
fn is_dotted(host: &str) -> bool {
    let parts: Vec<_> = host.split('.').collect();
    let is_number = |part: &&str| {
        let hex = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X"));
        match hex {
            Some(hex) => !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit()),
            None => !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()),
        }
    };
    parts.len() == 4 && parts.iter().all(is_number)
}

/// Whether an address is not reachable from the public internet. Addresses for documentation are not private.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => {
            let segments = address.segments();
            let embedded = match segments {
                // IPv4-mapped and IPv4-compatible.
                [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => Some((high, low)),
                // NAT64 and 6to4.
                [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some((high, low)),
                [0x2002, high, low, ..] => Some((high, low)),
                _ => None,
            };
            let embedded =
                embedded.map(|(high, low)| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)));
            address.is_loopback()
                || address.is_unspecified()
                || segments[0] & 0xfe00 == 0xfc00
                || segments[0] & 0xffc0 == 0xfe80
                || segments[0] & 0xffc0 == 0xfec0
                || embedded.is_some_and(is_private_v4)
        }
    }
}

const fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    match a {
        0 | 10 | 127 => true,
        100 => b & 0xc0 == 64,
        169 => b == 254,
        172 => b & 0xf0 == 16,
        192 => b == 168 || (b == 0 && c == 0),
        198 => b & 0xfe == 18,
        _ => a >= 240,
    }
}
