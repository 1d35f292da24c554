//! Names of what can be wrong with a manifest. They stay the same from version to version.

use std::fmt;

use serde::{Serialize, Serializer};

/// Makes the enum, its names and the list of all from one table.
macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)+) => {
        /// What is wrong, in one word for programs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$doc])* $variant,)+
        }

        impl Code {
            /// Every code there is.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The name, which never changes.
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
    /// Begins with EF BB BF.
    ByteOrderMark = "byte-order-mark",
    /// Bytes that are no UTF-8.
    NotUtf8 = "not-utf8",
    /// Text that is no JSON.
    NotJson = "not-json",
    /// Half of a surrogate pair in an escape.
    LoneSurrogate = "lone-surrogate",
    /// Two members of one name.
    DuplicateName = "duplicate-name",
    /// A number that overflows a double.
    NumberOutOfRange = "number-out-of-range",
    /// More than 128 levels.
    TooDeep = "too-deep",
    /// The document is not an object.
    NotAnObject = "not-an-object",
    /// A string that is not NFC.
    NotNfc = "not-nfc",
    /// A member's name that is not NFC.
    NameNotNfc = "name-not-nfc",
    /// An integer beyond 2^53-1.
    UnsafeInteger = "unsafe-integer",

    // Anywhere.
    /// A required member is not there.
    MissingMember = "missing-member",
    /// A member of another kind than it must be.
    WrongKind = "wrong-kind",
    /// A text with nothing in it.
    EmptyText = "empty-text",
    /// More code points than allowed.
    TextTooLong = "text-too-long",
    /// A control character.
    ControlCharacter = "control-character",
    /// A character that cannot be seen and changes how others look.
    InvisibleCharacter = "invisible-character",
    /// Not an https URL by the ERC's rules.
    BadUrl = "bad-url",
    /// An https URL that is not in its normal form.
    UrlNotNormal = "url-not-normal",
    /// Upper-case hex digits where the hash needs lower-case ones.
    HexCase = "hex-case",

    // Top level.
    /// A schema version nobody here knows.
    UnknownType = "unknown-type",
    /// Not an address.
    BadCreatorAddress = "bad-creator-address",
    /// The zero address, which can register nothing.
    ZeroCreatorAddress = "zero-creator-address",
    /// Not a semantic version.
    NotSemver = "not-semver",
    /// An image whose URL is longer than allowed.
    ImageTooLong = "image-too-long",
    /// An image that no careful surface will show.
    ImageNotShown = "image-not-shown",
    /// More tags than allowed.
    TooManyTags = "too-many-tags",
    /// A tag that breaks the grammar.
    BadTag = "bad-tag",
    /// A tag that was there before.
    DuplicateTag = "duplicate-tag",
    /// `maxAge` that is not a number of seconds.
    BadMaxAge = "bad-max-age",
    /// A paid tool whose price may be read from a cache.
    PaidWithoutMaxAge = "paid-without-max-age",
    /// An extension without a namespace.
    BareExtension = "bare-extension",
    /// An extension that looks like a defined member and is none.
    Lookalike = "lookalike",

    // Schemas.
    /// A schema with more than 16 levels.
    SchemaTooDeep = "schema-too-deep",
    /// Schemas with more than 1,024 nodes.
    SchemaTooLarge = "schema-too-large",
    /// A `$ref` out of the document, which nobody will follow.
    RemoteRef = "remote-ref",

    // Pricing.
    /// `pricing` with nothing in it.
    EmptyPricing = "empty-pricing",
    /// More prices than allowed.
    TooManyPrices = "too-many-prices",
    /// Not a uint256 in decimal.
    BadAmount = "bad-amount",
    /// Not a CAIP-19 asset.
    BadAsset = "bad-asset",
    /// Not a CAIP-10 account.
    BadRecipient = "bad-recipient",
    /// The zero address as recipient.
    ZeroRecipient = "zero-recipient",
    /// Asset and recipient on different chains.
    ChainMismatch = "chain-mismatch",
    /// A protocol without a name.
    EmptyProtocol = "empty-protocol",

    // Access.
    /// Neither AND nor OR.
    BadLogic = "bad-logic",
    /// `requirements` with nothing in it.
    EmptyRequirements = "empty-requirements",
    /// More requirements than allowed.
    TooManyRequirements = "too-many-requirements",
    /// Not 0x and eight hex digits.
    BadKind = "bad-kind",
    /// Not 0x and pairs of hex digits.
    BadData = "bad-data",
    /// More bytes of data than allowed.
    DataTooLong = "data-too-long",
    /// More bytes of label than allowed.
    LabelTooLong = "label-too-long",
    /// A link longer than allowed.
    LinkTooLong = "link-too-long",
    /// A link's name longer than allowed.
    LinkNameTooLong = "link-name-too-long",
    /// A link's name longer than is useful.
    LinkNameLong = "link-name-long",

    // Verifiability.
    /// A tier the ERC does not list.
    UnknownTier = "unknown-tier",
    /// An execution that is neither listed nor a reverse-DNS name.
    UnknownExecution = "unknown-execution",
    /// A data retention the ERC does not list.
    UnknownDataRetention = "unknown-data-retention",
    /// A source visibility the ERC does not list.
    UnknownSourceVisibility = "unknown-source-visibility",
    /// Not 0x and at least one pair of hex digits.
    BadMeasurement = "bad-measurement",
    /// `attestation.maxAge` that is not a number of seconds.
    BadAttestationMaxAge = "bad-attestation-max-age",
    /// Tier verifiable without attestation or without reproducible build.
    VerifiableNeedsAttestationAndBuild = "verifiable-needs-attestation-and-build",
    /// Tier hardware-attested on a standard runtime.
    HardwareAttestedOnStandard = "hardware-attested-on-standard",
    /// Tier hardware-attested without attestation.
    HardwareAttestedNeedsAttestation = "hardware-attested-needs-attestation",
    /// Tier self-attested with an isolated runtime.
    SelfAttestedClaimsIsolation = "self-attested-claims-isolation",
    /// Tier self-attested with an attestation.
    SelfAttestedHasAttestation = "self-attested-has-attestation",
    /// A tier above what the other members support.
    TierNotSupported = "tier-not-supported",
}

impl Code {
    /// Whether it is about the bytes that are hashed (ERC-8257 § 7, check 3): what has such a fault has no hash to speak of.
    /// The other codes are about the manifest's own rules.
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
    fn no_two_codes_share_a_name() {
        let names: BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), Code::ALL.len());
    }

    #[test]
    fn only_faults_of_the_hashed_bytes_are_about_bytes() {
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
