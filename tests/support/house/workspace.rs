//! The packages of the workspace, as `cargo metadata` tells them.

use eyre::{Result, WrapErr};
use serde::Deserialize;
use serde_json::Value;

/// The workspace's own packages and what they build.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Packages under `crates/`.
    pub crates: Vec<Package>,
    /// Everything that can hold tests, of every package.
    pub targets: Vec<Target>,
}

/// A package under `crates/`.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder under `crates/`.
    pub folder: String,
    /// `package.metadata.house.floor` as written, if it is.
    pub floor: Option<Value>,
    /// What it depends on.
    pub dependencies: Vec<Dependency>,
}

/// An edge to another package.
#[derive(Clone, Debug, Deserialize)]
pub struct Dependency {
    /// Package on the other end.
    pub name: String,
    /// `dev`, `build`, or none for a normal dependency.
    pub kind: Option<String>,
    /// Where it stands if it is one of ours.
    pub path: Option<String>,
}

impl Dependency {
    /// Whether only tests and examples see it.
    pub fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }
}

/// A compiled unit that can hold tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name nextest gives to its binary.
    pub suite: String,
    /// Its root file, from the repository's root.
    pub root: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<RawPackage>,
    workspace_root: String,
}

#[derive(Deserialize)]
struct RawPackage {
    name: String,
    manifest_path: String,
    metadata: Option<Value>,
    dependencies: Vec<Dependency>,
    targets: Vec<RawTarget>,
}

#[derive(Deserialize)]
struct RawTarget {
    kind: Vec<String>,
    name: String,
    src_path: String,
}

impl Workspace {
    /// Reads the output of `cargo metadata --format-version 1 --no-deps`.
    pub fn parse(json: &str) -> Result<Self> {
        let metadata: Metadata =
            serde_json::from_str(json).wrap_err("cargo metadata is not as expected")?;
        let root = format!("{}/", metadata.workspace_root.replace('\\', "/"));
        let from_root = |path: &str| {
            let path = path.replace('\\', "/");
            path.strip_prefix(&root).unwrap_or(&path).to_owned()
        };
        let mut workspace = Self {
            crates: Vec::new(),
            targets: Vec::new(),
        };
        for package in metadata.packages {
            workspace
                .targets
                .extend(package.targets.iter().map(|target| Target {
                    suite: target.suite(&package.name),
                    root: from_root(&target.src_path),
                }));
            let manifest = from_root(&package.manifest_path);
            let folder = manifest
                .strip_prefix("crates/")
                .and_then(|rest| rest.split_once('/'));
            if let Some((folder, _)) = folder {
                let floor = package
                    .metadata
                    .as_ref()
                    .and_then(|metadata| metadata.pointer("/house/floor"));
                workspace.crates.push(Package {
                    floor: floor.cloned(),
                    folder: folder.to_owned(),
                    name: package.name,
                    dependencies: package.dependencies,
                });
            }
        }
        Ok(workspace)
    }
}

impl RawTarget {
    /// nextest's binary ids: the package for a library, `package::name` for a test, `package::kind/name` otherwise.
    fn suite(&self, package: &str) -> String {
        match self.kind.first().map_or("lib", String::as_str) {
            "test" => format!("{package}::{}", self.name),
            kind @ ("bin" | "bench" | "example") => format!("{package}::{kind}/{}", self.name),
            _ => package.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: &str = r#"{
        "workspace_root": "/somewhere/atr",
        "packages": [
            {
                "name": "atr-cli",
                "manifest_path": "/somewhere/atr/crates/cli/Cargo.toml",
                "metadata": { "house": { "floor": 6 } },
                "dependencies": [
                    { "name": "atr-ids", "kind": null, "path": "/somewhere/atr/crates/ids" },
                    { "name": "insta", "kind": "dev" }
                ],
                "targets": [
                    { "kind": ["lib"], "name": "atr_cli", "src_path": "/somewhere/atr/crates/cli/src/lib.rs" },
                    { "kind": ["bin"], "name": "atr", "src_path": "/somewhere/atr/crates/cli/src/main.rs" },
                    { "kind": ["test"], "name": "it", "src_path": "/somewhere/atr/crates/cli/tests/it/main.rs" }
                ]
            },
            {
                "name": "acceptance",
                "manifest_path": "/somewhere/atr/tests/Cargo.toml",
                "metadata": null,
                "dependencies": [],
                "targets": [
                    { "kind": ["test"], "name": "e2e", "src_path": "/somewhere/atr/tests/e2e/main.rs" }
                ]
            }
        ]
    }"#;

    #[test]
    fn crates_are_read_with_their_floor_and_edges() {
        let workspace = Workspace::parse(METADATA).unwrap();
        assert_eq!(workspace.crates.len(), 1);
        let cli = &workspace.crates[0];
        assert_eq!((cli.name.as_str(), cli.folder.as_str()), ("atr-cli", "cli"));
        assert_eq!(cli.floor, Some(Value::from(6)));
        assert!(cli.dependencies[0].path.is_some() && !cli.dependencies[0].is_dev());
        assert!(cli.dependencies[1].path.is_none() && cli.dependencies[1].is_dev());
    }

    #[test]
    fn targets_carry_the_names_nextest_gives_them() {
        let targets = Workspace::parse(METADATA).unwrap().targets;
        let suites: Vec<_> = targets.iter().map(|target| target.suite.as_str()).collect();
        assert_eq!(
            suites,
            [
                "atr-cli",
                "atr-cli::bin/atr",
                "atr-cli::it",
                "acceptance::e2e"
            ]
        );
        assert_eq!(targets[3].root, "tests/e2e/main.rs");
    }

    #[test]
    fn other_json_is_refused() {
        assert!(Workspace::parse("{}").is_err());
    }
}
