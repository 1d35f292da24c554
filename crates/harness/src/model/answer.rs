//! The three answers.

/// What somebody says who was asked whether an account may use a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// It may not.
    No,
    /// Could not find out.
    Unknown,
    /// It may.
    Yes,
}

impl Answer {
    /// `(ok, granted)` of `tryHasAccess`.
    #[must_use]
    pub const fn as_pair(self) -> (bool, bool) {
        match self {
            Self::No => (true, false),
            Self::Unknown => (false, false),
            Self::Yes => (true, true),
        }
    }

    /// What the registry makes of a predicate's return: exactly one word that is 0 or 1, or no answer.
    #[must_use]
    pub fn of_return(bytes: &[u8]) -> Self {
        let Ok(word) = <[u8; 32]>::try_from(bytes) else {
            return Self::Unknown;
        };
        match word {
            [leading @ .., 0] if leading == [0; 31] => Self::No,
            [leading @ .., 1] if leading == [0; 31] => Self::Yes,
            _ => Self::Unknown,
        }
    }
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}
