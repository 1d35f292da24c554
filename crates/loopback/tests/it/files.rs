use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use crate::client::get;

#[test]
fn a_folder_is_served_and_read_afresh() {
    let folder = tempfile::tempdir().unwrap();
    let ca = folder.path().join("ca.pem");
    let files = folder.path().join("files");
    fs::create_dir(&files).unwrap();
    let mut process = Command::new(env!("CARGO_BIN_EXE_tls-files"))
        .args(["--folder", files.to_str().unwrap()])
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
    let ask = |path| get(&pem, "localhost", port, path).unwrap();
    assert!(ask("/x.json").starts_with("HTTP/1.1 404 "));
    for text in ["one", "two"] {
        fs::write(files.join("x.json"), text).unwrap();
        assert!(ask("/x.json").ends_with(&format!("\r\n\r\n{text}")));
    }
    assert!(ask("/../ca.pem").starts_with("HTTP/1.1 404 "));
    process.kill().unwrap();
    process.wait().unwrap();
}
