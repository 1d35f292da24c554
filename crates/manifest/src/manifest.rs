//! A manifest that keeps the rules.

use alloy_primitives::Address;
use atr_ids::{HttpsUrl, Tag, parse_address};

use crate::{
    AccessHint, CanonicalBytes, Document, Findings, Image, ManifestHash, Policy, Price, Value,
    Verifiability, Violation, rules, seconds,
};

/// `type` of the one version there is.
pub const MANIFEST_TYPE: &str = "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1";

/// Tags that discovery surfaces offer as filters. Others are found by search.
pub const CATEGORY_TAGS: [&str; 6] = ["ai", "defi", "nft", "trading", "image", "security"];

/// A manifest that keeps every rule of the policy it was read under. Made only by reading one, so it cannot hold an invalid one.
///
/// Meaning comes from the members the ERC defines and from nothing else; everything else is in [`Manifest::document`].
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

impl Manifest {
    /// Reads a manifest, or tells everything that is wrong with it.
    pub fn read(bytes: impl Into<Vec<u8>>, policy: Policy) -> Result<Self, Findings> {
        let document = Document::parse(bytes).map_err(|error| Findings::from(&error))?;
        Self::try_new(document, policy)
    }

    /// The manifest a document is, or everything that keeps it from being one.
    pub fn try_new(document: Document, policy: Policy) -> Result<Self, Findings> {
        let findings = rules::check(&document, policy);
        if !findings.is_valid() {
            return Err(findings);
        }
        Ok(Self::of(document, findings.warnings)
            .expect("the rules let through only what can be read"))
    }

    fn of(document: Document, warnings: Vec<Violation>) -> Option<Self> {
        let root = document.root();
        let text = |name: &str| root.get(name).and_then(Value::as_str);
        let image = |name: &str| text(name).and_then(|text| text.parse().ok());
        let entries = |name: &str| root.get(name).into_iter().flat_map(Value::elements);
        let tags = entries("tags").map(|tag| tag.as_str()?.parse().ok());
        let access = root.get("access").map(AccessHint::of);
        let verifiability = root.get("verifiability").map(Verifiability::of);
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
            prices: entries("pricing").map(Price::of).collect::<Option<_>>()?,
            access: access.map_or(Some(None), |access| access.map(Some))?,
            verifiability: verifiability.map_or(Some(None), |claims| claims.map(Some))?,
            max_age: root.get("maxAge").and_then(seconds::of),
            document,
        })
    }

    /// The whole document, extensions included.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// What had better be otherwise.
    #[must_use]
    pub fn warnings(&self) -> &[Violation] {
        &self.warnings
    }

    /// The canonical form, of the whole document.
    #[must_use]
    pub fn canonical(&self) -> CanonicalBytes {
        self.document.canonical()
    }

    /// The hash to register, or to compare with the registered one.
    #[must_use]
    pub fn hash(&self) -> ManifestHash {
        self.document.hash()
    }

    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does, perhaps in Markdown.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Where it is called, in normal form.
    #[must_use]
    pub const fn endpoint(&self) -> &HttpsUrl {
        &self.endpoint
    }

    /// Who may register it.
    #[must_use]
    pub const fn creator_address(&self) -> Address {
        self.creator_address
    }

    /// JSON Schema of what it takes.
    #[must_use]
    pub fn inputs(&self) -> Value<'_> {
        self.member("inputs")
    }

    /// JSON Schema of what it gives.
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

    /// Its version, if it states one. For display, absence may be shown as 1.0.0; it is never written into the document.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Its icon, if it has one that may be shown.
    #[must_use]
    pub const fn image(&self) -> Option<&Image> {
        self.image.as_ref()
    }

    /// Its 16:9 banner, if it has one that may be shown.
    #[must_use]
    pub const fn featured_image(&self) -> Option<&Image> {
        self.featured_image.as_ref()
    }

    /// Words to find it by.
    #[must_use]
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// Those of its tags that are filters.
    pub fn categories(&self) -> impl Iterator<Item = &str> {
        self.tags
            .iter()
            .map(Tag::as_str)
            .filter(|tag| CATEGORY_TAGS.contains(tag))
    }

    /// Ways to pay for a call, best first; none if the manifest says nothing about a price.
    #[must_use]
    pub fn prices(&self) -> &[Price] {
        &self.prices
    }

    /// What it says it takes to be let in.
    #[must_use]
    pub const fn access(&self) -> Option<&AccessHint> {
        self.access.as_ref()
    }

    /// What it claims about how it runs.
    #[must_use]
    pub const fn verifiability(&self) -> Option<&Verifiability> {
        self.verifiability.as_ref()
    }

    /// Seconds for which it may be relied on without looking again, if it says so.
    #[must_use]
    pub const fn max_age(&self) -> Option<u64> {
        self.max_age
    }
}
