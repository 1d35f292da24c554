//! Packages and targets of the workspace, from `cargo metadata`.
#![expect(missing_docs, reason = "plain data; names and types say it")]

use eyre::{Result, WrapErr};
use serde::Deserialize;

use crate::repository::Repository;

#[derive(Clone, Debug)]
pub struct Workspace {
    /// Packages under `crates/`.
    pub crates: Vec<Package>,
    /// Targets of every package.
    pub targets: Vec<Target>,
}

#[derive(Clone, Debug)]
pub struct Package {
    pub name: String,
    /// Folder under `crates/`.
    pub folder: String,
    pub dependencies: Vec<Dependency>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Dependency {
    pub name: String,
    /// `dev`, `build`, or none for a normal dependency.
    pub kind: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Target {
    /// nextest's name of the binary.
    pub binary_id: String,
    /// Root file, from the repository root.
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
    pub fn read(repository: &Repository) -> Result<Self> {
        Self::parse(&repository.cargo_metadata()?)
    }

    /// Parses the output of `cargo metadata --format-version 1 --no-deps`.
    fn parse(json: &str) -> Result<Self> {
        let metadata: Metadata =
            serde_json::from_str(json).wrap_err("unexpected output of cargo metadata")?;
        let root = format!("{}/", metadata.workspace_root);
        let relative = |path: &str| path.strip_prefix(&root).unwrap_or(path).to_owned();
        let mut workspace = Self {
            crates: Vec::new(),
            targets: Vec::new(),
        };
        for RawPackage {
            name,
            manifest_path,
            dependencies,
            targets,
        } in metadata.packages
        {
            workspace
                .targets
                .extend(targets.iter().map(|target| Target {
                    binary_id: target.binary_id(&name),
                    root: relative(&target.src_path),
                }));
            let manifest = relative(&manifest_path);
            let folder = manifest
                .strip_prefix("crates/")
                .and_then(|path| path.strip_suffix("/Cargo.toml"));
            if let Some(folder) = folder {
                let folder = folder.to_owned();
                workspace.crates.push(Package {
                    name,
                    folder,
                    dependencies,
                });
            }
        }
        Ok(workspace)
    }
}

impl RawTarget {
    fn binary_id(&self, package: &str) -> String {
        match self.kind.first().map_or("lib", String::as_str) {
            "test" => format!("{package}::{}", self.name),
            kind @ ("bin" | "bench" | "example") => format!("{package}::{kind}/{}", self.name),
            _ => package.to_owned(),
        }
    }
}
