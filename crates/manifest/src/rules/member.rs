//! The members a manifest may have at its top level.

/// Makes the enum and its names from one table.
macro_rules! members {
    ($($variant:ident = $name:literal,)+) => {
        /// A member with a meaning: those of ERC-8257 § 2, and the two informal ones of the guides and of Security
        /// Considerations (T-33, T-39).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Member {
            $($variant,)+
        }

        impl Member {
            /// All of them, in the order of the enum.
            pub(super) const NAMES: [&str; MEMBER_COUNT] = [$($name,)+];

            /// The member of this name, if it has a meaning.
            pub(super) fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }

            pub(super) const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

/// How many there are.
pub(super) const MEMBER_COUNT: usize = 15;

members! {
    Type = "type",
    Name = "name",
    Description = "description",
    Endpoint = "endpoint",
    Inputs = "inputs",
    Outputs = "outputs",
    CreatorAddress = "creatorAddress",
    Version = "version",
    Image = "image",
    FeaturedImage = "featuredImage",
    Tags = "tags",
    Pricing = "pricing",
    Access = "access",
    Verifiability = "verifiability",
    MaxAge = "maxAge",
}
