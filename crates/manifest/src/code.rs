//! Stable codes of rule violations.

use std::fmt;

use serde::{Serialize, Serializer};

/// Defines the enum, its names and the list of all codes.
macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)+) => {
        /// Stable machine-readable code of a violation or warning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$doc])* $variant,)+
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The stable name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

codes! {
    // Bytes and JSON.
    /// More than 1 MiB.
    TooLarge = "too-large",
    /// Starts with a UTF-8 byte-order mark (EF BB BF).
    ByteOrderMark = "byte-order-mark",
    /// Not valid UTF-8.
    NotUtf8 = "not-utf8",
    /// Not valid JSON.
    NotJson = "not-json",
    /// A `\u` escape with half of a surrogate pair.
    LoneSurrogate = "lone-surrogate",
    /// An object with two members of the same name.
    DuplicateName = "duplicate-name",
    /// A number outside the range of a double.
    NumberOutOfRange = "number-out-of-range",
    /// Nested more than 128 levels deep.
    TooDeep = "too-deep",
    /// The document is not an object.
    NotAnObject = "not-an-object",
    /// A string that is not in NFC.
    NotNfc = "not-nfc",
    /// A member name that is not in NFC.
    NameNotNfc = "name-not-nfc",
    /// A number outside the safe integer range of ±(2^53-1).
    UnsafeInteger = "unsafe-integer",

    // Any member.
    /// A required member is missing.
    MissingMember = "missing-member",
    /// A value of the wrong JSON type.
    WrongKind = "wrong-kind",
    /// An empty string.
    EmptyText = "empty-text",
    /// A string with too many code points.
    TextTooLong = "text-too-long",
    /// A control character.
    ControlCharacter = "control-character",
    /// An invisible character, such as a bidirectional control.
    InvisibleCharacter = "invisible-character",
    /// Not an https URL as ERC-8257 § 6 defines it.
    BadUrl = "bad-url",
    /// An https URL that is not normalized.
    UrlNotNormal = "url-not-normal",
    /// An https URL with characters that RFC 3986 does not allow.
    UrlNotEncoded = "url-not-encoded",
    /// Upper-case hex digits, which change the hash.
    HexCase = "hex-case",

    // Top level.
    /// An unknown manifest version.
    UnknownType = "unknown-type",
    /// `creatorAddress` is not an address.
    BadCreatorAddress = "bad-creator-address",
    /// `creatorAddress` is the zero address.
    ZeroCreatorAddress = "zero-creator-address",
    /// `version` is not a semantic version.
    NotSemver = "not-semver",
    /// An image URL that is too long.
    ImageTooLong = "image-too-long",
    /// An image URL that clients should not display.
    ImageNotShown = "image-not-shown",
    /// Too many tags.
    TooManyTags = "too-many-tags",
    /// A tag with an invalid format.
    BadTag = "bad-tag",
    /// A repeated tag.
    DuplicateTag = "duplicate-tag",
    /// `maxAge` is not a whole number of seconds.
    BadMaxAge = "bad-max-age",
    /// A paid tool without `maxAge`, so that clients may cache its price.
    PaidWithoutMaxAge = "paid-without-max-age",
    /// An extension member without a namespace.
    BareExtension = "bare-extension",
    /// An extension member whose name resembles a defined member.
    Lookalike = "lookalike",

    // Schemas.
    /// A schema nested more than 16 levels deep.
    SchemaTooDeep = "schema-too-deep",
    /// Schemas with more than 1,024 nodes in total.
    SchemaTooLarge = "schema-too-large",
    /// A `$ref` to another document, which consumers do not follow.
    RemoteRef = "remote-ref",

    // Pricing.
    /// `pricing` is empty.
    EmptyPricing = "empty-pricing",
    /// Too many pricing entries.
    TooManyPrices = "too-many-prices",
    /// `amount` is not a uint256 in decimal.
    BadAmount = "bad-amount",
    /// `asset` is not a CAIP-19 asset id.
    BadAsset = "bad-asset",
    /// `recipient` is not a CAIP-10 account id.
    BadRecipient = "bad-recipient",
    /// `recipient` is the zero address.
    ZeroRecipient = "zero-recipient",
    /// `asset` and `recipient` are on different chains.
    ChainMismatch = "chain-mismatch",
    /// `protocol` is empty.
    EmptyProtocol = "empty-protocol",

    // Access.
    /// `logic` is neither AND nor OR.
    BadLogic = "bad-logic",
    /// `requirements` is empty.
    EmptyRequirements = "empty-requirements",
    /// Too many requirements.
    TooManyRequirements = "too-many-requirements",
    /// `kind` is not 0x followed by 8 hex digits.
    BadKind = "bad-kind",
    /// `data` is not 0x followed by pairs of hex digits.
    BadData = "bad-data",
    /// `data` is too long.
    DataTooLong = "data-too-long",
    /// `label` is too long.
    LabelTooLong = "label-too-long",
    /// A link URL that is too long.
    LinkTooLong = "link-too-long",
    /// A link name that is too long.
    LinkNameTooLong = "link-name-too-long",
    /// A link name longer than recommended.
    LinkNameLong = "link-name-long",

    // Verifiability.
    /// A tier that the ERC does not define.
    UnknownTier = "unknown-tier",
    /// An execution that is neither defined by the ERC nor a reverse-DNS name.
    UnknownExecution = "unknown-execution",
    /// A data retention that the ERC does not define.
    UnknownDataRetention = "unknown-data-retention",
    /// A source visibility that the ERC does not define.
    UnknownSourceVisibility = "unknown-source-visibility",
    /// A measurement that is not 0x followed by pairs of hex digits.
    BadMeasurement = "bad-measurement",
    /// `attestation.maxAge` is not a whole number of seconds.
    BadAttestationMaxAge = "bad-attestation-max-age",
    /// Tier verifiable without attestation or reproducible build.
    VerifiableNeedsAttestationAndBuild = "verifiable-needs-attestation-and-build",
    /// Tier hardware-attested with execution standard.
    HardwareAttestedOnStandard = "hardware-attested-on-standard",
    /// Tier hardware-attested without attestation.
    HardwareAttestedNeedsAttestation = "hardware-attested-needs-attestation",
    /// Tier self-attested with an isolated execution.
    SelfAttestedClaimsIsolation = "self-attested-claims-isolation",
    /// Tier self-attested with an attestation.
    SelfAttestedHasAttestation = "self-attested-has-attestation",
    /// A tier that the other members do not support.
    TierNotSupported = "tier-not-supported",
}

impl Code {
    /// Whether the violation concerns the bytes that are hashed (ERC-8257 § 7, check 3). Such a document has no canonical hash.
    /// The other codes concern the content of the manifest.
    #[must_use]
    pub const fn is_about_bytes(self) -> bool {
        matches!(
            self,
            Self::TooLarge
                | Self::ByteOrderMark
                | Self::NotUtf8
                | Self::NotJson
                | Self::LoneSurrogate
                | Self::DuplicateName
                | Self::NumberOutOfRange
                | Self::TooDeep
                | Self::NotNfc
                | Self::NameNotNfc
                | Self::HexCase
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_have_unique_names() {
        let names: BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), Code::ALL.len());
    }

    #[test]
    fn only_violations_of_the_hashed_bytes_are_about_bytes() {
        let names: Vec<_> = Code::ALL
            .iter()
            .filter(|code| code.is_about_bytes())
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            names,
            [
                "too-large",
                "byte-order-mark",
                "not-utf8",
                "not-json",
                "lone-surrogate",
                "duplicate-name",
                "number-out-of-range",
                "too-deep",
                "not-nfc",
                "name-not-nfc",
                "hex-case",
            ]
        );
    }
}
