//! Rate limits by client address and by account.

use std::{
    collections::HashMap,
    hash::Hash,
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use alloy_primitives::Address;
use tokio::time::Instant;

/// Entries above which full buckets are removed, and above which new keys are refused.
const SWEEP_ABOVE: usize = 50_000;
const MAX_ENTRIES: usize = 500_000;

/// A number of requests per second, and how many may come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// On average.
    pub per_second: NonZeroU32,
    /// After a pause.
    pub burst: NonZeroU32,
}

/// Limits of a gate; `None`: no limit. Can be shared by gates.
#[derive(Debug, Default)]
pub struct RateLimiter {
    by_client: Option<Buckets<IpAddr>>,
    by_account: Option<Buckets<Address>>,
}

impl RateLimiter {
    /// Limits requests with a credential by the address of the client, and admitted callers by their account.
    #[must_use]
    pub fn new(by_client: Option<RateLimit>, by_account: Option<RateLimit>) -> Self {
        Self {
            by_client: by_client.map(Buckets::new),
            by_account: by_account.map(Buckets::new),
        }
    }

    /// Counts a request of a client. `Err`: seconds to wait.
    pub(crate) fn client(&self, address: Option<IpAddr>) -> Result<(), u64> {
        match (&self.by_client, address) {
            (Some(buckets), Some(address)) => buckets.take(network(address)),
            _ => Ok(()),
        }
    }

    /// Whether an account has requests left. Counts nothing: the account is only claimed, and a forged claim must not use up the
    /// requests of its owner.
    pub(crate) fn peek_account(&self, account: Address) -> Result<(), u64> {
        let buckets = self.by_account.as_ref();
        buckets.map_or(Ok(()), |buckets| buckets.peek(&account))
    }

    /// Counts a request of an account that signed it. `Err`: seconds to wait.
    pub(crate) fn account(&self, account: Address) -> Result<(), u64> {
        let buckets = self.by_account.as_ref();
        buckets.map_or(Ok(()), |buckets| buckets.take(account))
    }
}

/// One key for all addresses of an IPv6 network of 64 bits: a client has all of them.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let bits = address.to_bits() & !u128::from(u64::MAX);
            Ipv6Addr::from_bits(bits).into()
        }
        v4 => v4,
    }
}

/// Token buckets, as the time at which a bucket is full again (generic cell rate algorithm).
#[derive(Debug)]
struct Buckets<K> {
    /// Time that one request takes.
    cost: Duration,
    /// How far the time may be ahead.
    tolerance: Duration,
    full_at: Mutex<HashMap<K, Instant>>,
}

impl<K: Eq + Hash> Buckets<K> {
    fn new(limit: RateLimit) -> Self {
        let cost = Duration::from_secs(1) / limit.per_second.get();
        Self {
            cost,
            tolerance: cost * (limit.burst.get() - 1),
            full_at: Mutex::default(),
        }
    }

    fn peek(&self, key: &K) -> Result<(), u64> {
        let now = Instant::now();
        let full_at = self.full_at().get(key).copied().unwrap_or(now);
        self.wait(full_at, now)
    }

    fn take(&self, key: K) -> Result<(), u64> {
        let now = Instant::now();
        let mut all = self.full_at();
        if all.len() >= SWEEP_ABOVE && !all.contains_key(&key) {
            if all.len().is_multiple_of(SWEEP_ABOVE / 10) {
                all.retain(|_, full_at| *full_at > now);
            }
            if all.len() >= MAX_ENTRIES {
                return Err(1);
            }
        }
        let full_at = all.entry(key).or_insert(now);
        let current = (*full_at).max(now);
        self.wait(current, now)?;
        *full_at = current + self.cost;
        Ok(())
    }

    fn wait(&self, full_at: Instant, now: Instant) -> Result<(), u64> {
        let ahead = full_at.saturating_duration_since(now);
        match ahead.checked_sub(self.tolerance) {
            Some(wait) if !wait.is_zero() => Err(wait.as_secs() + 1),
            _ => Ok(()),
        }
    }

    fn full_at(&self) -> MutexGuard<'_, HashMap<K, Instant>> {
        self.full_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(per_second: u32, burst: u32) -> RateLimit {
        RateLimit {
            per_second: per_second.try_into().unwrap(),
            burst: burst.try_into().unwrap(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn allows_a_burst_and_then_the_rate() {
        let limiter = RateLimiter::new(Some(limit(2, 3)), None);
        let client = Some(IpAddr::from([192, 0, 2, 1]));
        for _ in 0..3 {
            assert_eq!(limiter.client(client), Ok(()));
        }
        assert_eq!(limiter.client(client), Err(1));
        // Other clients are not affected.
        assert_eq!(limiter.client(Some(IpAddr::from([192, 0, 2, 2]))), Ok(()));
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!(limiter.client(client), Ok(()));
        assert_eq!(limiter.client(client), Err(1));
        tokio::time::advance(Duration::from_secs(60)).await;
        let allowed = (0..10).filter(|_| limiter.client(client).is_ok()).count();
        assert_eq!(allowed, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_claimed_account_costs_its_owner_nothing() {
        let limiter = RateLimiter::new(None, Some(limit(1, 1)));
        let owner = Address::repeat_byte(1);
        for _ in 0..100 {
            assert_eq!(limiter.peek_account(owner), Ok(()));
        }
        assert_eq!(limiter.account(owner), Ok(()));
        // Now even a claim is refused before its signature is looked at.
        assert_eq!(limiter.peek_account(owner), Err(2));
        assert_eq!(limiter.account(owner), Err(2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_network_of_ipv6_is_one_client() {
        let limiter = RateLimiter::new(Some(limit(1, 1)), None);
        let address = |text: &str| Some(text.parse::<IpAddr>().unwrap());
        assert!(limiter.client(address("2001:db8::1")).is_ok());
        assert!(limiter.client(address("2001:db8::2")).is_err());
        assert!(limiter.client(address("2001:db8:0:1::1")).is_ok());
        // An IPv4 address in either form is the same client.
        assert!(limiter.client(address("192.0.2.1")).is_ok());
        assert!(limiter.client(address("::ffff:192.0.2.1")).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn memory_is_bounded() {
        let buckets = Buckets::new(limit(1000, 1));
        for key in 0..(SWEEP_ABOVE as u32) {
            assert!(buckets.take(key).is_ok());
        }
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(buckets.take(u32::MAX).is_ok());
        assert_eq!(buckets.full_at().len(), 1);
    }
}
