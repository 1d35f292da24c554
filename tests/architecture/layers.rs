//! A crate depends only on crates of lower layers.

use acceptance::repository::Repository;

use crate::assert_none;

/// Every crate belongs to a layer; a new crate needs an entry.
const LAYERS: &[&[&str]] = &[
    &["ids", "bindings"],
    &["manifest"],
    &["schema", "auth"],
    &["fetch", "store", "search", "agent-card", "http-server"],
    &["rpc"],
    &["registry"],
    &["deploy", "verify"],
    &["gate", "client", "indexer", "api"],
    &["cli"],
];

/// Test and build support: a dev-dependency of the crates above at most.
const SUPPORT: &[&str] = &["harness", "loopback", "artifacts"];

/// Dependencies that are forbidden although they are lower or third-party.
const FORBIDDEN: &[(&str, &[&str])] = &[
    // Above the pure layers because it uses `schema`, but pure as they are.
    ("agent-card", &IO_LIBRARIES),
    ("fetch", &["atr-manifest", "atr-bindings"]),
    ("store", &["atr-bindings", "axum"]),
    ("search", &["atr-store", "axum", "tokio"]),
    ("registry", &["atr-manifest"]),
    ("deploy", &["atr-manifest"]),
    ("verify", &["atr-store", "axum"]),
    ("gate", &["axum"]),
    ("indexer", &["axum"]),
    ("api", &["reqwest"]),
];

/// Up to this layer crates do no I/O.
const PURE_LAYERS: usize = 2;
const IO_LIBRARIES: [&str; 5] = ["tokio", "reqwest", "hyper", "sqlx", "axum"];

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

/// Checks a dependency of `crates/<folder>`.
fn error(folder: &str, to: &str, is_dev: bool) -> Option<String> {
    let from = layer(folder);
    if from.is_none() && !SUPPORT.contains(&folder) {
        return Some(format!("{folder} has no layer: add it to {}", file!()));
    }
    let lower = to.strip_prefix("atr-").unwrap_or_default();
    let is_upward = layer(lower).zip(from).is_some_and(|(to, from)| to >= from);
    let is_forbidden = FORBIDDEN
        .iter()
        .any(|(name, all)| *name == folder && all.contains(&to))
        || (from.is_some() && SUPPORT.contains(&lower))
        || (from.is_some_and(|layer| layer <= PURE_LAYERS) && IO_LIBRARIES.contains(&to));
    (is_upward || (is_forbidden && !is_dev)).then(|| format!("{folder} must not depend on {to}"))
}

#[test]
fn every_crate_depends_only_on_lower_layers() {
    let metadata = Repository::here().cargo_metadata().unwrap();
    let mut errors = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        let Some(folder) = package["name"].as_str().unwrap().strip_prefix("atr-") else {
            continue; // this package
        };
        let manifest = package["manifest_path"].as_str().unwrap();
        assert!(
            manifest.ends_with(&format!("/crates/{folder}/Cargo.toml")),
            "{manifest}"
        );
        for edge in package["dependencies"].as_array().unwrap() {
            errors.extend(error(
                folder,
                edge["name"].as_str().unwrap(),
                edge["kind"] == "dev",
            ));
        }
    }
    assert_none(&errors);
}

#[test]
fn reports_dependencies_that_break_the_layers() {
    for (folder, to, is_dev, is_error) in [
        ("verify", "atr-fetch", false, false),
        ("ids", "tokio", true, false),
        ("cli", "atr-loopback", true, false),
        ("harness", "atr-bindings", false, false),
        ("fetch", "atr-verify", true, true),
        ("gate", "atr-client", false, true),
        ("cli", "atr-loopback", false, true),
        ("manifest", "tokio", false, true),
        ("agent-card", "atr-schema", false, false),
        ("agent-card", "atr-fetch", false, true),
        ("agent-card", "hyper", false, true),
        ("registry", "atr-manifest", false, true),
        ("api", "reqwest", false, true),
        ("unknown", "serde", false, true),
    ] {
        assert_eq!(
            error(folder, to, is_dev).is_some(),
            is_error,
            "{folder} {to}"
        );
    }
}
