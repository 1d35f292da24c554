use std::{
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// A temporary working directory and the environment variables of a test.
pub(crate) struct Atr {
    directory: TempDir,
    variables: Vec<(&'static str, std::ffi::OsString)>,
}

impl Atr {
    pub(crate) fn new() -> Self {
        Self {
            directory: TempDir::new().unwrap(),
            variables: Vec::new(),
        }
    }

    pub(crate) fn with_file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn with_variable(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name, value.as_ref().to_owned()));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_in(self.directory.path(), args)
    }

    pub(crate) fn command_in(&self, directory: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_atr"));
        command
            .args(args)
            .current_dir(directory)
            .env_clear()
            .env("ATR_STATE_DIR", self.path("state"))
            .envs(self.variables.iter().cloned());
        command
    }

    pub(crate) fn output(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Exit code, stdout and stderr; the path of the temporary directory is replaced.
    pub(crate) fn transcript(&self, args: &[&str]) -> String {
        self.transcript_of(&self.output(args))
    }

    pub(crate) fn transcript_of(&self, output: &Output) -> String {
        let text = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().to_owned();
        let directory = self.directory.path().canonicalize().unwrap();
        format!(
            "exit code: {}\n--- stdout ---\n{}--- stderr ---\n{}",
            output.status.code().unwrap(),
            text(&output.stdout),
            text(&output.stderr)
        )
        .replace(directory.to_str().unwrap(), "<directory>")
    }
}

/// Parses the JSON output of a command. Every document says the outcome, and every key is camelCase.
#[track_caller]
pub(crate) fn parse_json(stdout: &[u8], code: i32) -> Value {
    let report: Value = serde_json::from_slice(stdout).unwrap();
    let outcome = ["success", "failure", "usage-error", "unknown"][usize::try_from(code).unwrap()];
    assert_eq!(report["outcome"], outcome);
    assert_camel_case(&report);
    report
}

#[track_caller]
fn assert_camel_case(value: &Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let is_camel_case = name.starts_with(|first: char| first.is_ascii_lowercase())
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
                assert!(is_camel_case, "{name}");
                // The keys are URLs.
                if name != "duplicates" {
                    assert_camel_case(member);
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(assert_camel_case),
        _ => {}
    }
}

/// Starts a server and reads the JSON document that it prints when it listens. Its standard error stays a pipe.
#[track_caller]
pub(crate) fn start_server(command: &mut Command) -> (Child, Value) {
    let mut process = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(process.stdout.take().unwrap());
    let mut document = String::new();
    while !document.ends_with("\n}\n") {
        if stdout.read_line(&mut document).unwrap() == 0 {
            let mut error = String::new();
            let _ = process.stderr.take().unwrap().read_to_string(&mut error);
            panic!("the server did not start: {document}{error}");
        }
    }
    (process, serde_json::from_str(&document).unwrap())
}
