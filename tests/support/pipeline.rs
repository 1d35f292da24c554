//! Builds of the contracts with other compiler settings.

use std::process::Command;

use atr_harness::CodeSource;
use eyre::{Result, WrapErr, ensure};

use crate::repository::Repository;

/// A compiler pipeline other than the shipped one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// Legacy code generation, optimised.
    Legacy,
    /// Legacy code generation, not optimised.
    LegacyUnoptimized,
    /// Code generation via Yul, not optimised.
    IrUnoptimized,
}

impl Pipeline {
    const fn folder(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::LegacyUnoptimized => "legacy-unoptimized",
            Self::IrUnoptimized => "ir-unoptimized",
        }
    }

    /// Builds the contracts under `target/differential`, unless they are up to date.
    ///
    /// # Errors
    ///
    /// When forge is missing or fails.
    pub fn build(self) -> Result<CodeSource> {
        let repository = Repository::here();
        let folder = format!("target/differential/{}", self.folder());
        let forge = atr_loopback::binary("FORGE", "forge");
        let built = Command::new(&forge)
            .args(["build", "contracts/src"])
            .current_dir(repository.root())
            .env("FOUNDRY_OUT", format!("{folder}/out"))
            .env("FOUNDRY_CACHE_PATH", format!("{folder}/cache"))
            .env("FOUNDRY_VIA_IR", (self == Self::IrUnoptimized).to_string())
            .env("FOUNDRY_OPTIMIZER", (self == Self::Legacy).to_string())
            .output()
            .wrap_err_with(|| format!("could not start {}: run `make deps`", forge.display()))?;
        ensure!(
            built.status.success(),
            "forge could not build {folder}:\n{}",
            String::from_utf8_lossy(&built.stderr)
        );
        Ok(CodeSource::Folder(
            repository.root().join(folder).join("out"),
        ))
    }
}
