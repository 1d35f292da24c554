//! The body type of requests and responses that pass through the gate.

use bytes::{Bytes, BytesMut};
use http_body::Body as _;
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};

/// An error of a body whose type is erased.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A streaming body.
pub type Body = UnsyncBoxBody<Bytes, BoxError>;

/// Why a body was not read.
#[derive(Debug)]
pub(crate) enum ReadError {
    TooLarge,
    /// The sender failed or went away.
    Incomplete,
}

/// Erases the type of a body.
pub(crate) fn boxed<B>(body: B) -> Body
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    body.map_err(Into::into).boxed_unsync()
}

/// A body with known content.
pub(crate) fn full(content: impl Into<Bytes>) -> Body {
    Full::new(content.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}

/// Reads a body up to a limit. Trailers are dropped.
pub(crate) async fn read(mut body: Body, max_bytes: usize) -> Result<Bytes, ReadError> {
    let mut content = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| ReadError::Incomplete)?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if content.len() + data.len() > max_bytes {
            return Err(ReadError::TooLarge);
        }
        // The usual body has one frame, which is not copied.
        if content.is_empty() && body.is_end_stream() {
            return Ok(data);
        }
        content.extend_from_slice(&data);
    }
    Ok(content.freeze())
}
