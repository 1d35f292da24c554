//! Whether an account may call tools, at the head of their chain.
//!
//! One request can need many calls, so the number of batches at once is limited.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use alloy::eips::BlockId;
use alloy_primitives::{Address, B256, Bytes};
use atr_registry::{Access, Registry};
use atr_rpc::{BlockView, Head, Node, call_batch};
use atr_store::index::ToolKey;
use tokio::{sync::Semaphore, time::Instant};

/// Calls in one batch. Nodes limit batches to about a hundred.
const BATCH: usize = 50;

/// Time for all checks of a request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long a head is used before the node is asked again.
const HEAD_AGE: Duration = Duration::from_secs(2);

/// Answers that are kept for the current block of a chain.
const MAX_ANSWERS: usize = 100_000;

/// Batches of all requests at once.
const MAX_BATCHES: usize = 8;

/// Asks registries, and remembers the answers of the current block.
#[derive(Debug)]
pub(super) struct AccessChecker {
    chains: Mutex<HashMap<u64, Chain>>,
    batches: Semaphore,
}

impl Default for AccessChecker {
    fn default() -> Self {
        Self {
            chains: Mutex::default(),
            batches: Semaphore::new(MAX_BATCHES),
        }
    }
}

#[derive(Debug)]
struct Chain {
    head: Head,
    read_at: Instant,
    answers: HashMap<(Address, ToolKey), Access>,
}

impl AccessChecker {
    /// The access of the account to each tool, in order. Unknown without a node, and when the node does not answer in time.
    pub(super) async fn check(
        &self,
        nodes: &HashMap<u64, Node>,
        account: Address,
        tools: &[ToolKey],
    ) -> Vec<Access> {
        let mut by_chain: HashMap<u64, Vec<ToolKey>> = HashMap::new();
        for tool in tools {
            by_chain
                .entry(tool.registry.chain_id)
                .or_default()
                .push(*tool);
        }
        let deadline = Instant::now() + TIMEOUT;
        let mut answers: HashMap<ToolKey, Access> = HashMap::new();
        for (chain_id, tools) in by_chain {
            let Some(node) = nodes.get(&chain_id) else {
                continue;
            };
            let checked = self.check_chain(node, chain_id, account, &tools);
            if let Ok(checked) = tokio::time::timeout_at(deadline, checked).await {
                answers.extend(checked);
            }
        }
        let answer = |tool| answers.get(tool).copied().unwrap_or(Access::Unknown);
        tools.iter().map(answer).collect()
    }

    async fn check_chain(
        &self,
        node: &Node,
        chain_id: u64,
        account: Address,
        tools: &[ToolKey],
    ) -> HashMap<ToolKey, Access> {
        let head = match self.head(node, chain_id).await {
            Ok(head) => head,
            Err(error) => {
                tracing::warn!(chain_id, %error, "access could not be checked");
                return HashMap::new();
            }
        };
        let mut answers = self.known(chain_id, head.hash, account, tools);
        let missing: Vec<_> = tools
            .iter()
            .filter(|tool| !answers.contains_key(tool))
            .copied()
            .collect();
        for batch in missing.chunks(BATCH) {
            // The time limit of the request ends the wait.
            let Ok(_permit) = self.batches.acquire().await else {
                break;
            };
            let found = ask(node, chain_id, head, account, batch).await;
            self.remember(chain_id, head.hash, account, &found);
            answers.extend(found);
        }
        answers
    }

    async fn head(&self, node: &Node, chain_id: u64) -> Result<Head, atr_rpc::Error> {
        let known = self
            .chains()
            .get(&chain_id)
            .filter(|chain| chain.read_at.elapsed() < HEAD_AGE)
            .map(|chain| chain.head);
        if let Some(head) = known {
            return Ok(head);
        }
        let head = node.head(chain_id).await?;
        let mut chains = self.chains();
        let chain = chains.entry(chain_id).or_insert_with(|| Chain {
            head,
            read_at: Instant::now(),
            answers: HashMap::new(),
        });
        if chain.head.hash != head.hash {
            chain.answers.clear();
        }
        (chain.head, chain.read_at) = (head, Instant::now());
        Ok(head)
    }

    fn known(
        &self,
        chain_id: u64,
        block: B256,
        account: Address,
        tools: &[ToolKey],
    ) -> HashMap<ToolKey, Access> {
        let chains = self.chains();
        let chain = chains
            .get(&chain_id)
            .filter(|chain| chain.head.hash == block);
        let answers = tools
            .iter()
            .filter_map(|tool| Some((*tool, *chain?.answers.get(&(account, *tool))?)));
        answers.collect()
    }

    fn remember(
        &self,
        chain_id: u64,
        block: B256,
        account: Address,
        found: &HashMap<ToolKey, Access>,
    ) {
        let mut chains = self.chains();
        let Some(chain) = chains
            .get_mut(&chain_id)
            .filter(|chain| chain.head.hash == block)
        else {
            return;
        };
        if chain.answers.len() + found.len() > MAX_ANSWERS {
            chain.answers.clear();
        }
        chain.answers.extend(
            found
                .iter()
                .map(|(tool, access)| ((account, *tool), *access)),
        );
    }

    fn chains(&self) -> MutexGuard<'_, HashMap<u64, Chain>> {
        self.chains.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answers of one batch; nothing for a call that the node did not respond.
async fn ask(
    node: &Node,
    chain_id: u64,
    head: Head,
    account: Address,
    tools: &[ToolKey],
) -> HashMap<ToolKey, Access> {
    let no_data = Bytes::new();
    let calls: Vec<_> = tools
        .iter()
        .map(|tool| {
            (
                tool.registry.address,
                Registry::access_call(tool.id, account, &no_data),
            )
        })
        .collect();
    let view = BlockView {
        provider: node.provider(),
        block: BlockId::number(head.number),
    };
    let results = match call_batch(view, &calls).await {
        Ok(results) => results,
        Err(error) => {
            tracing::warn!(chain_id, %error, "access could not be checked");
            return HashMap::new();
        }
    };
    let answers = tools.iter().zip(results).filter_map(|(tool, result)| {
        let registry = Registry::new(node.provider().clone(), tool.registry.address, chain_id);
        let access = registry.decode_access(tool.id, &result.ok()?);
        Some((*tool, outcome(access)))
    });
    answers.collect()
}

/// A tool that was deregistered since cannot be called. Any other error says nothing about access.
fn outcome(access: Result<Access, atr_registry::Error>) -> Access {
    use atr_registry::Error;
    match access {
        Ok(access) => access,
        Err(Error::ToolIsDeregistered { .. }) => Access::Denied,
        Err(_) => Access::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;
    use atr_registry::Error;

    use super::*;

    #[test]
    fn an_error_is_unknown() {
        let id = U256::ONE;
        assert_eq!(outcome(Ok(Access::Granted)), Access::Granted);
        assert_eq!(
            outcome(Err(Error::ToolIsDeregistered { id })),
            Access::Denied
        );
        assert_eq!(
            outcome(Err(Error::ToolNotFound { id, count: None })),
            Access::Unknown
        );
    }
}
