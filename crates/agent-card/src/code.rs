//! Codes of findings.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// Stable machine-readable code of a finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The code as text.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

codes! {
    /// The bytes are not one unambiguous JSON document.
    Document = "document",
    /// The document is not a JSON object.
    NotAnObject = "not-an-object",
    /// A required member is missing.
    MissingMember = "missing-member",
    /// A member that the profile does not define.
    UnknownMember = "unknown-member",
    /// A value of another JSON type.
    WrongType = "wrong-type",
    /// A blank string or an empty array.
    Empty = "empty",
    /// Two equal elements in a list.
    Duplicate = "duplicate",
    /// Not a URI.
    Uri = "uri",
    /// `slug` is not URL-safe and lower case.
    Slug = "slug",
    /// `ens` is not an ENS name.
    EnsName = "ens-name",
    /// `id` is not the ENS name.
    IdDiffersFromEns = "id-differs-from-ens",
    /// `version` is not a semantic version, or not the profile's version.
    Version = "version",
    /// `status` is not one of the profile's values.
    Status = "status",
    /// `class` is neither commons nor commercial.
    Class = "class",
    /// A verb that no list has.
    UnknownVerb = "unknown-verb",
    /// A verb of the other class.
    VerbOfOtherClass = "verb-of-other-class",
    /// More verbs than the profile allows.
    VerbCount = "verb-count",
    /// A commercial card that is published as commons.
    CommercialAsCommons = "commercial-as-commons",
    /// A schema URI that is not the canonical location of the verb's schema.
    SchemaUri = "schema-uri",
    /// Request and receipt schema are not of the same release.
    SchemaReleaseMixed = "schema-release-mixed",
    /// A schema URI whose release is not configured: it could not be compared.
    SchemaReleaseUnknown = "schema-release-unknown",
    /// A mirror that is not https, or not of the same schema.
    SchemaMirror = "schema-mirror",
    /// A template variable that was not replaced.
    Placeholder = "placeholder",
    /// `entry` is not the URI that name and verb require.
    Entry = "entry",
    /// Not a CAIP-2 chain id.
    Network = "network",
    /// Neither an SPDX license expression nor a URL.
    License = "license",
    /// Not an ISO 8601 timestamp with a time zone.
    Timestamp = "timestamp",
    /// `updated_at` is before `created_at`.
    TimestampOrder = "timestamp-order",
    /// A release that differs from the previous one has not moved `updated_at`.
    StaleUpdatedAt = "stale-updated-at",
    /// A credential or token.
    Credential = "credential",
    /// A private, loopback or link-local address.
    PrivateAddress = "private-address",
    /// Data of a person.
    PersonalData = "personal-data",
    /// An e-mail address that belongs to a role.
    RoleMailbox = "role-mailbox",
    /// Executable code.
    Script = "script",
    /// Validation was too costly and stopped.
    TooCostly = "too-costly",
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
