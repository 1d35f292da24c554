use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{atr::Atr, help::commands};

#[test]
fn prints_the_page_of_atr() {
    let page = Atr::new().transcript(&["man"]);
    assert!(page.starts_with("exit code: 0\n"), "{page}");
    for text in [".TH atr 1", "Exit codes:", "atr\\-config(1)"] {
        assert!(page.contains(text), "{text}: {page}");
    }
}

#[test]
fn prints_the_page_of_a_command() {
    assert_snapshot!(Atr::new().transcript(&["man", "config", "get"]));
}

/// File names of the pages of `atr` and all its commands.
fn pages() -> Vec<String> {
    let mut pages: Vec<_> = commands()
        .iter()
        .map(|words| {
            let name = [&["atr".to_owned()], words.as_slice()].concat().join("-");
            format!("{name}.1")
        })
        .collect();
    pages.sort();
    pages
}

#[test]
fn writes_a_page_for_every_command() {
    let atr = Atr::new();
    let output = atr.output(&["man", "--dir", "share/man1"]);
    let expected: String = pages()
        .iter()
        .map(|page| format!("share/man1/{page}\n"))
        .collect();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    let page = fs::read_to_string(atr.path("share/man1/atr-config-get.1")).unwrap();
    assert_eq!(
        page.into_bytes(),
        Atr::new().output(&["man", "config", "get"]).stdout
    );
}

#[test]
fn prints_written_files_as_json() {
    let output = Atr::new().output(&["man", "--dir", ".", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected: Vec<_> = pages().iter().map(|page| format!("./{page}")).collect();
    assert_eq!(report, json!({ "outcome": "success", "files": expected }));
}

#[test]
fn rejects_an_unknown_command() {
    assert_snapshot!(Atr::new().transcript(&["man", "confg"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: unknown command `confg`; did you mean `config`?
    ");
    assert_snapshot!(Atr::new().transcript(&["man", "zzz"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: unknown command `zzz`; available: deploy, manifest, tool, access, predicate, verify, gate, call, ledger, dev, card, index, search, serve, mcp, config, completions, man
    ");
    assert_snapshot!(Atr::new().transcript(&["man", "man", "zzz"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: unknown command `zzz`; it has no subcommands
    ");
}

#[test]
fn exits_with_3_if_the_directory_cannot_be_created() {
    let atr = Atr::new().with_file("file", "");
    assert_snapshot!(atr.transcript(&["man", "--dir", "file/man1"]), @r"
    exit code: 3
    --- stdout ---
    --- stderr ---
    error: file/man1: cannot write
      caused by: Not a directory (os error 20)
    ");
    assert_snapshot!(atr.transcript(&["man", "--dir", "file/man1", "--json"]), @r#"
    exit code: 3
    --- stdout ---
    {"outcome":"unknown","error":{"message":"file/man1: cannot write","causes":["Not a directory (os error 20)"]}}
    --- stderr ---
    "#);
}
