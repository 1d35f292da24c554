//! Stores of `atr-store`.

use super::{ReplayStore, StoreError, StoreFuture, Stored};

macro_rules! impl_replay_store {
    ($store:ty) => {
        impl ReplayStore for $store {
            fn is_durable(&self) -> bool {
                true
            }

            fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Stored>> {
                Box::pin(async move {
                    let entry = self.get(key).await.map_err(StoreError::new)?;
                    Ok(entry.map(|entry| Stored {
                        value: entry.value,
                        version: entry.version,
                        expires: entry.expires,
                    }))
                })
            }

            fn compare_and_set<'a>(
                &'a self,
                key: &'a str,
                expected: Option<u64>,
                value: Vec<u8>,
                expires: u64,
            ) -> StoreFuture<'a, Option<u64>> {
                Box::pin(async move {
                    let written = self.compare_and_set(key, expected, &value, expires);
                    written.await.map_err(StoreError::new)
                })
            }

            fn remove<'a>(&'a self, key: &'a str, expected: u64) -> StoreFuture<'a, bool> {
                Box::pin(async move { self.remove(key, expected).await.map_err(StoreError::new) })
            }

            fn remove_expired(&self, now: u64) -> StoreFuture<'_, ()> {
                Box::pin(async move { self.remove_expired(now).await.map_err(StoreError::new) })
            }
        }
    };
}

#[cfg(feature = "sqlite")]
impl_replay_store!(atr_store::replay::SqliteReplay);

#[cfg(feature = "postgres")]
impl_replay_store!(atr_store::replay::PostgresReplay);
