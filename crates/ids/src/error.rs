//! Parse errors of identifiers.

use crate::{MAX_METADATA_URI_BYTES, MAX_SLUG_CHARACTERS, MAX_TAG_CODE_POINTS};

/// The rule that was violated, and the value found. Untrusted text is limited to an excerpt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Empty text.
    #[error("the text is empty")]
    Empty,
    /// A character that must not occur in a URL, or must be percent-encoded.
    #[error("illegal character {character:?} in a URL, at byte {at}")]
    IllegalCharacter {
        /// The first illegal character.
        character: char,
        /// Byte offset.
        at: usize,
    },
    /// The scheme is missing or not https.
    #[error("the scheme is {found}; use https://")]
    Scheme {
        /// The scheme in backticks, or "missing".
        found: String,
    },
    /// `https:` without the two slashes.
    #[error("the URL does not start with https://")]
    Malformed,
    /// A host with characters that are not ASCII.
    #[error("the host `{host}` is not ASCII; use its A-label (xn--…)")]
    ULabelHost {
        /// The host, unchanged.
        host: String,
    },
    /// `user@` or `user:password@` before the host.
    #[error("the URL has user information (`{userinfo}@`), which is not allowed")]
    Userinfo {
        /// The text before the `@`.
        userinfo: String,
    },
    /// No host.
    #[error("the host is missing")]
    EmptyHost,
    /// A host name with a trailing dot, which is a second form of the same name.
    #[error("the host `{host}` ends with a dot")]
    TrailingDot {
        /// The host, unchanged.
        host: String,
    },
    /// A label with characters other than letters, digits and inner hyphens.
    #[error("host label `{label}` has characters other than letters, digits and inner hyphens")]
    Host {
        /// The label, unchanged.
        label: String,
    },
    /// DNS allows 63 octets.
    #[error("host label `{label}` is {} bytes long, maximum 63", label.len())]
    LabelTooLong {
        /// The label, unchanged.
        label: String,
    },
    /// DNS allows 253 octets.
    #[error("the host is {bytes} bytes long, maximum 253")]
    HostTooLong {
        /// Length in bytes.
        bytes: usize,
    },
    /// A label that starts with `xn--` and is not a valid A-label.
    #[error("host label `{label}` is not a valid A-label")]
    BadALabel {
        /// The label, unchanged.
        label: String,
    },
    /// A label that is not allowed in a name with right-to-left labels (RFC 5893).
    #[error(
        "host `{host}` violates the bidi rule: it mixes right-to-left labels with labels that do not allow them"
    )]
    Bidi {
        /// Excerpt of the host.
        host: String,
    },
    /// Not a number from 1 to 65535 without leading zeros.
    #[error("the port `{found}` is not a number from 1 to 65535 without leading zeros")]
    Port {
        /// The text after the colon.
        found: String,
    },
    /// A host that URL parsers treat as an IPv4 address but that is not in dotted decimal form.
    #[error("the host `{host}` is an IPv4 address that is not in dotted decimal form")]
    Ipv4NotCanonical {
        /// The host, unchanged.
        host: String,
    },
    /// An IPv6 address that is not in the form of RFC 5952, or is IPv4-mapped.
    #[error("the host `[{host}]` is not an IPv6 address in canonical form (RFC 5952)")]
    Ipv6NotCanonical {
        /// The text between the brackets.
        host: String,
    },
    /// A metadata URI longer than the registry allows.
    #[error("the metadata URI is {bytes} bytes long, maximum {MAX_METADATA_URI_BYTES}")]
    TooLong {
        /// Length in bytes.
        bytes: usize,
    },
    /// `?` or `#` in a metadata URI, even if query or fragment are empty.
    #[error("`{character}` is not allowed in a metadata URI")]
    QueryOrFragment {
        /// `?` or `#`.
        character: char,
    },
    /// Not the well-known path.
    #[error("the path `{path}` is not /.well-known/ai-tool/<slug>.json")]
    Path {
        /// The path, unchanged.
        path: String,
    },
    /// Not a slug.
    #[error(
        "the slug `{found}` is not 1 to {MAX_SLUG_CHARACTERS} characters of a-z, 0-9 and inner hyphens"
    )]
    Slug {
        /// The text found.
        found: String,
    },
    /// Not a tag.
    #[error(
        "the tag `{found}` is not 1 to {MAX_TAG_CODE_POINTS} characters of a-z, 0-9 and inner hyphens"
    )]
    Tag {
        /// The text found.
        found: String,
    },
    /// Not an address in lower-case hex.
    #[error("`{found}` is not 0x followed by 40 lower-case hex digits")]
    Address {
        /// The text found.
        found: String,
    },
    /// An address in mixed case whose EIP-55 checksum is wrong.
    #[error("`{found}` has a wrong checksum (EIP-55)")]
    Checksum {
        /// The text found.
        found: String,
    },
    /// A reference that starts with 0x but is not lower-case hex.
    #[error("`{found}` starts with 0x but is not lower-case hex")]
    HexCase {
        /// The text found.
        found: String,
    },
    /// Not a uint256 in decimal.
    #[error("`{found}` is not a decimal number from 0 to 2^256-1 without leading zeros")]
    Decimal {
        /// The text found.
        found: String,
    },
    /// Not a CAIP-2 chain id.
    #[error("`{found}` is not a CAIP-2 chain id such as eip155:8453")]
    Chain {
        /// The text found.
        found: String,
    },
    /// Not a CAIP-10 account id.
    #[error("`{found}` is not a CAIP-10 account id such as eip155:8453:0xabc…")]
    Account {
        /// The text found.
        found: String,
    },
    /// Not a CAIP-19 asset id.
    #[error("`{found}` is not a CAIP-19 asset id such as eip155:8453/erc20:0xabc…")]
    Asset {
        /// The text found.
        found: String,
    },
    /// Not a tool reference in the form the ERC recommends.
    #[error("`{found}` is not a tool reference such as eip155:8453/erc8257:0xabc…/1")]
    ToolRef {
        /// The text found.
        found: String,
    },
    /// Ids start at 1.
    #[error("tool id 0 is never assigned")]
    ToolIdZero,
}

impl Error {
    /// Stable machine-readable code, as the conformance vectors use it.
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
            Self::Bidi { .. } => "bidi",
            Self::Port { .. } => "port",
            Self::Ipv4NotCanonical { .. } => "ipv4-not-canonical",
            Self::Ipv6NotCanonical { .. } => "ipv6-not-canonical",
            Self::TooLong { .. } => "too-long",
            Self::QueryOrFragment { .. } => "query-or-fragment",
            Self::Path { .. } => "path",
            Self::Slug { .. } => "slug",
            Self::Tag { .. } => "tag",
            Self::Address { .. } => "address",
            Self::Checksum { .. } => "checksum",
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
