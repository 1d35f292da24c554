//! How long a verdict may be relied on.

use serde::Serialize;

/// Interactive surfaces keep a verdict for minutes (ERC-8257 § 7).
pub const INTERACTIVE_SECONDS: u64 = 300;

/// Whatever can lead to an invocation keeps none for longer.
pub const INVOKING_CEILING_SECONDS: u64 = 24 * 60 * 60;

/// What a verdict is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    /// Something that may lead to an invocation: agents, wallets, proxies.
    Invoking,
    /// Something that only shows.
    Informational,
}

/// How long the operator is willing to rely on a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freshness {
    seconds: u64,
    surface: Surface,
}

/// For how long one verdict may be relied on, and who said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Window {
    /// Seconds from when it was reached; none at all if 0.
    pub seconds: u64,
    /// Whether the manifest's `maxAge` made it shorter.
    pub shortened_by_max_age: bool,
}

impl Freshness {
    /// A policy. Above the ceiling of an invoking surface it is cut to the ceiling (H-12).
    #[must_use]
    pub const fn new(seconds: u64, surface: Surface) -> Self {
        let ceiling = match surface {
            Surface::Invoking => INVOKING_CEILING_SECONDS,
            Surface::Informational => u64::MAX,
        };
        let seconds = if seconds < ceiling { seconds } else { ceiling };
        Self { seconds, surface }
    }

    /// What it is used for.
    #[must_use]
    pub const fn surface(self) -> Surface {
        self.surface
    }

    /// The window for a manifest: `maxAge` shortens, never lengthens (H-14).
    #[must_use]
    pub fn window(self, max_age: Option<u64>) -> Window {
        let seconds = max_age.map_or(self.seconds, |age| age.min(self.seconds));
        let shortened_by_max_age = seconds < self.seconds;
        if shortened_by_max_age {
            tracing::info!(
                policy = self.seconds,
                max_age = seconds,
                "the manifest's maxAge shortens how long its verdict is kept"
            );
        }
        Window {
            seconds,
            shortened_by_max_age,
        }
    }
}

impl Default for Freshness {
    /// What the ERC recommends for interactive surfaces.
    fn default() -> Self {
        Self::new(INTERACTIVE_SECONDS, Surface::Invoking)
    }
}

impl Window {
    /// Whether a verdict reached at `checked_at` may still be relied on at `now`, both in seconds of one clock. A clock that
    /// went backwards vouches for nothing.
    #[must_use]
    pub fn holds(self, checked_at: u64, now: u64) -> bool {
        now.checked_sub(checked_at)
            .is_some_and(|age| age < self.seconds)
    }
}
