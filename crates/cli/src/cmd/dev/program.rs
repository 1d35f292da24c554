//! Programs that run beside `atr`.

use std::{ffi::OsStr, path::Path, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
    time::timeout,
};

/// Ends the program when standard input is closed. The operating system closes it when `atr` is killed, so nothing is left behind.
const SUPERVISOR: &str =
    r#""$@" & program=$!; exec >/dev/null 2>&1; cat >/dev/null; kill "$program"; wait "$program""#;

/// Time to become ready, and time to end.
const START_TIMEOUT: Duration = Duration::from_secs(30);
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// A running program. It ends when this value is dropped.
#[derive(Debug)]
pub(super) struct Program {
    supervisor: Child,
    stdin: ChildStdin,
    /// Reads the output, so that the program does not block. Ends with the program.
    output: JoinHandle<()>,
}

impl Program {
    /// Starts a program and waits for the line that `ready` recognizes. `None` if the program ends before, or takes too long.
    pub(super) async fn start<T>(
        command: &[&OsStr],
        directory: &Path,
        variables: &[(&str, &str)],
        ready: impl Fn(&str) -> Option<T>,
    ) -> std::io::Result<Option<(Self, T)>> {
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISOR, "sh"])
            .args(command)
            .current_dir(directory)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C is for `atr`, which ends the program after the requests in progress.
            .process_group(0)
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (supervisor.stdin.take(), supervisor.stdout.take())
        else {
            return Ok(None);
        };
        let mut lines = BufReader::new(stdout).lines();
        let found = timeout(START_TIMEOUT, find(&mut lines, ready)).await;
        let Some(found) = found.ok().flatten() else {
            return Ok(None);
        };
        let output =
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let program = Self {
            supervisor,
            stdin,
            output,
        };
        Ok(Some((program, found)))
    }

    /// Returns when the program has ended.
    pub(super) async fn ended(&mut self) {
        let _ = (&mut self.output).await;
    }

    pub(super) async fn stop(self) {
        let Self {
            mut supervisor,
            stdin,
            ..
        } = self;
        drop(stdin);
        let _ = timeout(STOP_TIMEOUT, supervisor.wait()).await;
    }
}

async fn find<T>(
    lines: &mut Lines<BufReader<ChildStdout>>,
    ready: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(found) = ready(&line) {
            return Some(found);
        }
    }
    None
}
