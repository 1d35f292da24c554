//! A crate depends only on crates of lower layers.

use acceptance::{
    repository::Repository,
    workspace::{Dependency, Package, Workspace},
};

use crate::assert_none;

/// Every crate belongs to a layer; a new crate needs a row. `None`: test and build support, a dev-dependency at most.
const LAYERS: &[(&str, Option<u8>)] = &[
    ("ids", Some(0)),
    ("bindings", Some(0)),
    ("manifest", Some(1)),
    ("auth", Some(1)),
    ("schema", Some(2)),
    ("agent-card", Some(2)),
    ("fetch", Some(3)),
    ("store", Some(3)),
    ("rpc", Some(4)),
    ("registry", Some(5)),
    ("deploy", Some(6)),
    ("verify", Some(6)),
    ("gate", Some(7)),
    ("client", Some(7)),
    ("indexer", Some(7)),
    ("api", Some(7)),
    ("cli", Some(8)),
    ("harness", None),
    ("loopback", None),
    ("artifacts", None),
];

/// Dependencies inside a layer are never allowed; these are forbidden although the other crate is lower.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("fetch", &["atr-manifest", "atr-bindings"]),
    (
        "store",
        &["atr-bindings", "axum", "actix-web", "warp", "rocket"],
    ),
    ("registry", &["atr-manifest"]),
    ("deploy", &["atr-manifest"]),
    (
        "verify",
        &["atr-store", "axum", "actix-web", "warp", "rocket"],
    ),
    ("gate", &["axum", "actix-web", "warp", "rocket"]),
    ("indexer", &["axum", "actix-web", "warp", "rocket"]),
    ("api", &["reqwest"]),
];

/// Up to this layer crates do no I/O and do not read the clock.
const PURE_LAYERS: u8 = 2;
const IO_LIBRARIES: [&str; 5] = ["tokio", "reqwest", "hyper", "sqlx", "axum"];

fn errors(crates: &[Package]) -> Vec<String> {
    let mut errors = Vec::new();
    for package in crates {
        let Package { name, folder, .. } = package;
        if *name != format!("atr-{folder}") {
            errors.push(format!("crates/{folder} is named {name}, not atr-{folder}"));
        }
        let Some(layer) = layer(name) else {
            errors.push(format!("{name} has no layer: add a row to {}", file!()));
            continue;
        };
        let edges = package.dependencies.iter();
        errors.extend(edges.filter_map(|edge| edge_error(package, layer, edge)));
    }
    errors
}

fn edge_error(
    Package { name, folder, .. }: &Package,
    layer: Option<u8>,
    edge: &Dependency,
) -> Option<String> {
    let (to, is_dev) = (edge.name.as_str(), edge.kind.as_deref() == Some("dev"));
    let is_allowed = match (self::layer(to), layer) {
        // Third-party crates.
        (None, layer) => {
            !(layer.is_some_and(|layer| layer <= PURE_LAYERS) && IO_LIBRARIES.contains(&to))
        }
        (Some(None), layer) => layer.is_none(),
        (Some(Some(_)), None) => true,
        (Some(Some(lower)), Some(layer)) if lower < layer => true,
        (Some(Some(lower)), Some(layer)) => {
            return Some(format!(
                "{name} (layer {layer}) depends on {to} (layer {lower})"
            ));
        }
    };
    let is_forbidden = FORBIDDEN
        .iter()
        .any(|(of, names)| of == folder && names.contains(&to));
    let is_error = !is_dev && (is_forbidden || !is_allowed);
    is_error.then(|| format!("{name} must not depend on {to}"))
}

/// None for a crate that is not in the table.
fn layer(name: &str) -> Option<Option<u8>> {
    let folder = name.strip_prefix("atr-")?;
    LAYERS
        .iter()
        .find(|(row, _)| *row == folder)
        .map(|(_, layer)| *layer)
}

#[test]
fn every_crate_depends_only_on_lower_layers() {
    let workspace = Workspace::read(&Repository::here()).unwrap();
    assert!(!workspace.crates.is_empty());
    assert_none(&errors(&workspace.crates));
}

#[test]
fn reports_dependencies_that_break_the_layers() {
    let package = |folder: &str, name: &str, kind: Option<&str>| Package {
        name: format!("atr-{folder}"),
        folder: folder.to_owned(),
        dependencies: vec![Dependency {
            name: name.to_owned(),
            kind: kind.map(str::to_owned),
        }],
    };
    for (folder, name, kind, expected) in [
        ("verify", "atr-fetch", None, ""),
        ("ids", "tokio", Some("dev"), ""),
        ("cli", "atr-loopback", Some("dev"), ""),
        ("harness", "atr-bindings", None, ""),
        (
            "fetch",
            "atr-verify",
            Some("dev"),
            "atr-fetch (layer 3) depends on atr-verify (layer 6)",
        ),
        (
            "gate",
            "atr-client",
            None,
            "atr-gate (layer 7) depends on atr-client (layer 7)",
        ),
        (
            "cli",
            "atr-loopback",
            None,
            "atr-cli must not depend on atr-loopback",
        ),
        (
            "manifest",
            "tokio",
            None,
            "atr-manifest must not depend on tokio",
        ),
        (
            "registry",
            "atr-manifest",
            None,
            "atr-registry must not depend on atr-manifest",
        ),
        ("api", "reqwest", None, "atr-api must not depend on reqwest"),
        (
            "unknown",
            "serde",
            None,
            "atr-unknown has no layer: add a row to tests/architecture/layers.rs",
        ),
    ] {
        assert_eq!(errors(&[package(folder, name, kind)]).join("\n"), expected);
    }
}
