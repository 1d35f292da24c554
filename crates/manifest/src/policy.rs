//! Who asks, and how strictly.

/// Whose rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Whoever publishes: refuses what would embarrass later as well.
    Producer,
    /// Whoever relies on it: refuses what the ERC tells consumers to refuse, and no more, since what others verify must not
    /// be unverifiable here.
    Consumer,
}

/// How a manifest is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    role: Role,
    accepts_unknown_types: bool,
}

impl Policy {
    /// The rules for publishing.
    #[must_use]
    pub const fn producer() -> Self {
        Self::of(Role::Producer)
    }

    /// The rules for relying on what others published.
    #[must_use]
    pub const fn consumer() -> Self {
        Self::of(Role::Consumer)
    }

    /// The rules of a role.
    #[must_use]
    pub const fn of(role: Role) -> Self {
        Self {
            role,
            accepts_unknown_types: false,
        }
    }

    /// The same, but a `type` of another version is a warning instead of a refusal (T-18).
    #[must_use]
    pub const fn accepting_unknown_types(self) -> Self {
        Self {
            accepts_unknown_types: true,
            ..self
        }
    }

    /// Whose rules apply.
    #[must_use]
    pub const fn role(self) -> Role {
        self.role
    }

    pub(crate) const fn accepts_unknown_types(self) -> bool {
        self.accepts_unknown_types
    }
}
