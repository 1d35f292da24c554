//! A name server whose answers follow a script.

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

use message::Question;

/// What is said about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DnsAnswer {
    /// Its addresses: IPv4 for a question of type A, IPv6 for AAAA.
    Addresses(Vec<IpAddr>),
    /// It does not exist (NXDOMAIN).
    NoSuchName,
    /// The server failed (SERVFAIL).
    Failure,
    /// Nothing.
    Silence,
}

impl DnsAnswer {
    /// Addresses from their texts.
    #[must_use]
    pub fn of(addresses: &[&str]) -> Self {
        let parsed = addresses.iter().map(|address| address.parse().unwrap());
        Self::Addresses(parsed.collect())
    }
}

/// A DNS server over UDP on loopback. Names without a script do not exist.
#[derive(Debug)]
pub struct NameServer {
    address: SocketAddr,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    scripts: Mutex<BTreeMap<String, Vec<DnsAnswer>>>,
    questions: Mutex<Vec<Question>>,
    stops: AtomicBool,
}

impl Default for NameServer {
    fn default() -> Self {
        Self::start()
    }
}

impl NameServer {
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
                if shared.stops.load(Ordering::SeqCst) {
                    break;
                }
                if let Some(answer) = shared.answer(&packet[..length]) {
                    let _ = socket.send_to(&answer, client);
                }
            }
        });
        Self { address, state }
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers the first question of each type about a name with the first of these, the second with the second, and so
    /// on; the last one stays.
    pub fn script(&self, name: &str, answers: impl Into<Vec<DnsAnswer>>) {
        let mut scripts = self.state.scripts.lock().unwrap();
        scripts.insert(name.to_owned(), answers.into());
    }

    /// How many questions of type A came for a name.
    #[must_use]
    pub fn questions_a(&self, name: &str) -> usize {
        self.state.count(name, message::A)
    }

    /// How many questions of type AAAA came for a name.
    #[must_use]
    pub fn questions_aaaa(&self, name: &str) -> usize {
        self.state.count(name, message::AAAA)
    }

    /// How many questions came, about whatever name.
    #[must_use]
    pub fn questions(&self) -> usize {
        self.state.questions.lock().unwrap().len()
    }
}

impl State {
    fn answer(&self, packet: &[u8]) -> Option<Vec<u8>> {
        let question = Question::read(packet)?;
        let nth = self.count(&question.name, question.kind);
        self.questions.lock().unwrap().push(question.clone());
        let scripts = self.scripts.lock().unwrap();
        let script = scripts.get(&question.name);
        let answer = script.and_then(|script| script.get(nth).or_else(|| script.last()));
        question.answer(answer.unwrap_or(&DnsAnswer::NoSuchName))
    }

    fn count(&self, name: &str, kind: u16) -> usize {
        let questions = self.questions.lock().unwrap();
        let same = |asked: &&Question| asked.name == name && asked.kind == kind;
        questions.iter().filter(same).count()
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.state.stops.store(true, Ordering::SeqCst);
        // A last packet, so that the thread looks up.
        let _ = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|socket| socket.send_to(&[], self.address));
    }
}
