//! What the specification names but does not contain: verbs, and the locations of their schemas (T-51).

use std::collections::BTreeSet;

use crate::Class;

/// Lists that the rules use. The defaults are those of the published releases.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "plain data")]
pub struct Config {
    pub verbs: VerbLists,
    pub releases: SchemaReleases,
}

/// Canonical verbs by class.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "plain data")]
pub struct VerbLists {
    pub commons: BTreeSet<String>,
    pub commercial: BTreeSet<String>,
}

const COMMONS: &str =
    "analyze classify clean convert describe explain fetch format parse summarize";
const COMMERCIAL: &str = "authorize checkout purchase ship verify";

impl Default for VerbLists {
    fn default() -> Self {
        let list = |words: &str| words.split(' ').map(str::to_owned).collect();
        Self {
            commons: list(COMMONS),
            commercial: list(COMMERCIAL),
        }
    }
}

impl VerbLists {
    /// The verbs of a class.
    #[must_use]
    pub const fn of(&self, class: Class) -> &BTreeSet<String> {
        match class {
            Class::Commons => &self.commons,
            Class::Commercial => &self.commercial,
        }
    }

    /// The class whose list has the verb.
    #[must_use]
    pub fn class_of(&self, verb: &str) -> Option<Class> {
        let mut classes = Class::ALL.into_iter();
        classes.find(|class| self.of(*class).contains(verb))
    }

    /// The known verb that is spelled most similarly.
    pub(crate) fn nearest(&self, verb: &str) -> Option<&str> {
        let known = self.commons.iter().chain(&self.commercial);
        let nearest = known.min_by_key(|known| strsim::levenshtein(known, verb))?;
        (strsim::levenshtein(nearest, verb) <= 2).then_some(nearest)
    }
}

/// Releases of the verbs' schemas.
#[derive(Clone, Debug)]
pub struct SchemaReleases(pub Vec<SchemaRelease>);

/// A release of the request and receipt schemas of a class.
#[derive(Clone, Debug)]
pub struct SchemaRelease {
    /// The class whose verbs the release has.
    pub class: Class,
    /// Release, such as `1.0.0`.
    pub version: String,
    /// Whether schemas are in the folders `requests` and `receipts` (1.0.0) or directly in the verb's folder (1.1.0).
    pub has_folders: bool,
    /// Folders that contain `commons` or `commercial`, without the final slash. The schemas' canonical URIs start with one of them.
    pub roots: Vec<String>,
}

/// Which of a verb's two schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain data")]
pub enum SchemaKind {
    Request,
    Receipt,
}

impl SchemaKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Request, Self::Receipt];

    /// The member of `schemas` and `schemas_mirror`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Receipt => "receipt",
        }
    }

    /// Path below the root of a release.
    pub(crate) fn path(self, class: Class, verb: &str, has_folders: bool) -> String {
        let kind = self.as_str();
        let folder = if has_folders {
            format!("{kind}s/")
        } else {
            String::new()
        };
        let class = class.as_str();
        format!("/{class}/{verb}/{folder}{verb}.{kind}.schema.json")
    }
}

/// The CID that the manifest of Protocol-Commons 1.0.0 publishes for its schemas.
const COMMONS_1_0_0: &str = "ipfs://bafybeigvf6nkzws7dblos74dqqjkguwkrwn4a2c27ieygoxmgofyzdkz6m";

impl Default for SchemaReleases {
    fn default() -> Self {
        let release = |class, version: &str, has_folders, roots: &[&str]| SchemaRelease {
            class,
            version: version.to_owned(),
            has_folders,
            roots: roots.iter().map(|root| (*root).to_owned()).collect(),
        };
        let hosted = |version: &str| format!("https://commandlayer.org/schemas/v{version}");
        let tag = |repository: &str| {
            format!(
                "https://raw.githubusercontent.com/commandlayer/{repository}/refs/tags/v1.1.0/schemas/v1.1.0"
            )
        };
        Self(vec![
            release(Class::Commons, "1.0.0", true, &[COMMONS_1_0_0]),
            release(Class::Commercial, "1.0.0", true, &[&hosted("1.0.0")]),
            release(
                Class::Commons,
                "1.1.0",
                false,
                &[&hosted("1.1.0"), &tag("protocol-commons")],
            ),
            release(
                Class::Commercial,
                "1.1.0",
                false,
                &[&hosted("1.1.0"), &tag("protocol-commercial")],
            ),
        ])
    }
}
