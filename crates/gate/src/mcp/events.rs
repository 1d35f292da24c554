//! Receipts in responses of MCP servers: a JSON message, or a stream of events.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Bytes, BytesMut};
use http::{
    HeaderMap, Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
};
use http_body::{Body as HttpBody, Frame};
use http_body_util::BodyExt;
use serde_json::Value as Json;

use super::message;
use crate::{
    Body, BoxError,
    body::{self, full},
};

/// An event or a message above this size passes without a receipt.
const MAX_BYTES: usize = 4 << 20;

/// Adds the receipt to the result in the body.
pub(super) async fn with_receipt(response: Response<Body>, receipt: Json) -> Response<Body> {
    let (mut parts, inner) = response.into_parts();
    let content_type = parts
        .headers
        .get(CONTENT_TYPE)
        .map(|value| value.as_bytes());
    let starts_with = |prefix: &[u8]| {
        content_type.is_some_and(|value| value.to_ascii_lowercase().starts_with(prefix))
    };
    if starts_with(b"text/event-stream") {
        parts.headers.remove(CONTENT_LENGTH);
        let events = Events {
            inner,
            receipt,
            buffer: BytesMut::new(),
            is_ended: false,
        };
        return Response::from_parts(parts, events.boxed_unsync());
    }
    if !starts_with(b"application/json") {
        return Response::from_parts(parts, inner);
    }
    let content = match body::read(inner, MAX_BYTES).await {
        Ok(content) => add(&content, &receipt).map_or(content, Bytes::from),
        // The receipt is in the header.
        Err(_) => {
            parts.status = StatusCode::BAD_GATEWAY;
            let text = "the response of the tool is incomplete or too large";
            message::error(None, message::INTERNAL_ERROR, text)
                .to_string()
                .into()
        }
    };
    parts.headers.insert(CONTENT_LENGTH, content.len().into());
    Response::from_parts(parts, full(content))
}

/// The message with the receipt; `None` if it has no result.
fn add(message: &[u8], receipt: &Json) -> Option<String> {
    let mut message: Json = serde_json::from_slice(message).ok()?;
    let result = message.get_mut("result")?;
    message::add_receipt(result, Some(receipt));
    Some(message.to_string())
}

/// Whether the response to a call is a failure, which MCP reports with status 200: an error of the protocol, or a result with
/// `isError`. So is a response without a result: there is nothing to pay for.
pub(super) fn is_failure(headers: &HeaderMap, content: &[u8]) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map(|value| value.as_bytes());
    let is_stream = content_type
        .is_some_and(|value| value.to_ascii_lowercase().starts_with(b"text/event-stream"));
    if !is_stream {
        return is_failed_message(content) != Some(false);
    }
    let mut rest = content;
    let mut outcome = None;
    while !rest.is_empty() {
        let end = end_of_event(rest).unwrap_or(rest.len());
        let (event, after) = rest.split_at(end);
        rest = after;
        let message = data_of(event).map(|(_, data)| data);
        outcome = message
            .and_then(|message| is_failed_message(message.as_bytes()))
            .or(outcome);
    }
    outcome != Some(false)
}

/// `None` if the message is not a response.
fn is_failed_message(message: &[u8]) -> Option<bool> {
    let message: Json = serde_json::from_slice(message).ok()?;
    if message.get("error").is_some() {
        return Some(true);
    }
    let result = message.get("result")?;
    Some(
        result
            .get("isError")
            .is_some_and(|value| *value != Json::Bool(false)),
    )
}

/// A stream of events. Each event passes as soon as it is complete.
struct Events {
    inner: Body,
    receipt: Json,
    buffer: BytesMut,
    is_ended: bool,
}

impl Events {
    /// The next complete event, changed if it has a result.
    fn next_event(&mut self) -> Option<Bytes> {
        let end = end_of_event(&self.buffer)?;
        let event = self.buffer.split_to(end).freeze();
        Some(change(&event, &self.receipt).unwrap_or(event))
    }
}

/// Position after the blank line that ends an event.
fn end_of_event(bytes: &[u8]) -> Option<usize> {
    let ends: [&[u8]; 3] = [b"\n\n", b"\r\n\r\n", b"\r\r"];
    let found = ends.iter().filter_map(|end| {
        let at = bytes.windows(end.len()).position(|window| window == *end)?;
        Some(at + end.len())
    });
    found.min()
}

