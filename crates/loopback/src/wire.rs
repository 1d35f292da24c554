//! The stream between a server and its client.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
};

use rustls::{ServerConnection, StreamOwned};

/// A connection as a script gets it, under TLS or plain. Errors mean that the client left, and may be ignored.
pub trait Wire: Read + Write {
    /// Says that nothing more comes. A script that ends without it leaves the client with a broken line.
    fn close(&mut self);

    /// Reads until the client leaves: for servers that never answer.
    fn hold(&mut self) {
        let mut rest = [0; 4096];
        while self.read(&mut rest).is_ok_and(|read| read > 0) {}
    }
}

impl Wire for TcpStream {
    fn close(&mut self) {
        let _ = self.shutdown(Shutdown::Write);
    }
}

impl Wire for StreamOwned<ServerConnection, TcpStream> {
    fn close(&mut self) {
        self.conn.send_close_notify();
        let _ = self.flush();
        let _ = self.sock.shutdown(Shutdown::Write);
    }
}
