//! Connection of a scripted server.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
};

use rustls::{ServerConnection, StreamOwned};

/// A connection over TLS or plain TCP. An I/O error means that the client closed it, and can be ignored.
pub trait Connection: Read + Write {
    /// Closes the connection gracefully. Without it, the client sees a truncated stream.
    fn close(&mut self);

    /// Reads until the client closes the connection.
    fn wait_for_close(&mut self) {
        let mut buffer = [0; 4096];
        while self.read(&mut buffer).is_ok_and(|read| read > 0) {}
    }
}

impl Connection for TcpStream {
    fn close(&mut self) {
        let _ = self.shutdown(Shutdown::Write);
    }
}

impl Connection for StreamOwned<ServerConnection, TcpStream> {
    fn close(&mut self) {
        self.conn.send_close_notify();
        let _ = self.flush();
        let _ = self.sock.shutdown(Shutdown::Write);
    }
}
