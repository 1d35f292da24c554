//! The state of the index, cached.

use std::{sync::Arc, time::Duration};

use atr_store::index::{IndexStatus, IndexStore};
use tokio::{sync::Mutex, time::Instant};

use super::Failure;

/// How long a state is used before it is read again.
const MAX_AGE: Duration = Duration::from_secs(5);

/// The last state. Requests that come while it is read wait for the same read.
#[derive(Debug)]
pub(super) struct StatusCache {
    max_age: Duration,
    last: Mutex<Option<(Instant, Arc<IndexStatus>)>>,
}

impl Default for StatusCache {
    fn default() -> Self {
        Self {
            max_age: MAX_AGE,
            last: Mutex::default(),
        }
    }
}

impl StatusCache {
    pub(super) async fn get(
        &self,
        store: &dyn IndexStore,
        now: u64,
    ) -> Result<Arc<IndexStatus>, Failure> {
        let mut cached = self.last.lock().await;
        if let Some((read_at, status)) = &*cached
            && read_at.elapsed() < self.max_age
        {
            return Ok(status.clone());
        }
        let status = Arc::new(store.status(now).await?);
        *cached = Some((Instant::now(), status.clone()));
        Ok(status)
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, B256};
    use atr_store::index::{NewRegistry, RegistryKey, SqliteIndex};

    use super::*;

    #[tokio::test]
    async fn a_state_is_read_once_in_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteIndex::open(&folder.path().join("index.db"), || 0)
            .await
            .unwrap();
        let cached = StatusCache {
            max_age: Duration::MAX,
            last: Mutex::default(),
        };
        let expired = StatusCache {
            max_age: Duration::ZERO,
            last: Mutex::default(),
        };
        for cache in [&cached, &expired] {
            assert_eq!(cache.get(&store, 1).await.unwrap().registries.len(), 0);
        }
        let registry = NewRegistry {
            key: RegistryKey {
                chain_id: 1,
                address: Address::repeat_byte(1),
            },
            name: "test".to_owned(),
            is_canonical: false,
            first_block: 1,
            code_hash: B256::repeat_byte(1),
            proxy_indicators: "[]".to_owned(),
        };
        store.register(&registry, 1).await.unwrap();
        assert_eq!(cached.get(&store, 1).await.unwrap().registries.len(), 0);
        assert_eq!(expired.get(&store, 1).await.unwrap().registries.len(), 1);
    }
}
