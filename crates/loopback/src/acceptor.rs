//! A listening port with a thread behind it.

use std::{
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};

/// Accepts connections, each on a thread of its own, until it is dropped; then nobody listens there.
#[derive(Debug)]
pub(crate) struct Acceptor {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    stops: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Acceptor {
    pub(crate) fn start(
        address: SocketAddr,
        handle: impl Fn(TcpStream) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let (connections, stops) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let (count, stop, handle) = (connections.clone(), stops.clone(), Arc::new(handle));
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
            stops,
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
        self.stops.store(true, Ordering::SeqCst);
        // A last connection, so that the thread looks up.
        let woken = TcpStream::connect(self.address).is_ok();
        if let (true, Some(thread)) = (woken, self.thread.take()) {
            let _ = thread.join();
        }
    }
}
