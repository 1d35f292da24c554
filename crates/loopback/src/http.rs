//! Minimal HTTP/1.1 for test servers: one request and one response per connection.

use std::io::{self, Read, Write};

/// A received request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Request {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Header names in lower case, in the order received.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// Reads one request. None if the client closes the connection early.
    pub fn read(stream: &mut (impl Read + ?Sized)) -> Option<Self> {
        let mut bytes = Vec::new();
        let mut chunk = [0; 16384];
        loop {
            let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
            bytes.extend_from_slice(&chunk[..read]);
            let Some(end) = end_of_head(&bytes) else {
                continue;
            };
            let mut request = Self::parse_head(&String::from_utf8_lossy(&bytes[..end]))?;
            let length = request
                .header("content-length")
                .and_then(|length| length.parse().ok());
            if bytes.len() >= end + length.unwrap_or(0) {
                request.body = bytes.split_off(end);
                return Some(request);
            }
        }
    }

    fn parse_head(head: &str) -> Option<Self> {
        let mut lines = head.lines();
        let mut start = lines.next()?.split(' ').map(str::to_owned);
        let headers = lines.filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        });
        Some(Self {
            method: start.next()?,
            target: start.next()?,
            headers: headers.collect(),
            body: Vec::new(),
        })
    }

    /// The first header with this lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The path, without the query.
    #[must_use]
    pub fn path(&self) -> &str {
        let end = self.target.find('?').unwrap_or(self.target.len());
        &self.target[..end]
    }
}

/// A response to send.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub struct Response {
    pub status: u16,
    /// Headers other than `content-length` and `connection`.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    /// Creates a response without headers.
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Writes the complete response.
    pub fn write(&self, stream: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {} x\r\n", self.status);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!(
            "content-length: {}\r\nconnection: close\r\n\r\n",
            self.body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(&self.body)?;
        stream.flush()
    }
}

pub(crate) fn end_of_head(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    Some(end + 4)
}
