//! Rate limits by client address and by account.

use std::net::IpAddr;

use alloy_primitives::Address;
use atr_http_server::{KeyedRateLimiter, RateLimit, client_network};

/// Limits of a gate; `None`: no limit. Can be shared by gates.
#[derive(Debug, Default)]
pub struct RateLimiter {
    by_client: Option<KeyedRateLimiter<IpAddr>>,
    by_account: Option<KeyedRateLimiter<Address>>,
}

impl RateLimiter {
    /// Limits requests with a credential by the address of the client, and admitted callers by their account.
    #[must_use]
    pub fn new(by_client: Option<RateLimit>, by_account: Option<RateLimit>) -> Self {
        Self {
            by_client: by_client.map(KeyedRateLimiter::new),
            by_account: by_account.map(KeyedRateLimiter::new),
        }
    }

    /// Counts a request of a client. `Err`: seconds to wait.
    pub(crate) fn client(&self, address: Option<IpAddr>) -> Result<(), u64> {
        match (&self.by_client, address) {
            (Some(buckets), Some(address)) => buckets.take(client_network(address)),
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
}
