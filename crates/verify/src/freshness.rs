//! How long a verdict may be cached.

use serde::Serialize;

/// Default for interactive surfaces (ERC-8257 § 7 recommends minutes).
pub const INTERACTIVE_SECONDS: u64 = 300;

/// Upper bound for surfaces that can lead to an invocation.
pub const INVOKING_CEILING_SECONDS: u64 = 24 * 60 * 60;

/// How a verdict is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    /// May lead to an invocation: agents, wallets, proxies.
    Invoking,
    /// Display only.
    Informational,
}

/// Cache policy of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freshness {
    seconds: u64,
    surface: Surface,
}

/// How long one verdict may be cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Window {
    /// Seconds after verification. 0 means that the verdict must not be cached.
    pub seconds: u64,
    /// Whether the manifest's `maxAge` shortened the window.
    pub shortened_by_max_age: bool,
}

impl Freshness {
    /// Creates a policy. For an invoking surface, `seconds` is limited to [`INVOKING_CEILING_SECONDS`] (H-12).
    #[must_use]
    pub const fn new(seconds: u64, surface: Surface) -> Self {
        let ceiling = match surface {
            Surface::Invoking => INVOKING_CEILING_SECONDS,
            Surface::Informational => u64::MAX,
        };
        let seconds = if seconds < ceiling { seconds } else { ceiling };
        Self { seconds, surface }
    }

    /// How verdicts are used.
    #[must_use]
    pub const fn surface(self) -> Surface {
        self.surface
    }

    /// The window for a manifest. `maxAge` can shorten it but never extend it (H-14).
    #[must_use]
    pub fn window(self, max_age: Option<u64>) -> Window {
        let seconds = max_age.map_or(self.seconds, |age| age.min(self.seconds));
        let shortened_by_max_age = seconds < self.seconds;
        if shortened_by_max_age {
            tracing::info!(
                policy = self.seconds,
                max_age = seconds,
                "the manifest's maxAge shortens the cache window"
            );
        }
        Window {
            seconds,
            shortened_by_max_age,
        }
    }
}

impl Default for Freshness {
    /// Five minutes, for an invoking surface.
    fn default() -> Self {
        Self::new(INTERACTIVE_SECONDS, Surface::Invoking)
    }
}

impl Window {
    /// Whether a verdict of `checked_at` may still be used at `now`, both in seconds since 1970. False if the clock went
    /// backwards.
    #[must_use]
    pub fn is_fresh(self, checked_at: u64, now: u64) -> bool {
        now.checked_sub(checked_at)
            .is_some_and(|age| age < self.seconds)
    }
}
