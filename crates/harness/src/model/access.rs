//! The three outcomes of an access check.

/// The outcome of an access check, ordered as Kleene logic orders it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum Access {
    Denied,
    Unknown,
    Granted,
}

impl Access {
    /// All outcomes.
    pub const ALL: [Self; 3] = [Self::Denied, Self::Unknown, Self::Granted];

    /// `(ok, granted)` of `tryHasAccess`.
    #[must_use]
    pub const fn as_pair(self) -> (bool, bool) {
        match self {
            Self::Denied => (true, false),
            Self::Unknown => (false, false),
            Self::Granted => (true, true),
        }
    }

    /// Decodes the return data of a predicate: exactly one word, 0 or 1; anything else is unknown.
    #[must_use]
    pub fn from_return_data(bytes: &[u8]) -> Self {
        let Ok(word) = <[u8; 32]>::try_from(bytes) else {
            return Self::Unknown;
        };
        match word {
            [leading @ .., 0] if leading == [0; 31] => Self::Denied,
            [leading @ .., 1] if leading == [0; 31] => Self::Granted,
            _ => Self::Unknown,
        }
    }

    /// Kleene negation.
    #[must_use]
    pub const fn negated(self) -> Self {
        match self {
            Self::Denied => Self::Granted,
            Self::Unknown => Self::Unknown,
            Self::Granted => Self::Denied,
        }
    }
}

impl From<bool> for Access {
    fn from(granted: bool) -> Self {
        if granted { Self::Granted } else { Self::Denied }
    }
}
