use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::json;

use crate::atr::{Atr, parse_json};

#[test]
fn version_includes_the_creation_code_hash() {
    let transcript = Atr::new().transcript(&["--version"]);
    let hash = atr_bindings::TOOL_REGISTRY.creation_hash().to_string();
    assert_snapshot!(transcript.replace(&hash, "<hash>"), @r"
    exit code: 0
    --- stdout ---
    atr 0.1.0
    standard: ERC-8257
    ToolRegistry: creation code <hash>
    --- stderr ---
    ");
    assert!(transcript.contains(&hash));
}

#[test]
fn short_version_is_one_line() {
    assert_eq!(
        Atr::new().output(&["-V"]).stdout,
        format!("atr {}\n", env!("CARGO_PKG_VERSION")).into_bytes()
    );
}

#[test]
fn usage_errors_go_to_stderr_with_exit_code_2() {
    assert_snapshot!("unknown_command", Atr::new().transcript(&["cofnig"]));
    assert_snapshot!("command_of_a_group", Atr::new().transcript(&["register"]));
    assert_snapshot!(
        "unknown_flag",
        Atr::new().transcript(&["--jsno", "config", "show"])
    );
    assert_snapshot!(
        "verbose_and_quiet",
        Atr::new().transcript(&["-v", "-q", "config", "show"])
    );
}

#[test]
fn usage_errors_fit_the_terminal() {
    let atr = Atr::new().with_variable("COLUMNS", "80");
    let transcript = atr.transcript(&["predicate", "set-trait", "1"]);
    for line in transcript.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(!transcript.contains("For more information"), "{transcript}");
    // Both ways to say who has access.
    let transcript = atr.transcript(&["tool", "set-predicate", "1"]);
    assert!(transcript.contains("--gate"), "{transcript}");
    let limit = atr.transcript(&["tool", "list", "--limit", "0"]);
    assert!(limit.contains("use a number of at least 1"), "{limit}");
}

#[test]
fn suggests_what_replaces_a_private_key_flag() {
    let atr = Atr::new();
    let transcript = atr.transcript(&["tool", "pause", "1", "--private-key", "0xSECRET"]);
    assert!(transcript.contains("set ATR_PRIVATE_KEY"), "{transcript}");
    assert!(!transcript.contains("SECRET"), "{transcript}");
    assert!(!transcript.contains("-- --private-key"), "{transcript}");
}

#[test]
fn a_message_is_not_repeated_as_its_cause() {
    let atr = Atr::new().with_variable("ATR_RPC_URL", "http://127.0.0.1:1");
    let transcript = atr.transcript(&["tool", "list"]);
    assert_snapshot!(transcript, @r"
    exit code: 3
    --- stdout ---
    --- stderr ---
    error: cannot connect to 127.0.0.1:1: connection refused
      hint: is the node running? check --rpc-url
    ");
    let missing = atr.transcript(&["tool", "inspect", "foo"]);
    assert_eq!(missing.matches("`foo`").count(), 1, "{missing}");
}

#[test]
fn usage_errors_are_json_with_json() {
    let atr = Atr::new();
    for (args, error, hint) in [
        (
            &["verify", "--al", "--json"][..],
            "unexpected argument '--al' found",
            Some(json!("a similar argument exists: '--all'")),
        ),
        (
            &["check", "--json"],
            "unrecognized subcommand 'check'",
            Some(json!(
                "run 'atr deploy check'; run 'atr access check'; run 'atr gate check'"
            )),
        ),
        (
            &["--json", "verify"],
            "the following required arguments were not provided: <TOOL>...",
            None,
        ),
    ] {
        let output = atr.output(args);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(2), 0));
        let report = parse_json(&output.stdout, 2);
        assert_eq!(report["error"]["message"], error);
        assert_eq!(report["error"].get("hint"), hint.as_ref());
        assert_eq!(report["error"]["causes"], json!([]));
    }
}

#[test]
fn prints_usage_without_a_command() {
    let transcript = Atr::new().transcript(&[]);
    assert!(
        transcript.starts_with("exit code: 2\n--- stdout ---\n--- stderr ---\n"),
        "{transcript}"
    );
    assert!(transcript.contains("Usage: atr"), "{transcript}");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_success() {
    for args in [
        &["--help"][..],
        &["config", "show"],
        &["completions", "bash"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let atr = Atr::new();
        let mut command = atr.command(args);
        let output = command
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), stderr.as_str()),
            (Some(0), ""),
            "{args:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn exits_with_3_if_stdout_cannot_be_written() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let atr = Atr::new();
    let output = atr
        .command(&["config", "show"])
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_snapshot!(atr.transcript_of(&output), @r"
    exit code: 3
    --- stdout ---
    --- stderr ---
    error: cannot write to standard output
      caused by: No space left on device (os error 28)
    ");
}

#[test]
fn uses_colors_in_a_pipe_only_with_always() {
    let has_colors = |atr: Atr, args: &[&str]| atr.output(args).stdout.contains(&0x1b);
    assert!(!has_colors(Atr::new(), &["config", "show"]));
    assert!(has_colors(
        Atr::new(),
        &["config", "show", "--color", "always"]
    ));
    assert!(!has_colors(Atr::new(), &["--help"]));
    assert!(has_colors(Atr::new(), &["--help", "--color=always"]));
    assert!(has_colors(Atr::new(), &["--color", "always", "--help"]));
    assert!(!has_colors(Atr::new(), &["--color", "never", "--help"]));
}

#[test]
fn log_level_follows_flags_and_variable() {
    let stderr = |atr: Atr, args: &[&str]| {
        let output = atr.output(&[args, &["config", "get", "registry"]].concat());
        assert_eq!(output.stdout, b"ours\n");
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(stderr(Atr::new(), &[]), "");
    assert_eq!(stderr(Atr::new(), &["-v"]), "");
    assert!(stderr(Atr::new(), &["-vv"]).contains("settings resolved"));
    assert!(
        stderr(Atr::new().with_variable("ATR_LOG", "debug"), &[]).contains("settings resolved")
    );
    assert!(
        stderr(Atr::new().with_variable("ATR_LOG", "atr_cli=debug"), &[])
            .contains("settings resolved")
    );
    assert_eq!(
        stderr(Atr::new().with_variable("ATR_LOG", "debug"), &["-q"]),
        ""
    );
}

#[cfg(unix)]
#[test]
fn rejects_an_argument_that_is_not_utf8() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let atr = Atr::new();
    let output = atr
        .command(&["config", "get"])
        .arg(OsStr::from_bytes(b"\xff"))
        .output()
        .unwrap();
    assert_snapshot!(atr.transcript_of(&output), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: invalid UTF-8 was detected in one or more arguments

    Usage: atr config get [OPTIONS] <SETTING>
    ");
}
