//! A TCP listener on a thread.

use std::{
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};

/// Accepts connections, each on its own thread, until it is dropped.
#[derive(Debug)]
pub(crate) struct Acceptor {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Acceptor {
    pub(crate) fn start(
        address: SocketAddr,
        handle: impl Fn(TcpStream) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let (connections, stopped) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let (count, stop, handle) = (connections.clone(), stopped.clone(), Arc::new(handle));
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                let (Ok(stream), handle) = (stream, handle.clone()) else {
                    continue;
                };
                count.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || handle(stream));
            }
        });
        Self {
            address,
            connections,
            stopped,
            thread: Some(thread),
        }
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Acceptor {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // The connection unblocks `accept`.
        let woken = TcpStream::connect(self.address).is_ok();
        if let (true, Some(thread)) = (woken, self.thread.take()) {
            let _ = thread.join();
        }
    }
}
