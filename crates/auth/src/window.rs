//! The time window of an authorization.

use alloy_primitives::U256;

use crate::{Authorization, CredentialError};

/// How far ahead the end of an authorization may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window(u64);

impl Window {
    /// 900 seconds: clients in the field sign up to 600 seconds ahead (T-41).
    pub const DEFAULT: Self = Self(900);

    /// One hour.
    pub const MAX: Self = Self(3_600);

    /// A window of 1 to 3,600 seconds.
    #[must_use]
    pub const fn from_seconds(seconds: u64) -> Option<Self> {
        if seconds >= 1 && seconds <= Self::MAX.0 {
            Some(Self(seconds))
        } else {
            None
        }
    }

    /// Length in seconds.
    #[must_use]
    pub const fn seconds(self) -> u64 {
        self.0
    }

    /// Checks `validAfter < now < validBefore`, as strict as the token contract, and that `validBefore` is at most the window
    /// ahead. `now` is a Unix time in seconds.
    pub fn check(self, authorization: &Authorization, now: u64) -> Result<(), CredentialError> {
        self.check_times(authorization.valid_after, authorization.valid_before, now)
    }

    pub(crate) fn check_times(
        self,
        valid_after: U256,
        valid_before: U256,
        now: u64,
    ) -> Result<(), CredentialError> {
        let now = U256::from(now);
        if now >= valid_before {
            return Err(CredentialError::Expired { valid_before });
        }
        if now <= valid_after {
            return Err(CredentialError::NotYetValid { valid_after });
        }
        if valid_before - now > U256::from(self.0) {
            return Err(CredentialError::WindowTooLong {
                valid_before,
                maximum: self.0,
            });
        }
        Ok(())
    }
}

impl Default for Window {
    fn default() -> Self {
        Self::DEFAULT
    }
}
