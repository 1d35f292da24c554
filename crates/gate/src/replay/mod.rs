//! Replay protection: an authorization is used once.
//!
//! Identity credentials are marked as used in memory ([`SeenNonces`]). Payments are recorded in a [`ReplayStore`], step by step,
//! so that a payment is taken once and its answer is not lost.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod database;
mod memory;
mod record;
mod reservations;
mod seen;
mod store;

pub use memory::MemoryStore;
pub(crate) use record::{State, StoredResponse, request_hash};
pub use reservations::PaymentRecords;
pub(crate) use reservations::{Found, Reservation};
pub(crate) use seen::Refused;
pub use seen::SeenNonces;
pub use store::{ReplayStore, StoreError, StoreFuture, Stored};
