//! Compiler settings, read from `foundry.toml`, so that forge and this crate always use the same.

use std::{
    fs,
    path::{Path, PathBuf},
};

use foundry_compilers::artifacts::{
    BytecodeHash, EvmVersion, Optimizer, Settings, SettingsMetadata,
    output_selection::OutputSelection, remappings::Remapping,
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::Error;

/// Keys of `[profile.default]` that affect bytecode. All are required.
const AFFECTS_BYTECODE: [&str; 9] = [
    "src",
    "solc",
    "evm_version",
    "optimizer",
    "optimizer_runs",
    "via_ir",
    "bytecode_hash",
    "cbor_metadata",
    "use_literal_content",
];

/// Keys that do not affect the bytecode of `src`.
///
/// `remappings` and `libs` are included because `src` must not import from other folders: they are not passed to the compiler,
/// except remappings for the mocks. `additional_compiler_profiles` and `compilation_restrictions` apply to tests; if they applied
/// to `src`, forge's artifacts would differ from ours, which a test detects.
const DOES_NOT_AFFECT_BYTECODE: [&str; 39] = [
    "additional_compiler_profiles",
    "allow_paths",
    "auto_detect_remappings",
    "bind_json",
    "broadcast",
    "build_info",
    "cache",
    "cache_path",
    "compilation_restrictions",
    "deny",
    "deny_warnings",
    "doc",
    "dynamic_test_linking",
    "ffi",
    "fmt",
    "force",
    "fs_permissions",
    "fuzz",
    "gas_reports",
    "gas_reports_ignore",
    "gas_snapshot_check",
    "gas_snapshot_emit",
    "ignored_error_codes",
    "ignored_warnings_from",
    "invariant",
    "isolate",
    "libs",
    "lint",
    "offline",
    "out",
    "remappings",
    "rpc_endpoints",
    "script",
    "show_progress",
    "snapshots",
    "test",
    "test_failures_file",
    "threads",
    "verbosity",
];

/// Sources, compiler and settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerSettings {
    /// Folder of `foundry.toml`.
    pub root: PathBuf,
    /// Source folder, relative to the root.
    pub src: PathBuf,
    /// Test folder, relative to the root.
    pub test: PathBuf,
    /// Import remappings of the tests and mocks.
    pub remappings: Vec<Remapping>,
    /// Path of the compiler, relative to the root.
    pub solc: PathBuf,
    /// Target hard fork.
    pub evm_version: EvmVersion,
    /// Whether the optimizer is enabled.
    pub optimizer: bool,
    /// Expected executions of each opcode.
    pub optimizer_runs: usize,
    /// Whether to use the IR pipeline.
    pub via_ir: bool,
    /// Hash type of the appended metadata.
    pub bytecode_hash: BytecodeHash,
    /// Whether metadata is appended to the code.
    pub cbor_metadata: bool,
    /// Whether the metadata contains the sources.
    pub use_literal_content: bool,
}

impl CompilerSettings {
    /// Reads `[profile.default]` of the `foundry.toml` in `root`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or parsed, or a key is missing, unknown or invalid.
    pub fn read(root: &Path) -> Result<Self, Error> {
        let path = root.join("foundry.toml");
        let text = fs::read_to_string(&path).map_err(|source| Error::Read {
            path: path.clone(),
            source,
        })?;
        Self::parse(root, &text)
    }

