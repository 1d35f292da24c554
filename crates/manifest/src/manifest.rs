//! Valid manifests.

use alloy_primitives::Address;
use atr_ids::{HttpsUrl, Tag, parse_address};

use crate::{
    AccessHint, CanonicalBytes, Document, Findings, Image, ManifestHash, Policy, Price, Value,
    Verifiability, Violation, rules, seconds,
};

/// The `type` of version 1, the only version.
pub const MANIFEST_TYPE: &str = "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1";

/// Tags that discovery clients offer as categories.
pub const CATEGORY_TAGS: [&str; 6] = ["ai", "defi", "nft", "trading", "image", "security"];

/// A manifest that is valid under the policy it was checked with.
///
/// Accessors return the members that the ERC defines. [`Manifest::document`] has all members, extensions included.
#[derive(Clone, Debug)]
pub struct Manifest {
    document: Document,
    warnings: Vec<Violation>,
    name: String,
    description: String,
    endpoint: HttpsUrl,
    creator_address: Address,
    version: Option<String>,
    image: Option<Image>,
    featured_image: Option<Image>,
    tags: Vec<Tag>,
    prices: Vec<Price>,
    access: Option<AccessHint>,
    verifiability: Option<Verifiability>,
    max_age: Option<u64>,
}

/// A document with the findings of one run of the manifest rules.
///
/// [`CheckedDocument::into_manifest`] reuses the findings, so callers that need both findings and manifest run the rules once.
#[derive(Clone, Debug)]
pub struct CheckedDocument {
    document: Document,
    findings: Findings,
}

impl CheckedDocument {
    /// Checks a document against all rules.
    #[must_use]
    pub fn new(document: Document, policy: Policy) -> Self {
        let findings = rules::check(&document, policy);
        Self { document, findings }
    }

    /// The document.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Violations and warnings.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Violations and warnings.
    #[must_use]
    pub fn into_findings(self) -> Findings {
        self.findings
    }

    /// Converts a valid document to a manifest.
    pub fn into_manifest(self) -> Result<Manifest, Findings> {
        if !self.findings.is_valid() {
            return Err(self.findings);
        }
        Ok(
            Manifest::from_valid_document(self.document, self.findings.warnings)
                .expect("a valid document has all members"),
        )
    }
}

impl Manifest {
    /// Parses a manifest and checks all rules.
    pub fn parse(bytes: impl Into<Vec<u8>>, policy: Policy) -> Result<Self, Findings> {
        let document = Document::parse(bytes).map_err(|error| Findings::from(&error))?;
        CheckedDocument::new(document, policy).into_manifest()
    }

    /// Extracts the members of a valid document.
    fn from_valid_document(document: Document, warnings: Vec<Violation>) -> Option<Self> {
        let root = document.root();
        let text = |name: &str| root.get(name).and_then(Value::as_str);
        let image = |name: &str| text(name).and_then(|text| text.parse().ok());
        let entries = |name: &str| root.get(name).into_iter().flat_map(Value::elements);
        let tags = entries("tags").map(|tag| tag.as_str()?.parse().ok());
        let access = root.get("access").map(AccessHint::from_value);
        let verifiability = root.get("verifiability").map(Verifiability::from_value);
        Some(Self {
            warnings,
            name: text("name")?.to_owned(),
            description: text("description")?.to_owned(),
            endpoint: text("endpoint")?.parse().ok()?,
            creator_address: parse_address(text("creatorAddress")?).ok()?,
            version: text("version").map(str::to_owned),
            image: image("image"),
            featured_image: image("featuredImage"),
            tags: tags.collect::<Option<_>>()?,
            prices: entries("pricing")
                .map(Price::from_value)
                .collect::<Option<_>>()?,
            access: access.map_or(Some(None), |access| access.map(Some))?,
            verifiability: verifiability.map_or(Some(None), |claims| claims.map(Some))?,
            max_age: root.get("maxAge").and_then(seconds::from_value),
            document,
        })
    }

    /// The document with all members.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Problems that do not make the manifest invalid.
    #[must_use]
    pub fn warnings(&self) -> &[Violation] {
        &self.warnings
    }

    /// Canonical form of the document.
    #[must_use]
    pub fn canonical(&self) -> CanonicalBytes {
        self.document.canonical()
    }

    /// Hash of the canonical form.
    #[must_use]
    pub fn hash(&self) -> ManifestHash {
        self.document.hash()
    }

    /// Name of the tool.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Description of the tool. May be Markdown.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// URL to invoke the tool at.
    #[must_use]
    pub const fn endpoint(&self) -> &HttpsUrl {
        &self.endpoint
    }

    /// The account that may register the tool.
    #[must_use]
    pub const fn creator_address(&self) -> Address {
        self.creator_address
    }

    /// JSON Schema of the input.
    #[must_use]
    pub fn inputs(&self) -> Value<'_> {
        self.member("inputs")
    }

    /// JSON Schema of the output.
    #[must_use]
    pub fn outputs(&self) -> Value<'_> {
        self.member("outputs")
    }

    fn member(&self, name: &str) -> Value<'_> {
        self.document
            .root()
            .get(name)
            .expect("the rules require both schemas")
    }

    /// Version of the tool. Clients may display 1.0.0 if it is absent, but must not add it to the document.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Icon, if it is safe to display.
    #[must_use]
    pub const fn image(&self) -> Option<&Image> {
        self.image.as_ref()
    }

    /// 16:9 banner, if it is safe to display.
    #[must_use]
    pub const fn featured_image(&self) -> Option<&Image> {
        self.featured_image.as_ref()
    }

    /// Search tags.
    #[must_use]
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// Tags that are categories ([`CATEGORY_TAGS`]).
    pub fn categories(&self) -> impl Iterator<Item = &str> {
        self.tags
            .iter()
            .map(Tag::as_str)
            .filter(|tag| CATEGORY_TAGS.contains(tag))
    }

    /// Prices of a call, in the creator's order of preference. Empty if the manifest has no `pricing`.
    #[must_use]
    pub fn prices(&self) -> &[Price] {
        &self.prices
    }

    /// Access requirements. A hint only.
    #[must_use]
    pub const fn access(&self) -> Option<&AccessHint> {
        self.access.as_ref()
    }

    /// Claims about the tool's execution.
    #[must_use]
    pub const fn verifiability(&self) -> Option<&Verifiability> {
        self.verifiability.as_ref()
    }

    /// `maxAge`: seconds for which a verification may be cached.
    #[must_use]
    pub const fn max_age(&self) -> Option<u64> {
        self.max_age
    }
}
