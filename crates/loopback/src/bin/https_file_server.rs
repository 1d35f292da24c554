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

use atr_loopback::{CertificateAuthority, HttpsServer, Response};
use rcgen as _;
use rustls as _;
use serde_json as _;

const USAGE: &str = "https-file-server --dir DIR --ca-out FILE [--port N] [--name NAME]";

struct Arguments {
    directory: PathBuf,
    ca_out: PathBuf,
    port: u16,
    name: String,
}

impl Arguments {
    fn parse(mut args: impl Iterator<Item = String>) -> Option<Self> {
        let (mut directory, mut ca_out) = (None, None);
        let (mut port, mut name) = (0, "localhost".to_owned());
        while let (Some(flag), Some(value)) = (args.next(), args.next()) {
            match flag.as_str() {
                "--dir" => directory = Some(value.into()),
                "--ca-out" => ca_out = Some(value.into()),
                "--port" => port = value.parse().ok()?,
                "--name" => name = value,
                _ => return None,
            }
        }
        Some(Self {
            directory: directory?,
            ca_out: ca_out?,
            port,
            name,
        })
    }
}

fn main() {
    let arguments = Arguments::parse(std::env::args().skip(1)).expect(USAGE);
    let authority = CertificateAuthority::new();
    fs::write(&arguments.ca_out, authority.pem()).unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
    let server = HttpsServer::start_at(address, &authority.issue(&[&arguments.name]));
    let directory = arguments.directory;
    server.fallback(move |request| respond(&directory, request.path()));

    let origin = format!("https://{}:{}", arguments.name, server.address().port());
    let mut stdout = io::stdout();
    writeln!(stdout, "{origin}").unwrap();
    stdout.flush().unwrap();
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
