//! Top-level members of a manifest.

/// Defines the enum and its names.
macro_rules! members {
    ($($variant:ident = $name:literal,)+) => {
        /// A defined member: those of ERC-8257 § 2, and the non-normative `maxAge` and `featuredImage` (T-33, T-39).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Member {
            $($variant,)+
        }

        impl Member {
            /// All names, in the order of the enum.
            pub(super) const NAMES: [&str; MEMBER_COUNT] = [$($name,)+];

            /// The defined member with this name.
            pub(super) fn from_name(name: &str) -> Option<Self> {
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

/// Number of defined members.
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
