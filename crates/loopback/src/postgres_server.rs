//! A PostgreSQL server.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

/// Crashes of the process lose nothing; a power failure would, because `fsync` is off.
///
/// A PostgreSQL server of its own, on a socket in a temporary folder. Needs the binaries of Debian's package.
#[derive(Debug)]
pub struct PostgresServer {
    /// URL of the server.
    pub url: String,
    folder: TempDir,
}

impl PostgresServer {
    /// Creates an empty database and starts a server.
    #[must_use]
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // PostgreSQL does not run as root.
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(folder.path()));
        }
        let data = folder.path().join("data");
        run(postgres("initdb")
            .args(["--auth=trust", "--username=atr", "--no-sync", "--pgdata"])
            .arg(&data));
        let socket = folder.path().display();
        let server = Self {
            url: format!("postgres://atr@localhost/postgres?host={socket}"),
            folder,
        };
        server.control(&["start"]);
        server
    }

    /// Adds an empty database; its URL has its name instead of `postgres`.
    pub fn create_database(&self, name: &str) {
        run(postgres("createdb")
            .args(["--username=atr", "--host"])
            .arg(self.folder.path())
            .arg(name));
    }

    /// The result of a statement: a line for each row.
    #[must_use]
    pub fn query(&self, sql: &str) -> String {
        let output = self.psql().args(["--command", sql]).output().unwrap();
        assert!(output.status.success(), "{sql}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Runs a statement in a transaction that ends when the result is dropped: it keeps the locks of the statement.
    #[must_use]
    pub fn hold(&self, sql: &str) -> PostgresTransaction {
        let mut command = self.psql();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut session = command.spawn().unwrap();
        let mut input = session.stdin.take().unwrap();
        writeln!(input, "BEGIN; {sql};\n\\echo held").unwrap();
        let lines = BufReader::new(session.stdout.take().unwrap()).lines();
        let held = lines.map_while(Result::ok).any(|line| line == "held");
        assert!(held, "{sql}");
        PostgresTransaction {
            session,
            input: Some(input),
        }
    }

    fn psql(&self) -> Command {
        let mut command = postgres("psql");
        command
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--set", "ON_ERROR_STOP=1", "--username=atr", "--host"])
            .arg(self.folder.path())
            .arg("--dbname=postgres");
        command
    }

    /// Stops without writing anything, and starts again.
    pub fn crash(&self) {
        self.control(&["stop", "--mode=immediate"]);
        self.control(&["start"]);
    }

    fn control(&self, action: &[&str]) {
        let folder = self.folder.path();
        let options = format!("-c listen_addresses= -c fsync=off -k {}", folder.display());
        run(postgres("pg_ctl")
            .args(["--wait", "--silent", "--pgdata"])
            .arg(folder.join("data"))
            .arg("--log")
            .arg(folder.join("log"))
            .args(["--options", &options])
            .args(action));
    }
}

/// A transaction that waits.
#[derive(Debug)]
pub struct PostgresTransaction {
    session: Child,
    input: Option<std::process::ChildStdin>,
}

impl Drop for PostgresTransaction {
    fn drop(&mut self) {
        // The end of its input ends the session.
        self.input.take();
        let _ = self.session.wait();
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.control(&["stop", "--mode=immediate"]);
    }
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// A command of PostgreSQL, as a user that may run it.
fn postgres(name: &str) -> Command {
    let installed = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let mut versions: Vec<PathBuf> = installed.map(|entry| entry.unwrap().path()).collect();
    versions.sort();
    let program = versions.last().map_or_else(
        || Path::new(name).to_owned(),
        |version| version.join("bin").join(name),
    );
    if is_root() {
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    }
}

fn run(command: &mut Command) {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.status().expect("PostgreSQL is installed");
    assert!(status.success(), "{command:?}");
}
