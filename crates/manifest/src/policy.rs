//! Policies for producers and consumers.

/// Role of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Publishes the manifest. Stricter, to prevent later problems.
    Producer,
    /// Uses the manifest. Rejects only what the ERC requires consumers to reject, so that all consumers agree.
    Consumer,
}

/// Policy for checking a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    role: Role,
    accepts_unknown_types: bool,
}

impl Policy {
    /// Policy for [`Role::Producer`].
    #[must_use]
    pub const fn producer() -> Self {
        Self::new(Role::Producer)
    }

    /// Policy for [`Role::Consumer`].
    #[must_use]
    pub const fn consumer() -> Self {
        Self::new(Role::Consumer)
    }

    /// Policy that rejects an unknown `type`.
    #[must_use]
    pub const fn new(role: Role) -> Self {
        Self {
            role,
            accepts_unknown_types: false,
        }
    }

    /// Treats an unknown `type` as a warning instead of a violation (T-18).
    #[must_use]
    pub const fn accepting_unknown_types(self) -> Self {
        Self {
            accepts_unknown_types: true,
            ..self
        }
    }

    /// Role of the caller.
    #[must_use]
    pub const fn role(self) -> Role {
        self.role
    }

    pub(crate) const fn accepts_unknown_types(self) -> bool {
        self.accepts_unknown_types
    }
}
