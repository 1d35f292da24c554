//! A store that ends with the process.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{ReplayStore, StoreError, Stored, store::StoreFuture};

/// Keeps payments in memory. A crash forgets which payments were used and what was answered: use it for tests, or where the loss
/// of an answer that was paid for is acceptable.
#[derive(Debug)]
pub struct MemoryStore {
    max_bytes: usize,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    map: HashMap<String, Stored>,
    /// Of keys and values.
    bytes: usize,
    last_version: u64,
}

impl Default for MemoryStore {
    /// 64 MiB of answers.
    fn default() -> Self {
        Self::new(64 << 20)
    }
}

impl MemoryStore {
    /// Refuses further payments when keys and answers take this much.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            entries: Mutex::default(),
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(
        &self,
        key: &str,
        expected: Option<u64>,
        value: Vec<u8>,
        expires: u64,
    ) -> Result<Option<u64>, StoreError> {
        let mut entries = self.entries();
        let current = entries.map.get(key);
        if current.map(|entry| entry.version) != expected {
            return Ok(None);
        }
        let freed = current.map_or(0, |entry| key.len() + entry.value.len());
        let bytes = entries.bytes - freed + key.len() + value.len();
        if bytes > self.max_bytes {
            return Err(StoreError::new("the memory for payments is full"));
        }
        entries.bytes = bytes;
        entries.last_version += 1;
        let version = entries.last_version;
        entries.map.insert(
            key.to_owned(),
            Stored {
                value,
                version,
                expires,
            },
        );
        Ok(Some(version))
    }
}

impl ReplayStore for MemoryStore {
    fn is_durable(&self) -> bool {
        false
    }

    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Stored>> {
        let found = self.entries().map.get(key).cloned();
        Box::pin(async { Ok(found) })
    }

    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Option<u64>,
        value: Vec<u8>,
        expires: u64,
    ) -> StoreFuture<'a, Option<u64>> {
        let result = self.set(key, expected, value, expires);
        Box::pin(async { result })
    }

    fn remove<'a>(&'a self, key: &'a str, expected: u64) -> StoreFuture<'a, bool> {
        let mut entries = self.entries();
        let found = entries.map.get(key);
        let size = found
            .filter(|entry| entry.version == expected)
            .map(|entry| key.len() + entry.value.len());
        if let Some(size) = size {
            entries.map.remove(key);
            entries.bytes -= size;
        }
        Box::pin(async move { Ok(size.is_some()) })
    }

    fn remove_expired(&self, now: u64) -> StoreFuture<'_, ()> {
        let mut entries = self.entries();
        entries.map.retain(|_, entry| entry.expires > now);
        let sizes = entries
            .map
            .iter()
            .map(|(key, entry)| key.len() + entry.value.len());
        entries.bytes = sizes.sum();
        Box::pin(async { Ok(()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_write_needs_the_current_version() {
        let store = MemoryStore::default();
        let set = |expected, value: &str| {
            let value = value.as_bytes().to_vec();
            store.set("a", expected, value, 10).unwrap().is_some()
        };
        assert!(set(None, "1") && !set(None, "2"));
        let first = store.get("a").await.unwrap().unwrap();
        assert!(set(Some(first.version), "2") && !set(Some(first.version), "3"));
        assert!(!store.remove("a", first.version).await.unwrap());
        let second = store.get("a").await.unwrap().unwrap();
        assert_eq!(second.value, b"2");
        assert!(store.remove("a", second.version).await.unwrap());
        // A new entry never has an old version.
        assert!(set(None, "1") && !set(Some(second.version), "4"));
    }

    #[tokio::test]
    async fn memory_is_bounded_and_freed() {
        let store = MemoryStore::new(100);
        assert!(store.set("a", None, vec![0; 60], 10).unwrap().is_some());
        assert!(store.set("b", None, vec![0; 60], 10).is_err());
        store.remove_expired(10).await.unwrap();
        assert!(store.set("b", None, vec![0; 60], 20).unwrap().is_some());
        let version = store.get("b").await.unwrap().unwrap().version;
        assert!(
            store
                .set("b", Some(version), vec![0; 99], 20)
                .unwrap()
                .is_some()
        );
        let version = store.get("b").await.unwrap().unwrap().version;
        assert!(store.remove("b", version).await.unwrap());
        assert!(store.set("c", None, vec![0; 99], 20).unwrap().is_some());
    }
}
