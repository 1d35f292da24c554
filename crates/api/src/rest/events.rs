//! Changes as server-sent events.

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::{Extension, RawQuery, State},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures_util::stream;
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    time::Instant,
};

use super::{
    handlers::position,
    parameters::{Query, Start},
    problem,
};
use crate::{
    Catalog, Failure,
    model::ToolChange,
    server::{AppState, Client, Stream},
};

/// After this time a stream ends; clients reconnect with the id of the last event.
const MAX_LIFETIME: Duration = Duration::from_secs(15 * 60);

/// Changes that are read at once.
const PAGE: u32 = 100;

const KEEP_ALIVE: Duration = Duration::from_secs(15);

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Follow changes of tools as server-sent events
///
/// The id of an event is its sequence number; a client that reconnects with `Last-Event-ID` misses nothing. The data is a `ToolChange`.
/// A stream ends after 15 minutes; a client can have eight.
#[utoipa::path(get, path = "/api/v2/tools/events", operation_id = "follow_changes", tag = "tools",
    params(("updated_since" = Option<String>, Query, description = "RFC 3339 in UTC, or seconds since 1970 [default: from now on]"),
        ("cursor" = Option<String>, Query, description = "sequence number after which to start"),
        ("include_unverified" = Option<bool>, Query, description = "with the data of tools that are not verified [default: false]"),
        ("Last-Event-ID" = Option<String>, Header, description = "as browsers send it")),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 429, body = super::Problem, content_type = "application/problem+json")))]
pub(super) async fn follow_changes(
    State(state): State<AppState>,
    client: Option<Extension<Client>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let Ok(permit) = Arc::clone(&state.followers).try_acquire_owned() else {
        return Ok(problem::too_many(
            10,
            "there are too many followers; use /api/v2/tools/changes",
        ));
    };
    let stream = match client {
        None => None,
        Some(Extension(Client(client))) => {
            let Some(stream) = state.streams.open(client) else {
                let detail = "this client follows too often; use /api/v2/tools/changes";
                return Ok(problem::too_many(10, detail));
            };
            Some(stream)
        }
    };
    let query = Query::parse(query.as_deref());
    let after = match headers.get(LAST_EVENT_ID) {
        Some(id) => last_event_id(id)?,
        None => match query.start()? {
            // Without a position, from now on.
            Start::After(0) => state.catalog.store().last_seq().await?,
            start => position(&state.catalog, start).await?,
        },
    };
    let follower = Follower {
        catalog: state.catalog.clone(),
        latest: state.latest.clone(),
        pending: VecDeque::new(),
        after,
        include_unverified: query.include_unverified()?,
        end: Instant::now() + MAX_LIFETIME,
        _permit: permit,
        _stream: stream,
    };
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    Ok(Sse::new(events(follower))
        .keep_alive(keep_alive)
        .into_response())
}

fn last_event_id(id: &HeaderValue) -> Result<u64, Failure> {
    let id = id.to_str().ok().and_then(|id| id.parse().ok());
    id.ok_or_else(|| Failure::invalid("Last-Event-ID", "must be the id of an event of this feed"))
}

struct Follower {
    catalog: Catalog,
    latest: watch::Receiver<u64>,
    pending: VecDeque<ToolChange>,
    after: u64,
    include_unverified: bool,
    end: Instant,
    _permit: OwnedSemaphorePermit,
    _stream: Option<Stream>,
}

fn events(follower: Follower) -> impl futures_util::Stream<Item = Result<Event, Infallible>> {
    stream::unfold(follower, |mut follower| async move {
        let end = follower.end;
        let change = tokio::time::timeout_at(end, follower.next()).await.ok()??;
        let event = Event::default()
            .id(change.sequence.to_string())
            .event("change");
        let event = event.json_data(&change).ok()?;
        Some((Ok(event), follower))
    })
}

impl Follower {
    /// Waits for the next change. `None` ends the stream: the client reconnects with the id of the last event.
    async fn next(&mut self) -> Option<ToolChange> {
        loop {
            if let Some(change) = self.pending.pop_front() {
                self.after = change.sequence;
                return Some(change);
            }
            // Before reading: a change in between is not missed.
            self.latest.mark_unchanged();
            match self
                .catalog
                .changes(self.after, PAGE, self.include_unverified)
                .await
            {
                Ok(page) if page.changes.is_empty() => self.latest.changed().await.ok()?,
                Ok(page) => self.pending = page.changes.into(),
                Err(error) => {
                    tracing::warn!(%error, "a follower was disconnected");
                    return None;
                }
            }
        }
    }
}