    fn parse(root: &Path, text: &str) -> Result<Self, Error> {
        // Errors use the path relative to the root.
        let path = PathBuf::from("foundry.toml");
        let document = DeTable::parse(text).map_err(|error| Error::Toml {
            path: path.clone(),
            line: line_of(text, error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        let profile = document
            .get_ref()
            .get("profile")
            .and_then(|profiles| profiles.get_ref().get("default"))
            .and_then(|profile| profile.get_ref().as_table())
            .ok_or(Error::MissingSetting {
                path: path.clone(),
                key: "src",
            })?;

        for key in profile.keys() {
            let name = key.get_ref().as_ref();
            if !AFFECTS_BYTECODE.contains(&name) && !DOES_NOT_AFFECT_BYTECODE.contains(&name) {
                return Err(Error::UnknownSetting {
                    path,
                    line: line_of(text, key.span().start),
                    key: name.to_owned(),
                });
            }
        }

        let profile = Profile {
            path,
            text,
            table: profile,
        };
        Ok(Self {
            root: root.to_owned(),
            src: profile.read("src", "the path of a folder", |value| {
                value.as_str().map(Into::into)
            })?,
            test: profile.read("test", "the path of a folder", |value| {
                value.as_str().map(Into::into)
            })?,
            remappings: profile.read("remappings", "a list of `prefix=path`", |value| {
                let entries = value.as_array()?.iter();
                entries
                    .map(|entry| entry.get_ref().as_str()?.parse().ok())
                    .collect()
            })?,
            // With a version number, forge would download a native compiler.
            solc: profile.read("solc", "the path of a compiler", |value| {
                value
                    .as_str()
                    .filter(|path| path.contains('/'))
                    .map(Into::into)
            })?,
            evm_version: profile.read("evm_version", "a hard fork known to solc", |value| {
                value.as_str()?.parse().ok()
            })?,
            optimizer: profile.read_flag("optimizer")?,
            optimizer_runs: profile.read("optimizer_runs", "a whole number", |value| {
                let number = value.as_integer()?;
                usize::from_str_radix(number.as_str(), number.radix()).ok()
            })?,
            via_ir: profile.read_flag("via_ir")?,
            bytecode_hash: profile.read(
                "bytecode_hash",
                "\"none\", \"ipfs\" or \"bzzr1\"",
                |value| value.as_str()?.parse().ok(),
            )?,
            cbor_metadata: profile.read_flag("cbor_metadata")?,
            use_literal_content: profile.read_flag("use_literal_content")?,
        })
    }

    /// The settings for solc, without output selection.
    pub(crate) fn to_solc(&self) -> Settings {
        Settings {
            optimizer: Optimizer {
                enabled: Some(self.optimizer),
                runs: Some(self.optimizer_runs),
                details: None,
            },
            metadata: Some(SettingsMetadata {
                use_literal_content: Some(self.use_literal_content),
                bytecode_hash: Some(self.bytecode_hash),
                cbor_metadata: Some(self.cbor_metadata),
            }),
            evm_version: Some(self.evm_version),
            via_ir: Some(self.via_ir),
            output_selection: OutputSelection::default(),
            ..Settings::default()
        }
    }
}

/// `[profile.default]` with the context for errors.
struct Profile<'a> {
    path: PathBuf,
    text: &'a str,
    table: &'a DeTable<'a>,
}

impl Profile<'_> {
    fn read_flag(&self, key: &'static str) -> Result<bool, Error> {
        self.read(key, "true or false", |value| value.as_bool())
    }

    fn read<T>(
        &self,
        key: &'static str,
        expected: &'static str,
        convert: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> Result<T, Error> {
        let value: &Spanned<DeValue<'_>> =
            self.table.get(key).ok_or_else(|| Error::MissingSetting {
                path: self.path.clone(),
                key,
            })?;
        convert(value.get_ref()).ok_or_else(|| Error::InvalidSetting {
            path: self.path.clone(),
            line: line_of(self.text, value.span().start),
            key,
            expected,
        })
    }
}

/// Line number of a byte offset, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text
        .bytes()
        .take(offset)
        .filter(|byte| *byte == b'\n')
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETE: &str = r#"
[profile.default]
src = "contracts/src"
solc = "script/dev/solc"
evm_version = "cancun"
optimizer = true
optimizer_runs = 1_000_000
via_ir = true
bytecode_hash = "none"
cbor_metadata = false
use_literal_content = true
test = "contracts/test"
remappings = ["mocks/=contracts/test/mocks/"]
"#;

    fn message(text: &str) -> String {
        CompilerSettings::parse(Path::new("."), text)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn reads_all_settings_that_affect_bytecode() {
        let settings = CompilerSettings::parse(Path::new("root"), COMPLETE).unwrap();
        assert_eq!(
            settings,
            CompilerSettings {
                root: "root".into(),
                src: "contracts/src".into(),
                test: "contracts/test".into(),
                remappings: vec!["mocks/=contracts/test/mocks/".parse().unwrap()],
                solc: "script/dev/solc".into(),
                evm_version: EvmVersion::Cancun,
                optimizer: true,
                optimizer_runs: 1_000_000,
                via_ir: true,
                bytecode_hash: BytecodeHash::None,
                cbor_metadata: false,
                use_literal_content: true,
            }
        );
    }

    #[test]
    fn reports_missing_settings() {
        for key in AFFECTS_BYTECODE {
            let without: String = COMPLETE
                .lines()
                .filter(|line| !line.starts_with(&format!("{key} =")))
                .map(|line| format!("{line}\n"))
                .collect();
            assert!(
                without.len() < COMPLETE.len(),
                "{key} was not in the sample"
            );
            assert!(
                message(&without).contains(&format!("`{key}` is missing")),
                "{key}"
            );
        }
    }

    #[test]
    fn rejects_unknown_settings_with_their_line() {
        let message = message(&format!("{COMPLETE}revert_strings = \"strip\"\n"));
        assert!(
            message.starts_with("foundry.toml:14: unknown setting `revert_strings`"),
            "{message}"
        );
    }

    #[test]
    fn rejects_invalid_values_with_their_line() {
        for (right, wrong, expected) in [
            (
                "true\noptimizer_runs",
                "1\noptimizer_runs",
                "foundry.toml:6: `optimizer` must be true or false",
            ),
            (
                "1_000_000",
                "-1",
                "foundry.toml:7: `optimizer_runs` must be a whole number",
            ),
            (
                "cancun",
                "canton",
                "foundry.toml:5: `evm_version` must be a hard fork known to solc",
            ),
            (
                "script/dev/solc",
                "0.8.37",
                "foundry.toml:4: `solc` must be the path of a compiler",
            ),
        ] {
            assert_eq!(message(&COMPLETE.replace(right, wrong)), expected);
        }
    }

    #[test]
    fn reports_the_line_of_invalid_toml() {
        assert!(message("[profile.default]\nsrc = \n").starts_with("foundry.toml:2: invalid TOML"));
    }

    #[test]
    fn no_setting_is_in_both_lists() {
        for key in AFFECTS_BYTECODE {
            assert!(!DOES_NOT_AFFECT_BYTECODE.contains(&key), "{key}");
        }
    }
}