/// The data of an event, and its other fields.
fn data_of(event: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(event).ok()?;
    let (mut fields, mut data) = (String::new(), Vec::new());
    for line in text.split(['\n', '\r']).filter(|line| !line.is_empty()) {
        match line.strip_prefix("data:") {
            Some(value) => data.push(value.strip_prefix(' ').unwrap_or(value)),
            None => {
                fields += line;
                fields.push('\n');
            }
        }
    }
    Some((fields, data.join("\n")))
}

fn change(event: &[u8], receipt: &Json) -> Option<Bytes> {
    let (fields, data) = data_of(event)?;
    let message = add(data.as_bytes(), receipt)?;
    Some(format!("{fields}data: {message}\n\n").into())
}

impl HttpBody for Events {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        loop {
            if let Some(event) = this.next_event() {
                return Poll::Ready(Some(Ok(Frame::data(event))));
            }
            let is_full = this.buffer.len() > MAX_BYTES;
            if (this.is_ended || is_full) && !this.buffer.is_empty() {
                let rest = this.buffer.split().freeze();
                return Poll::Ready(Some(Ok(Frame::data(rest))));
            }
            if this.is_ended {
                return Poll::Ready(None);
            }
            match ready!(Pin::new(&mut this.inner).poll_frame(context)) {
                Some(Ok(frame)) => {
                    // Trailers are dropped: events have none.
                    if let Ok(data) = frame.into_data() {
                        this.buffer.extend_from_slice(&data);
                    }
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => this.is_ended = true,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_event_with_the_result_gets_the_receipt() {
        let receipt = json!({ "success": true });
        let event =
            "event: message\nid: 3\ndata: {\"id\":1,\ndata: \"result\":{\"content\":[]}}\n\n";
        let changed = change(event.as_bytes(), &receipt).unwrap();
        let text = std::str::from_utf8(&changed).unwrap();
        assert!(text.starts_with("event: message\nid: 3\ndata: {"), "{text}");
        assert!(text.ends_with("}\n\n"), "{text}");
        let message = text.lines().find_map(|line| line.strip_prefix("data: "));
        let message: Json = serde_json::from_str(message.unwrap()).unwrap();
        assert_eq!(message["result"]["_meta"]["x402/payment-response"], receipt);
        for other in [
            "data: {\"method\":\"notifications/progress\"}\n\n",
            ": comment\n\n",
            "data: x\n\n",
        ] {
            assert!(change(other.as_bytes(), &receipt).is_none(), "{other}");
        }
    }

    #[test]
    fn failures_are_found_in_messages_and_streams() {
        let check = |content_type: &'static str, content: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, content_type.parse().unwrap());
            is_failure(&headers, content.as_bytes())
        };
        for (message, expected) in [
            (r#"{"id":1,"result":{"content":[]}}"#, false),
            (r#"{"id":1,"result":{"isError":false}}"#, false),
            (r#"{"id":1,"result":{"isError":true}}"#, true),
            (r#"{"id":1,"result":{"isError":"yes"}}"#, true),
            (r#"{"id":1,"error":{"code":-32603}}"#, true),
            (r#"{"method":"notifications/progress"}"#, true),
            ("oops", true),
            ("", true),
        ] {
            assert_eq!(check("application/json", message), expected, "{message}");
            for end in ["\n", "\r\n", "\r"] {
                let progress = format!("data: {{\"method\":\"n\"}}{end}{end}");
                let stream =
                    format!("{progress}event: message{end}data: {message}{end}{end}{progress}");
                assert_eq!(check("text/event-stream", &stream), expected, "{stream:?}");
            }
        }
    }

    #[test]
    fn every_line_ending_separates_events() {
        for (text, end) in [
            ("data: a\n\ndata: b\n\n", Some(9)),
            ("data: a\r\n\r\ndata", Some(11)),
            ("data: a\r\rdata", Some(9)),
            ("data: a\n", None),
        ] {
            assert_eq!(end_of_event(text.as_bytes()), end, "{text:?}");
        }
    }
}
