//! Serves a directory over HTTPS on loopback, for demonstrations.
//!
//! Prints its origin and serves until it is killed. Files are read again for every request.
#![expect(
    clippy::unwrap_used,
    reason = "a demonstration tool: a panic is an acceptable error report"
)]

use std::{
    fs,
    io::{self, Write},
    net::{Ipv4Addr, SocketAddr},
    path::{Component, Path, PathBuf},
    thread,
};

use alloy_primitives as _;
use alloy_sol_types as _;
use atr_loopback::{CertificateAuthority, DnsResponse, DnsServer, HttpsServer, Response};
use rcgen as _;
use rustls as _;
use serde_json as _;

const USAGE: &str =
    "https-file-server --dir DIR --ca-out FILE [--port N] [--name NAME [--dns-out FILE]]";

struct Arguments {
    directory: PathBuf,
    ca_out: PathBuf,
    port: u16,
    name: String,
    /// Receives the address of a DNS server that knows the name.
    dns_out: Option<PathBuf>,
}

impl Arguments {
    fn parse(mut args: impl Iterator<Item = String>) -> Option<Self> {
        let (mut directory, mut ca_out, mut dns_out) = (None, None, None);
        let (mut port, mut name) = (0, "localhost".to_owned());
        while let (Some(flag), Some(value)) = (args.next(), args.next()) {
            match flag.as_str() {
                "--dir" => directory = Some(value.into()),
                "--ca-out" => ca_out = Some(value.into()),
                "--port" => port = value.parse().ok()?,
                "--name" => name = value,
                "--dns-out" => dns_out = Some(value.into()),
                _ => return None,
            }
        }
        Some(Self {
            directory: directory?,
            ca_out: ca_out?,
            port,
            name,
            dns_out,
        })
    }
}

fn main() {
    let arguments = Arguments::parse(std::env::args().skip(1)).expect(USAGE);
    let authority = CertificateAuthority::new();
    fs::write(&arguments.ca_out, authority.pem()).unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
    let server = HttpsServer::start_at(address, &authority.issue(&[&arguments.name]));
    let dns = arguments.dns_out.map(|path| {
        let dns = DnsServer::start();
        dns.script(&arguments.name, [DnsResponse::addresses(&["127.0.0.1"])]);
        fs::write(path, dns.address().to_string()).unwrap();
        dns
    });
    let directory = arguments.directory;
    server.fallback(move |request| respond(&directory, request.path()));

    let origin = format!("https://{}:{}", arguments.name, server.address().port());
    let mut stdout = io::stdout();
    writeln!(stdout, "{origin}").unwrap();
    stdout.flush().unwrap();
    // Runs until the process is killed.
    let _dns = dns;
    loop {
        thread::park();
    }
}

fn respond(directory: &Path, path: &str) -> Response {
    let path = Path::new(path.trim_start_matches('/'));
    let is_inside = path
        .components()
        .all(|component| matches!(component, Component::Normal(_)));
    let bytes = is_inside
        .then(|| fs::read(directory.join(path)).ok())
        .flatten();
    match bytes {
        Some(bytes) => Response::new(200, bytes).with_header("content-type", "application/json"),
        None => Response::new(404, "not found"),
    }
}
