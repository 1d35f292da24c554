//! `schemas` and `schemas_mirror`.

use atr_ids::{HttpsUrl, excerpt};
use atr_manifest::{Document, Value};

use super::Context;
use crate::{
    Check, Class, Code, Finding, Profile, SchemaKind, SchemaRelease, cid::IpfsPath,
    report::Findings,
};

/// Where a schema URI points to.
struct Location<'a> {
    root: &'a str,
    has_folders: bool,
    class: Class,
    verb: &'a str,
    kind: SchemaKind,
}

impl Location<'_> {
    fn is(&self, class: Class, verb: &str, kind: SchemaKind) -> bool {
        self.class == class && self.verb == verb && self.kind == kind
    }
}

/// Splits `<root>/<class>/<verb>/[requests/]<verb>.request.schema.json`.
fn locate(uri: &str) -> Option<Location<'_>> {
    let (rest, file) = uri.rsplit_once('/')?;
    let (verb, kind) = SchemaKind::ALL.into_iter().find_map(|kind| {
        let verb = file.strip_suffix(".schema.json")?;
        Some((verb.strip_suffix(kind.as_str())?.strip_suffix('.')?, kind))
    })?;
    let folder = format!("/{}s", kind.as_str());
    let (rest, has_folders) = match rest.strip_suffix(&folder) {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let rest = rest.strip_suffix(verb)?.strip_suffix('/')?;
    let (root, class) = Class::ALL.into_iter().find_map(|class| {
        let root = rest.strip_suffix(class.as_str())?;
        Some((root.strip_suffix('/')?, class))
    })?;
    Some(Location {
        root,
        has_folders,
        class,
        verb,
        kind,
    })
}

/// P-06, P-07. Whether the documents are equal is for those who fetch them: [`compare_mirror`].
pub(super) fn check(context: Context<'_>, findings: &mut Findings) {
    let root = context.card.root();
    let (Some(class), Some(verb)) = (context.card.class(), context.card.primary_verb()) else {
        return;
    };
    if let Some(schemas) = root.get("schemas") {
        canonical(context, schemas, class, verb, findings);
    }
    if let Some(mirror) = root.get("schemas_mirror") {
        for kind in SchemaKind::ALL {
            mirror_of(context, mirror, class, verb, kind, findings);
        }
    }
}

fn canonical(
    context: Context<'_>,
    schemas: Value<'_>,
    class: Class,
    verb: &str,
    findings: &mut Findings,
) {
    let mut releases = Vec::new();
    for kind in SchemaKind::ALL {
        let Some(value) = schemas.get(kind.as_str()) else {
            continue;
        };
        let pointer = value.pointer();
        let Some(uri) = value.as_str().filter(|_| !findings.has(pointer.as_str())) else {
            continue;
        };
        let location = locate(uri);
        let is_right = location
            .as_ref()
            .is_some_and(|location| location.is(class, verb, kind));
        if !is_right {
            findings.violation(Finding::at(
                Code::SchemaUri,
                value,
                format!("a URI that ends with {}", kind.path(class, verb, true)),
                format!(
                    "use the canonical {} schema of the verb \"{}\"",
                    kind.as_str(),
                    excerpt(verb)
                ),
            ));
            continue;
        }
        if is_placeholder(uri) {
            findings.violation(placeholder(value));
            continue;
        }
        let release = location.and_then(|location| release_of(context, &location));
        if release.is_none() {
            findings.warning(Finding::at(
                Code::SchemaReleaseUnknown,
                value,
                "a URI of a known schema release",
                "compare it with the manifest of the schema release",
            ));
        }
        releases.push(release.map(|release| (class, release.version.as_str())));
    }
    if let [Some(request), Some(receipt)] = releases[..]
        && request != receipt
    {
        findings.violation(Finding::at(
            Code::SchemaReleaseMixed,
            schemas,
            "request and receipt schema of the same release",
            "use the URIs of one release",
        ));
    }
}

fn release_of<'a>(context: Context<'a>, location: &Location<'_>) -> Option<&'a SchemaRelease> {
    context.config.releases.0.iter().find(|release| {
        release.class == location.class
            && release.has_folders == location.has_folders
            && release.roots.iter().any(|root| root == location.root)
    })
}

fn mirror_of(
    context: Context<'_>,
    mirrors: Value<'_>,
    class: Class,
    verb: &str,
    kind: SchemaKind,
    findings: &mut Findings,
) {
    let Some(value) = mirrors.get(kind.as_str()) else {
        return;
    };
    let pointer = value.pointer();
    let Some(uri) = value.as_str().filter(|_| !findings.has(pointer.as_str())) else {
        return;
    };
    let is_same = locate(uri).is_some_and(|location| location.is(class, verb, kind));
    let finding = if is_placeholder(uri) {
        placeholder(value)
    } else if uri.parse::<HttpsUrl>().is_err() || !is_same {
        Finding::at(
            Code::SchemaMirror,
            value,
            format!(
                "an https URL of the same schema, such as https://<host>{}",
                kind.path(class, verb, true)
            ),
            "use an https URL of the same schema, or remove the mirror",
        )
    } else {
        return;
    };
    // Published commercial cards have mirrors with a template variable in place of the CID.
    if context.profile == Profile::Published10 {
        findings.warning(finding);
    } else {
        findings.violation(finding);
    }
}

