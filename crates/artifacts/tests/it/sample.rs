use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use atr_artifacts::{Compilation, CompilerSettings, compile};
use tempfile::TempDir;

/// One contract of every kind, with an inherited immutable.
const SOURCES: [(&str, &str); 4] = [
    (
        "interfaces/ISample.sol",
        "interface ISample { function answer() external view returns (uint256); }
         interface IMarker { function marker() external; }",
    ),
    ("interfaces/external/IOther.sol", "interface IOther { function other() external; }"),
    (
        "base/Base.sol",
        "abstract contract Base { uint256 internal immutable SEED; constructor(uint256 seed) { SEED = seed; } }",
    ),
    (
        "Sample.sol",
        "import { ISample } from \"./interfaces/ISample.sol\";
         import { Base } from \"./base/Base.sol\";
         library DoubleLib { function twice(uint256 x) internal pure returns (uint256) { return 2 * x; } }
         contract Sample is ISample, Base {
             constructor(uint256 seed) Base(seed) {}
             function answer() external view returns (uint256) { return DoubleLib.twice(SEED); }
         }",
    ),
];

pub(crate) struct SampleRepository {
    folder: TempDir,
}

impl SampleRepository {
    pub(crate) fn new() -> Self {
        let sample = Self {
            folder: TempDir::new().unwrap(),
        };
        sample.write_settings(&pinned_compiler().display().to_string());
        for (file, source) in SOURCES {
            sample.write_source(file, source);
        }
        sample
    }

    pub(crate) fn compile(&self) -> Compilation {
        compile(&CompilerSettings::read(self.root()).unwrap()).unwrap()
    }

    pub(crate) fn write_settings(&self, solc: &str) {
        let settings = format!(
            "[profile.default]\nsrc = \"src\"\ntest = \"test\"\nremappings = []\nsolc = \"{solc}\"\nevm_version = \"cancun\"\noptimizer = true\n\
             optimizer_runs = 200\nvia_ir = false\nbytecode_hash = \"none\"\ncbor_metadata = false\n\
             use_literal_content = true\n"
        );
        fs::write(self.root().join("foundry.toml"), settings).unwrap();
    }

    pub(crate) fn write_source(&self, file: &str, source: &str) {
        let path = self.root().join("src").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(
            path,
            format!("// SPDX-License-Identifier: CC0-1.0\npragma solidity ^0.8.0;\n{source}\n"),
        )
        .unwrap();
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn artifact(&self, name: &str) -> PathBuf {
        self.root()
            .join("crates/bindings/artifacts")
            .join(format!("{name}.json"))
    }

    /// Runs the binary inside the repository.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_atr-artifacts"))
            .args(args)
            .current_dir(self.root())
            .output()
            .unwrap()
    }
}

fn pinned_compiler() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../script/dev/solc")
        .canonicalize()
        .unwrap()
}
