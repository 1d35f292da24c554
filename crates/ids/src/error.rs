//! Why a text is not the identifier it was taken for. Seen by every room above; a person can act on each.

use crate::{MAX_METADATA_URI_BYTES, MAX_SLUG_CHARACTERS, MAX_TAG_CODE_POINTS};

/// The rule that broke, with what was found. Texts are cut to an excerpt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing was given.
    #[error("it is empty")]
    Empty,
    /// A character no URL may hold as it is.
    #[error("{character:?} at byte {at} must not stand in a URL")]
    IllegalCharacter {
        /// The first such character.
        character: char,
        /// Where it stands.
        at: usize,
    },
    /// Another scheme than https, or none.
    #[error("the scheme is {found}, not https")]
    Scheme {
        /// The scheme in back quotes, or the word "missing".
        found: String,
    },
    /// `https:` without the two slashes.
    #[error("it must begin with https://")]
    Malformed,
    /// A host in letters that DNS does not know.
    #[error("the host `{host}` is not ASCII: write it as an A-label (xn--…)")]
    ULabelHost {
        /// The host as written.
        host: String,
    },
    /// `user@` or `user:password@` before the host.
    #[error("`{userinfo}@` before the host is not allowed")]
    Userinfo {
        /// What stands before the `@`.
        userinfo: String,
    },
    /// No host at all.
    #[error("the host is missing")]
    EmptyHost,
    /// A second spelling of the same name.
    #[error("the host `{host}` ends with a dot")]
    TrailingDot {
        /// The host as written.
        host: String,
    },
    /// A label that is not letters, digits and inner hyphens.
    #[error("`{label}` in the host is not made of letters, digits and inner hyphens")]
    Host {
        /// The label as written.
        label: String,
    },
    /// DNS allows 63 octets.
    #[error("`{label}` in the host is {} bytes long, at most 63", label.len())]
    LabelTooLong {
        /// The label as written.
        label: String,
    },
    /// DNS allows 253 octets.
    #[error("the host is {bytes} bytes long, at most 253")]
    HostTooLong {
        /// How long it is.
        bytes: usize,
    },
    /// `xn--` followed by something that is no internationalised label.
    #[error("`{label}` in the host is not a valid A-label")]
    BadALabel {
        /// The label as written.
        label: String,
    },
    /// Not a number from 1 to 65535 without leading zeros.
    #[error("the port `{found}` is not a number from 1 to 65535 without leading zeros")]
    Port {
        /// What stands after the colon.
        found: String,
    },
    /// A number that parsers turn into an address: not the one dotted form.
    #[error("the host `{host}` reads as an IPv4 address and is not in dotted decimal form")]
    Ipv4NotCanonical {
        /// The host as written.
        host: String,
    },
    /// Not the one form of RFC 5952, or an IPv4 address in disguise.
    #[error("the host `[{host}]` is not an IPv6 address in its shortest form")]
    Ipv6NotCanonical {
        /// What stands between the brackets.
        host: String,
    },
    /// The registry's cap on a metadata URI.
    #[error("it is {bytes} bytes long, at most {MAX_METADATA_URI_BYTES}")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// `?` or `#` in a metadata URI, even with nothing behind it.
    #[error("`{character}` must not stand in a metadata URI")]
    QueryOrFragment {
        /// Which of the two.
        character: char,
    },
    /// Not the well-known path.
    #[error("the path `{path}` is not /.well-known/ai-tool/<slug>.json")]
    Path {
        /// The path as written.
        path: String,
    },
    /// Breaks the grammar of slugs.
    #[error(
        "the slug `{found}` is not 1 to {MAX_SLUG_CHARACTERS} characters of a-z, 0-9 and inner hyphens"
    )]
    Slug {
        /// The slug as written.
        found: String,
    },
    /// Breaks the grammar of tags.
    #[error(
        "the tag `{found}` is not 1 to {MAX_TAG_CODE_POINTS} characters of a-z, 0-9 and inner hyphens"
    )]
    Tag {
        /// The tag as written.
        found: String,
    },
    /// Not an address, or one with upper-case digits.
    #[error("`{found}` is not 0x and 40 lower-case hex digits")]
    Address {
        /// The address as written.
        found: String,
    },
    /// A reference that starts with 0x and is not lower-case hex.
    #[error("`{found}` starts with 0x and is not lower-case hex")]
    HexCase {
        /// The reference as written.
        found: String,
    },
    /// Not a decimal number as uint256 has it.
    #[error("`{found}` is not a decimal number from 0 to 2^256-1 without leading zeros")]
    Decimal {
        /// The number as written.
        found: String,
    },
    /// Breaks CAIP-2.
    #[error("`{found}` is not a CAIP-2 chain such as eip155:8453")]
    Chain {
        /// The chain as written.
        found: String,
    },
    /// Breaks CAIP-10.
    #[error("`{found}` is not a CAIP-10 account such as eip155:8453:0xabc…")]
    Account {
        /// The account as written.
        found: String,
    },
    /// Breaks CAIP-19.
    #[error("`{found}` is not a CAIP-19 asset such as eip155:8453/erc20:0xabc…")]
    Asset {
        /// The asset as written.
        found: String,
    },
    /// Not of the form the ERC recommends.
    #[error("`{found}` is not a tool reference such as eip155:8453/erc8257:0xabc…/1")]
    ToolRef {
        /// The reference as written.
        found: String,
    },
    /// Ids start at 1.
    #[error("tool id 0 is never assigned")]
    ToolIdZero,
}

impl Error {
    /// A short word that stays the same from version to version; the conformance vectors use these.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::IllegalCharacter { .. } => "illegal-character",
            Self::Scheme { .. } => "scheme",
            Self::Malformed => "malformed",
            Self::ULabelHost { .. } => "u-label-host",
            Self::Userinfo { .. } => "userinfo",
            Self::EmptyHost => "empty-host",
            Self::TrailingDot { .. } => "trailing-dot",
            Self::Host { .. } => "host",
            Self::LabelTooLong { .. } => "label-too-long",
            Self::HostTooLong { .. } => "host-too-long",
            Self::BadALabel { .. } => "bad-a-label",
            Self::Port { .. } => "port",
            Self::Ipv4NotCanonical { .. } => "ipv4-not-canonical",
            Self::Ipv6NotCanonical { .. } => "ipv6-not-canonical",
            Self::TooLong { .. } => "too-long",
            Self::QueryOrFragment { .. } => "query-or-fragment",
            Self::Path { .. } => "path",
            Self::Slug { .. } => "slug",
            Self::Tag { .. } => "tag",
            Self::Address { .. } => "address",
            Self::HexCase { .. } => "hex-case",
            Self::Decimal { .. } => "decimal",
            Self::Chain { .. } => "caip-2",
            Self::Account { .. } => "caip-10",
            Self::Asset { .. } => "caip-19",
            Self::ToolRef { .. } => "tool-ref",
            Self::ToolIdZero => "tool-id-zero",
        }
    }
}
