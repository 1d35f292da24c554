//! The contracts as other settings of the compiler make them.

use std::process::Command;

use atr_harness::CodeSource;
use eyre::{Result, WrapErr, ensure};

use crate::{repository::Repository, surroundings};

/// A way through the compiler that is not the one we ship.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// Without the intermediate language, optimised.
    Legacy,
    /// Without the intermediate language, every statement as it stands.
    LegacyUnoptimized,
    /// Through the intermediate language, every statement as it stands.
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

    /// Builds the contracts, if that was not done before, under `target/differential`.
    ///
    /// # Errors
    ///
    /// When there is no forge, or it cannot compile them.
    pub fn build(self) -> Result<CodeSource> {
        let repository = Repository::here();
        let folder = format!("target/differential/{}", self.folder());
        let forge = repository.program(&surroundings::forge());
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