/// An IPFS location whose CID is not a CID.
fn is_placeholder(uri: &str) -> bool {
    matches!(uri.parse::<IpfsPath>(), Err(error) if error.is_cid())
}

fn placeholder(value: Value<'_>) -> Finding {
    Finding::at(
        Code::Placeholder,
        value,
        "the CID of the schema release",
        "replace the template variable with the CID",
    )
}

/// Compares a schema with its mirror (P-07): the same JSON, whatever its formatting. Pass `None` for what could not be fetched.
#[must_use]
pub fn compare_mirror(canonical: Option<&[u8]>, mirror: Option<&[u8]>) -> Check {
    let (Some(canonical), Some(mirror)) = (canonical, mirror) else {
        return Check::unknown("one of the documents is missing");
    };
    if canonical == mirror {
        return Check::Match;
    }
    match (Document::parse(canonical), Document::parse(mirror)) {
        (Ok(canonical), Ok(mirror)) if canonical.canonical() == mirror.canonical() => Check::Match,
        (Ok(canonical), Ok(mirror)) => {
            Check::exact(&mirror.hash().to_string(), &canonical.hash().to_string())
        }
        (Err(error), _) => Check::unknown(format!("the canonical schema is not JSON: {error}")),
        (_, Err(error)) => Check::Mismatch {
            found: format!("a document that is not JSON: {error}"),
            expected: "the same schema".to_owned(),
        },
    }
}

/// Checks that a fetched document is the schema of a verb: a JSON document whose `$id` is the location of that schema.
#[must_use]
pub fn check_schema(bytes: &[u8], class: Class, verb: &str, kind: SchemaKind) -> Check {
    let expected = || format!("the {} schema of {verb}", kind.as_str());
    let document = match Document::parse(bytes) {
        Ok(document) => document,
        Err(error) => {
            return Check::Mismatch {
                found: format!("a document that is not JSON: {error}"),
                expected: expected(),
            };
        }
    };
    let id = document.root().get("$id").and_then(Value::as_str);
    match id {
        Some(id) if locate(id).is_some_and(|location| location.is(class, verb, kind)) => {
            Check::Match
        }
        id => Check::Mismatch {
            found: id.map_or_else(|| "a document without \"$id\"".to_owned(), excerpt),
            expected: expected(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locates_schemas_of_both_layouts() {
        for (uri, expected) in [
            (
                "ipfs://x/commons/parse/requests/parse.request.schema.json",
                Some(("ipfs://x", true, "parse", SchemaKind::Request)),
            ),
            (
                "https://a.example/s/commercial/verify/verify.receipt.schema.json",
                Some(("https://a.example/s", false, "verify", SchemaKind::Receipt)),
            ),
            (
                "ipfs://x/commons/parse/receipts/parse.request.schema.json",
                None,
            ),
            (
                "ipfs://x/commons/parse/requests/clean.request.schema.json",
                None,
            ),
            (
                "ipfs://x/other/parse/requests/parse.request.schema.json",
                None,
            ),
            ("parse.request.schema.json", None),
            ("", None),
        ] {
            let found = locate(uri);
            let found = found.map(|found| (found.root, found.has_folders, found.verb, found.kind));
            assert_eq!(found, expected, "{uri}");
        }
    }

    #[test]
    fn mirrors_are_compared_by_content() {
        // P-07
        assert!(compare_mirror(Some(b"{\"a\":1}"), Some(b"{ \"a\": 1.0 }\n")).is_match());
        assert!(compare_mirror(Some(b"{\"a\":1}"), Some(b"{\"a\":2}")).is_mismatch());
        assert!(compare_mirror(Some(b"{\"a\":1}"), Some(b"<html>")).is_mismatch());
        assert!(compare_mirror(Some(b"{\"a\":1}"), None).is_unknown());
        assert!(compare_mirror(Some(b"{"), Some(b"{}")).is_unknown());
    }

    #[test]
    fn a_schema_names_its_verb_and_kind() {
        let check =
            |bytes: &[u8]| check_schema(bytes, Class::Commons, "parse", SchemaKind::Receipt);
        let id =
            br#"{"$id":"https://a.example/s/commons/parse/receipts/parse.receipt.schema.json"}"#;
        assert!(check(id).is_match());
        for other in [
            &br#"{"$id":"https://a.example/s/commons/clean/receipts/clean.receipt.schema.json"}"#[..],
            br#"{"$id":"https://a.example/s/commons/parse/requests/parse.request.schema.json"}"#,
            b"{}",
            b"<html>",
        ] {
            assert!(check(other).is_mismatch());
        }
    }
}
