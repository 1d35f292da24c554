//! Rate limits with bounded memory.

use std::{
    collections::HashMap,
    hash::Hash,
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

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

/// One key for all addresses of an IPv6 network of 64 bits: a client has all of them.
#[must_use]
pub fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let bits = address.to_bits() & !u128::from(u64::MAX);
            Ipv6Addr::from_bits(bits).into()
        }
        v4 => v4,
    }
}

/// Limits the requests of each key: token buckets, as the time at which a bucket is full again (generic cell rate algorithm).
#[derive(Debug)]
pub struct KeyedRateLimiter<K> {
    /// Time that one request takes.
    cost: Duration,
    /// How far the time may be ahead.
    tolerance: Duration,
    full_at: Mutex<HashMap<K, Instant>>,
}

impl<K: Eq + Hash> KeyedRateLimiter<K> {
    /// No key has sent a request yet.
    #[must_use]
    pub fn new(limit: RateLimit) -> Self {
        let cost = Duration::from_secs(1) / limit.per_second.get();
        Self {
            cost,
            tolerance: cost * (limit.burst.get() - 1),
            full_at: Mutex::default(),
        }
    }

    /// One request of a key in each period.
    #[must_use]
    pub fn once_per(period: Duration) -> Self {
        Self {
            cost: period,
            tolerance: Duration::ZERO,
            full_at: Mutex::default(),
        }
    }

    /// Whether a key has requests left. Counts nothing.
    ///
    /// # Errors
    ///
    /// The seconds to wait.
    pub fn peek(&self, key: &K) -> Result<(), u64> {
        let now = Instant::now();
        let full_at = self.full_at().get(key).copied().unwrap_or(now);
        self.wait(full_at, now)
    }

    /// Counts a request.
    ///
    /// # Errors
    ///
    /// The seconds to wait.
    pub fn take(&self, key: K) -> Result<(), u64> {
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
        let limiter = KeyedRateLimiter::new(limit(2, 3));
        for _ in 0..3 {
            assert_eq!(limiter.take(1), Ok(()));
        }
        assert_eq!(limiter.peek(&1), Err(1));
        assert_eq!(limiter.take(1), Err(1));
        // Other keys are not affected.
        assert_eq!(limiter.take(2), Ok(()));
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!(limiter.peek(&1), Ok(()));
        assert_eq!(limiter.take(1), Ok(()));
        assert_eq!(limiter.take(1), Err(1));
        tokio::time::advance(Duration::from_secs(60)).await;
        let allowed = (0..10).filter(|_| limiter.take(1).is_ok()).count();
        assert_eq!(allowed, 3);
    }

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        let key = |text: &str| client_network(text.parse().unwrap());
        assert_eq!(key("2001:db8::1"), key("2001:db8::2"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
        // An IPv4 address in either form is the same client.
        assert_eq!(key("192.0.2.1"), key("::ffff:192.0.2.1"));
    }

    #[tokio::test(start_paused = true)]
    async fn memory_is_bounded() {
        let limiter = KeyedRateLimiter::new(limit(1000, 1));
        for key in 0..(SWEEP_ABOVE as u32) {
            assert!(limiter.take(key).is_ok());
        }
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(limiter.take(u32::MAX).is_ok());
        assert_eq!(limiter.full_at().len(), 1);
    }
}
