//! Nonces of identity credentials, in memory.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use alloy_primitives::keccak256;
use atr_auth::ReplayKey;

const SHARDS: usize = 16;

/// Seconds between two removals of expired nonces.
const SWEEP_SECONDS: u64 = 30;

/// The identity credentials that were used and have not expired. Several gates can share it; several processes cannot.
///
/// An entry takes about 50 bytes until the credential expires. When all entries are in use, further credentials are refused:
/// forgetting a nonce would let it be used again.
#[derive(Debug)]
pub struct SeenNonces {
    shards: [Mutex<Shard>; SHARDS],
    max_per_shard: usize,
}

#[derive(Debug, Default)]
struct Shard {
    /// Expiry by the first half of the key's hash.
    expiries: HashMap<u128, u64>,
    next_sweep: u64,
}

/// Why a credential cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    AlreadyUsed,
    Full,
}

impl Default for SeenNonces {
    /// A million credentials: more than a thousand per second for the default window.
    fn default() -> Self {
        Self::new(1_000_000)
    }
}

impl SeenNonces {
    /// At most about this many credentials at the same time.
    #[must_use]
    pub fn new(max_entries: usize) -> Self {
        Self {
            shards: Default::default(),
            max_per_shard: max_entries.div_ceil(SHARDS),
        }
    }

    /// Marks a credential as used until it expires.
    pub(crate) fn insert(&self, key: &ReplayKey, expiry: u64, now: u64) -> Result<(), Refused> {
        let hash = hash(key);
        let index = usize::try_from(hash % SHARDS as u128).unwrap_or_default();
        let mut shard = self.shards[index].lock();
        let shard = shard.as_mut().unwrap_or_else(PoisonError::get_mut);
        if now >= shard.next_sweep {
            shard.expiries.retain(|_, expiry| *expiry > now);
            shard.next_sweep = now.saturating_add(SWEEP_SECONDS);
        }
        match shard.expiries.get(&hash) {
            Some(expiry) if *expiry > now => return Err(Refused::AlreadyUsed),
            None if shard.expiries.len() >= self.max_per_shard => return Err(Refused::Full),
            _ => {}
        }
        shard.expiries.insert(hash, expiry);
        Ok(())
    }
}

/// Half of a hash: nobody finds two credentials with the same 128 bits.
fn hash(key: &ReplayKey) -> u128 {
    let mut bytes = [0; 80];
    bytes[..8].copy_from_slice(&key.chain_id.to_be_bytes());
    bytes[8..28].copy_from_slice(key.asset.as_slice());
    bytes[28..48].copy_from_slice(key.from.as_slice());
    bytes[48..].copy_from_slice(key.nonce.as_slice());
    let hash = keccak256(bytes);
    let mut half = [0; 16];
    half.copy_from_slice(&hash[..16]);
    u128::from_be_bytes(half)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, B256};

    use super::*;

    fn key(nonce: u64) -> ReplayKey {
        ReplayKey {
            chain_id: 8453,
            asset: Address::repeat_byte(1),
            from: Address::repeat_byte(2),
            nonce: B256::left_padding_from(&nonce.to_be_bytes()),
        }
    }

    #[test]
    fn a_credential_is_used_once_until_it_expires() {
        // L-21, T-42
        let seen = SeenNonces::default();
        assert_eq!(seen.insert(&key(1), 100, 40), Ok(()));
        assert_eq!(seen.insert(&key(1), 100, 99), Err(Refused::AlreadyUsed));
        // Signed again with another expiry, the nonce is still the same.
        assert_eq!(seen.insert(&key(1), 200, 99), Err(Refused::AlreadyUsed));
        assert_eq!(seen.insert(&key(2), 100, 40), Ok(()));
        let other = ReplayKey {
            from: Address::repeat_byte(3),
            ..key(1)
        };
        assert_eq!(seen.insert(&other, 100, 40), Ok(()));
        assert_eq!(seen.insert(&key(1), 200, 100), Ok(()));
    }

    #[test]
    fn refuses_instead_of_forgetting() {
        let seen = SeenNonces::new(64);
        let inserted = (0..1000).filter(|nonce| seen.insert(&key(*nonce), 100, 0).is_ok());
        let inserted: Vec<_> = inserted.collect();
        assert!(inserted.len() <= 64, "{}", inserted.len());
        for nonce in inserted {
            assert_eq!(seen.insert(&key(nonce), 100, 1), Err(Refused::AlreadyUsed));
        }
        // Expired entries make room.
        let inserted = (2000..3000).filter(|nonce| seen.insert(&key(*nonce), 200, 100).is_ok());
        assert!(inserted.count() > 32);
    }
}
