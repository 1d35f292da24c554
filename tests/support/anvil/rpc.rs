//! JSON-RPC over one connection that stays open: all an anvil on this machine needs.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpStream},
    time::Duration,
};

use eyre::{Result, WrapErr, bail, ensure, eyre};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A node that says nothing for so long says nothing at all.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection to a node.
#[derive(Debug)]
pub(super) struct Rpc {
    stream: BufReader<TcpStream>,
}

impl Rpc {
    pub(super) fn connect(port: u16) -> Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
            .wrap_err("anvil does not take connections")?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// The result of a call; its error is ours.
    pub(super) fn ask(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        let answer = self.request(method, parameters)?;
        result_of(method, answer)
    }

    /// The whole answer to a call, be it a result or an error.
    pub(super) fn request(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.post(&envelope(method, parameters))
            .wrap_err_with(|| format!("{method} {parameters}"))
    }

    fn post(&mut self, body: &Value) -> Result<Value> {
        let body = body.to_string();
        let head = format!(
            "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        // In one piece: two would wait for each other's acknowledgement.
        self.stream.get_mut().write_all((head + &body).as_bytes())?;
        let length = self.content_length()?;
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        Ok(serde_json::from_slice(&answer)?)
    }

    /// Reads the head of an answer.
    fn content_length(&mut self) -> Result<usize> {
        let mut length = None;
        loop {
            let mut line = String::new();
            ensure!(
                self.stream.read_line(&mut line)? > 0,
                "anvil hung up in the middle of an answer"
            );
            if line.trim().is_empty() {
                return length.ok_or_else(|| eyre!("anvil's answer has no length"));
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = Some(value.trim().parse()?);
            }
        }
    }
}

/// A value out of an answer.
pub(super) fn parse<T: DeserializeOwned>(value: &Value) -> Result<T> {
    T::deserialize(value).wrap_err_with(|| format!("anvil said {value}"))
}

fn envelope(method: &str, parameters: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": method, "params": parameters})
}

fn result_of(method: &str, mut answer: Value) -> Result<Value> {
    if let Some(error) = answer.get("error") {
        bail!("{method}: {error}");
    }
    Ok(answer["result"].take())
}
