//! Earlier access predicates of a tool, from events.

use alloy::{
    providers::Provider,
    rpc::types::{Filter, Log},
    transports::{TransportError, TransportErrorKind},
};
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::SolEvent;
use atr_bindings::IToolRegistry::{AccessPredicateUpdated, ToolRegistered};

use crate::{Error, LoggedEvent, Registry, ToolEvent, error::rpc_error};

/// Initial block range if the node rejects a request for all blocks.
const BLOCKS_PER_REQUEST: u64 = 10_000;

/// Maximum number of requests of one search: months of blocks with any provider.
const MAX_REQUESTS: usize = 1_000;

impl ToolEvent {
    /// The access predicate that the event sets (`None` inside: open access); `None` if it sets none.
    #[must_use]
    pub const fn access_predicate(&self) -> Option<Option<Address>> {
        match self {
            Self::Registered {
                access_predicate, ..
            }
            | Self::PredicateUpdated {
                access_predicate, ..
            } => Some(*access_predicate),
            Self::MetadataUpdated { .. } | Self::Deregistered { .. } => None,
        }
    }
}

impl Registry {
    /// The latest event that set an access predicate of the tool other than `current`. Searches from the latest block backwards.
    /// `None` if the tool never had another.
    ///
    /// # Errors
    ///
    /// When an RPC request fails, or the search needs too many requests.
    pub async fn previous_predicate(
        &self,
        tool_id: U256,
        current: Option<Address>,
    ) -> Result<Option<LoggedEvent>, Error> {
        let mut end = self.block().await?;
        let mut span = end.saturating_add(1);
        for _ in 0..MAX_REQUESTS {
            let start = end.saturating_sub(span - 1);
            match self.predicate_logs(tool_id, start, end).await {
                Ok(logs) => {
                    let mut events: Vec<_> = logs.iter().filter_map(LoggedEvent::decode).collect();
                    events.sort_by_key(|event| (event.block, event.log_index));
                    let sets_other = |event: &LoggedEvent| {
                        let predicate = event.event.access_predicate();
                        predicate.is_some_and(|predicate| predicate != current)
                    };
                    if let Some(event) = events.into_iter().rfind(sets_other) {
                        return Ok(Some(event));
                    }
                    let Some(next) = start.checked_sub(1) else {
                        return Ok(None);
                    };
                    end = next;
                }
                Err(error) if start < end && can_succeed_with_smaller_range(&error) => {
                    span = BLOCKS_PER_REQUEST.min((end - start).div_ceil(2));
                }
                Err(error) => return Err(rpc_error("eth_getLogs")(error)),
            }
        }
        Err(Error::HistoryTooLong { block: end })
    }

    async fn predicate_logs(
        &self,
        tool_id: U256,
        start: u64,
        end: u64,
    ) -> Result<Vec<Log>, TransportError> {
        let filter = Filter::new()
            .address(self.address())
            .event_signature(vec![
                ToolRegistered::SIGNATURE_HASH,
                AccessPredicateUpdated::SIGNATURE_HASH,
            ])
            .topic1(B256::from(tool_id))
            .from_block(start)
            .to_block(end);
        self.provider().get_logs(&filter).await
    }
}

/// Whether the error can be caused by the size of the range or of the response.
fn can_succeed_with_smaller_range(error: &TransportError) -> bool {
    let is_http = |kind: &TransportErrorKind| matches!(kind, TransportErrorKind::HttpError(http) if http.status != 401);
    error.is_error_resp() || error.is_deser_error() || error.as_transport_err().is_some_and(is_http)
}
