//! Where the use of payments is recorded.

use std::{fmt, future::Future, pin::Pin};

use crate::BoxError;

/// A future of a store.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// The store did not answer, or its answer is not valid.
#[derive(Debug, thiserror::Error)]
#[error("the replay store failed")]
pub struct StoreError(#[from] BoxError);

impl StoreError {
    /// Wraps an error of a database.
    pub fn new(error: impl Into<BoxError>) -> Self {
        Self(error.into())
    }
}

/// A value and the version it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// What was stored.
    pub value: Vec<u8>,
    /// Changes with every write, and is never used again for the same key.
    pub version: u64,
    /// Seconds since 1970. The entry may be removed from then on.
    pub expires: u64,
}

/// A map with compare-and-set. All rules about payments are in this crate; a store only keeps bytes.
///
/// A write that returned a version must be visible to every later read, of this process and of others that share the store. If
/// [`Self::is_durable`], it must also survive a crash of the process, which includes SIGKILL, and of the machine.
pub trait ReplayStore: Send + Sync + fmt::Debug {
    /// Whether entries survive the process.
    fn is_durable(&self) -> bool;

    /// The entry of a key.
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Stored>>;

    /// Writes an entry if its version is still the expected one; `None`: if there is no entry. Returns the new version, or `None`
    /// if nothing was written.
    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Option<u64>,
        value: Vec<u8>,
        expires: u64,
    ) -> StoreFuture<'a, Option<u64>>;

    /// Removes an entry if its version is still the expected one. Returns whether it was removed.
    fn remove<'a>(&'a self, key: &'a str, expected: u64) -> StoreFuture<'a, bool>;

    /// Removes entries that have expired.
    fn remove_expired(&self, now: u64) -> StoreFuture<'_, ()>;
}
