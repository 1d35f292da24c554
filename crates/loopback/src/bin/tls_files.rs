//! Serves a folder over HTTPS on loopback, for demonstrations: `tls-files --folder DIR --ca-out FILE [--port N] [--name NAME]`.
//!
//! Prints where it listens, and serves until it is killed. Files are read afresh for every request.
#![expect(
    clippy::unwrap_used,
    reason = "a tool for demonstrations: a panic is the report"
)]

use std::{
    fs,
    io::{self, Write},
    net::{Ipv4Addr, SocketAddr},
    path::{Component, Path, PathBuf},
    thread,
};

use atr_loopback::{Answer, Authority, HttpsServer};
use rcgen as _;
use rustls as _;
use serde_json as _;

const USAGE: &str = "tls-files --folder DIR --ca-out FILE [--port N] [--name NAME]";

struct Arguments {
    folder: PathBuf,
    ca_out: PathBuf,
    port: u16,
    name: String,
}

impl Arguments {
    fn read(mut words: impl Iterator<Item = String>) -> Option<Self> {
        let (mut folder, mut ca_out) = (None, None);
        let (mut port, mut name) = (0, "localhost".to_owned());
        while let (Some(flag), Some(value)) = (words.next(), words.next()) {
            match flag.as_str() {
                "--folder" => folder = Some(value.into()),
                "--ca-out" => ca_out = Some(value.into()),
                "--port" => port = value.parse().ok()?,
                "--name" => name = value,
                _ => return None,
            }
        }
        Some(Self {
            folder: folder?,
            ca_out: ca_out?,
            port,
            name,
        })
    }
}

fn main() {
    let arguments = Arguments::read(std::env::args().skip(1)).expect(USAGE);
    let authority = Authority::new();
    fs::write(&arguments.ca_out, authority.pem()).unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
    let server = HttpsServer::start_at(address, &authority.issue(&[&arguments.name]));
    let folder = arguments.folder;
    server.route_others(move |request| answer(&folder, request.path()));

    let origin = format!("https://{}:{}", arguments.name, server.address().port());
    let mut stdout = io::stdout();
    writeln!(stdout, "{origin}").unwrap();
    stdout.flush().unwrap();
    loop {
        thread::park();
    }
}

fn answer(folder: &Path, path: &str) -> Answer {
    let path = Path::new(path.trim_start_matches('/'));
    let is_inside = path
        .components()
        .all(|component| matches!(component, Component::Normal(_)));
    let bytes = is_inside
        .then(|| fs::read(folder.join(path)).ok())
        .flatten();
    match bytes {
        Some(bytes) => Answer::new(200, bytes).with_header("content-type", "application/json"),
        None => Answer::new(404, "nothing here"),
    }
}
