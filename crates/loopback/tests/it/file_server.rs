use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use crate::client::get;

#[test]
fn serves_a_directory_and_reads_files_again_for_every_request() {
    let directory = tempfile::tempdir().unwrap();
    let ca = directory.path().join("ca.pem");
    let files = directory.path().join("files");
    fs::create_dir(&files).unwrap();
    let mut process = Command::new(env!("CARGO_BIN_EXE_https-file-server"))
        .args(["--dir", files.to_str().unwrap()])
        .args(["--ca-out", ca.to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(process.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let port = line.trim_end().strip_prefix("https://localhost:").unwrap();
    let port = port.parse().unwrap();
    let pem = fs::read_to_string(&ca).unwrap();
    let request = |path| get(&pem, "localhost", port, path).unwrap();
    assert!(request("/x.json").starts_with("HTTP/1.1 404 "));
    for text in ["one", "two"] {
        fs::write(files.join("x.json"), text).unwrap();
        assert!(request("/x.json").ends_with(&format!("\r\n\r\n{text}")));
    }
    assert!(request("/../ca.pem").starts_with("HTTP/1.1 404 "));
    process.kill().unwrap();
    process.wait().unwrap();
}
