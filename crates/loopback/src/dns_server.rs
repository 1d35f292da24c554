//! A DNS server with scripted responses.

mod message;

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use message::Query;

/// Response to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DnsResponse {
    /// IPv4 addresses for an A query, IPv6 addresses for an AAAA query.
    Addresses(Vec<IpAddr>),
    /// Addresses of one family. Queries for the other family get no response.
    OneFamily(Vec<IpAddr>),
    /// Names for an NS query. Other queries get an empty response.
    NameServers(Vec<&'static str>),
    /// NXDOMAIN.
    NxDomain,
    /// SERVFAIL.
    ServFail,
    /// The server does not respond.
    NoResponse,
}

impl DnsResponse {
    /// Parses addresses.
    #[must_use]
    pub fn addresses(addresses: &[&str]) -> Self {
        let parsed = addresses.iter().map(|address| address.parse().unwrap());
        Self::Addresses(parsed.collect())
    }
}

/// A DNS server over UDP on loopback. Names without a script return NXDOMAIN.
#[derive(Debug)]
pub struct DnsServer {
    address: SocketAddr,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    scripts: Mutex<BTreeMap<String, Vec<DnsResponse>>>,
    queries: Mutex<Vec<Query>>,
    stopped: AtomicBool,
}

impl Default for DnsServer {
    fn default() -> Self {
        Self::start()
    }
}

impl DnsServer {
    /// Starts on a free port of 127.0.0.1.
    #[must_use]
    pub fn start() -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = socket.local_addr().unwrap();
        let state = Arc::<State>::default();
        let shared = state.clone();
        thread::spawn(move || {
            let mut packet = [0; 4096];
            while let Ok((length, client)) = socket.recv_from(&mut packet) {
                if shared.stopped.load(Ordering::SeqCst) {
                    break;
                }
                if let Some(response) = shared.respond(&packet[..length]) {
                    let _ = socket.send_to(&response, client);
                }
            }
        });
        Self { address, state }
    }

    /// Listening address.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the responses for a name, in order and separately for A and AAAA queries. The last response repeats.
    pub fn script(&self, name: &str, responses: impl Into<Vec<DnsResponse>>) {
        let mut scripts = self.state.scripts.lock().unwrap();
        scripts.insert(name.to_owned(), responses.into());
    }

    /// Number of A queries for a name.
    #[must_use]
    pub fn a_queries(&self, name: &str) -> usize {
        self.state.count(name, message::A)
    }

    /// Number of AAAA queries for a name.
    #[must_use]
    pub fn aaaa_queries(&self, name: &str) -> usize {
        self.state.count(name, message::AAAA)
    }

    /// Number of all queries.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.state.queries.lock().unwrap().len()
    }
}

impl State {
    fn respond(&self, packet: &[u8]) -> Option<Vec<u8>> {
        let query = Query::parse(packet)?;
        let index = self.count(&query.name, query.record_type);
        self.queries.lock().unwrap().push(query.clone());
        let scripts = self.scripts.lock().unwrap();
        let script = scripts.get(&query.name);
        let response = script.and_then(|script| script.get(index).or_else(|| script.last()));
        query.response_packet(response.unwrap_or(&DnsResponse::NxDomain))
    }

    fn count(&self, name: &str, record_type: u16) -> usize {
        let queries = self.queries.lock().unwrap();
        let is_same = |query: &&Query| query.name == name && query.record_type == record_type;
        queries.iter().filter(is_same).count()
    }
}

impl Drop for DnsServer {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::SeqCst);
        // The packet unblocks `recv_from`.
        let _ = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|socket| socket.send_to(&[], self.address));
    }
}
