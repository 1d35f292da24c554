use std::fs;

use insta::assert_snapshot;

use crate::atr::Atr;

const WHOLE_FILE: &str = "\
chain = \"shape\"
rpc-url = \"https://node.example/v2/SECRET\"
registry = \"opensea\"
color = \"never\"
progress = false
log = \"error\"
";

#[test]
fn show_without_any_source_shows_the_defaults() {
    assert_snapshot!(Atr::new().transcript(&["config", "show"]));
}

#[test]
fn show_names_the_line_of_the_file_each_value_comes_from() {
    assert_snapshot!(
        Atr::new()
            .with_file("atr.toml", WHOLE_FILE)
            .transcript(&["config", "show"])
    );
}

#[test]
fn show_in_json_has_the_same_settings_and_sources() {
    let atr = Atr::new()
        .with_file("atr.toml", WHOLE_FILE)
        .with_variable("ATR_CHAIN", "10");
    assert_snapshot!(atr.transcript(&["config", "show", "--json", "--registry", "ours"]));
}

#[test]
fn flag_beats_environment_beats_file_beats_default() {
    let get = |atr: &Atr, args: &[&str]| {
        let args = [args, &["config", "get", "chain"]].concat();
        String::from_utf8(atr.output(&args).stdout).unwrap()
    };
    let atr = Atr::new();
    assert_eq!(get(&atr, &[]), "");
    let atr = atr.with_file("atr.toml", "chain = 360\n");
    assert_eq!(get(&atr, &[]), "shape\n");
    let atr = atr.with_variable("ATR_CHAIN", "base");
    assert_eq!(get(&atr, &[]), "base\n");
    assert_eq!(get(&atr, &["--chain", "1"]), "mainnet\n");
}

#[test]
fn json_can_be_switched_on_by_every_source() {
    let is_json = |atr: &Atr, args: &[&str]| {
        let args = [args, &["config", "get", "registry"]].concat();
        atr.output(&args).stdout.starts_with(b"{")
    };
    assert!(!is_json(&Atr::new(), &[]));
    assert!(is_json(&Atr::new(), &["--json"]));
    assert!(is_json(&Atr::new().with_variable("ATR_JSON", "true"), &[]));
    assert!(is_json(
        &Atr::new().with_file("atr.toml", "json = true\n"),
        &[]
    ));
}

#[test]
fn the_nearest_file_upwards_counts_and_a_named_one_replaces_it() {
    let atr = Atr::new()
        .with_file("atr.toml", "chain = 1\n")
        .with_file("a/b/other.toml", "chain = 10\n");
    let output = |args: &[&str]| {
        let output = atr.command_in(&atr.path("a/b"), args).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(output(&["config", "get", "chain"]), "mainnet\n");
    assert_eq!(
        output(&["--config", "other.toml", "config", "get", "chain"]),
        "10\n"
    );
}

#[test]
fn get_of_a_setting_that_is_not_set_is_no() {
    assert_snapshot!(Atr::new().transcript(&["config", "get", "rpc-url"]), @r"
    exit code: 1
    --- stdout ---
    --- stderr ---
    ");
}

#[test]
fn get_prints_the_whole_url_and_show_does_not() {
    let atr = Atr::new().with_file("atr.toml", WHOLE_FILE);
    assert_snapshot!(atr.transcript(&["config", "get", "rpc-url"]), @r"
    exit code: 0
    --- stdout ---
    https://node.example/v2/SECRET
    --- stderr ---
    ");
    assert!(!atr.transcript(&["config", "show"]).contains("SECRET"));
    assert!(
        !atr.transcript(&["config", "show", "--json", "-vvv"])
            .contains("SECRET")
    );
}

#[test]
fn get_in_json_names_the_source() {
    let atr = Atr::new().with_variable("ATR_REGISTRY", "opensea");
    assert_snapshot!(atr.transcript(&["config", "get", "registry", "--json"]), @r#"
    exit code: 0
    --- stdout ---
    {
      "name": "registry",
      "value": "opensea",
      "source": {
        "kind": "environment",
        "name": "ATR_REGISTRY"
      }
    }
    --- stderr ---
    "#);
}

#[test]
fn get_of_an_unknown_setting_is_misuse() {
    assert_snapshot!(Atr::new().transcript(&["config", "get", "chian"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: invalid value 'chian' for '<SETTING>'
      [possible values: chain, rpc-url, registry, json, color, progress, log]

      tip: a similar value exists: 'chain'

    For more information, try '--help'.
    ");
}

#[test]
fn a_wrong_flag_is_misuse() {
    assert_snapshot!(Atr::new().transcript(&["--chain", "mainet", "config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: invalid value 'mainet' for '--chain <CHAIN>': `mainet` is not a chain; did you mean `mainnet`? use a chain id or one of mainnet, base, base-sepolia, shape, abstract, monad, robinhood, anvil

    For more information, try '--help'.
    ");
    assert_snapshot!(Atr::new().transcript(&["--rpc-url", "localhost:8545", "config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: invalid value 'localhost:8545' for '--rpc-url <URL>': not the URL of a node: it must begin with http://, https://, ws:// or wss://

    For more information, try '--help'.
    ");
    assert_snapshot!(Atr::new().transcript(&["--registry", "0x00", "config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: invalid value '0x00' for '--registry <REGISTRY>': `0x00` is not a registry; use an address, `ours` or `opensea`

    For more information, try '--help'.
    ");
}

#[test]
fn a_wrong_variable_is_misuse() {
    for (name, value) in [
        ("ATR_CHAIN", "mainet"),
        ("ATR_JSON", "yes"),
        ("ATR_COLOR", "sometimes"),
        ("ATR_LOG", "loud"),
    ] {
        let transcript = Atr::new()
            .with_variable(name, value)
            .transcript(&["config", "show"]);
        assert!(transcript.starts_with("exit code: 2\n"), "{transcript}");
        assert!(
            transcript.contains(&format!("environment variable {name}: `{value}` is not")),
            "{transcript}"
        );
    }
}

#[test]
fn mistakes_in_the_file_are_misuse_and_name_file_line_key_and_rule() {
    let show = |content: &[u8]| {
        Atr::new()
            .with_file("atr.toml", content)
            .transcript(&["config", "show"])
    };
    assert_snapshot!(
        "unknown_key",
        show(b"chain = 1\nrpc_url = 'http://localhost'\n")
    );
    assert_snapshot!("wrong_type", show(b"json = 'true'\n"));
    assert_snapshot!(
        "broken_rule",
        show(b"\nregistry = '0xC8721c9A776958FfFfEb602DA1b708bf1D318379'\n")
    );
    assert_snapshot!("bad_toml", show(b"chain = 1\nlog = \n"));
    assert_snapshot!("not_utf8", show(b"chain = 1\nlog = '\xff'\n"));
}

#[test]
fn mistakes_in_the_file_are_json_when_json_is_asked_for() {
    let atr = Atr::new().with_file("atr.toml", "chains = 1\n");
    assert_snapshot!(atr.transcript(&["config", "show", "--json"]));
}

#[test]
fn a_named_file_that_is_not_there_is_misuse() {
    assert_snapshot!(Atr::new().transcript(&["--config", "gone.toml", "config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: gone.toml: no such configuration file (--config)
    ");
    assert_snapshot!(Atr::new().with_variable("ATR_CONFIG", "gone.toml").transcript(&["config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: gone.toml: no such configuration file (ATR_CONFIG)
    ");
}

#[test]
fn a_file_that_cannot_be_read_is_could_not_find_out() {
    let atr = Atr::new();
    fs::create_dir(atr.path("folder.toml")).unwrap();
    assert_snapshot!(atr.transcript(&["--config", "folder.toml", "config", "show"]), @r"
    exit code: 3
    --- stdout ---
    --- stderr ---
    error: folder.toml: cannot read the configuration file
      because: Is a directory (os error 21)
    ");
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_utf8_is_misuse() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let atr = Atr::new().with_variable("ATR_CHAIN", OsStr::from_bytes(b"\xff"));
    assert_snapshot!(atr.transcript(&["config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: environment variable ATR_CHAIN: the value is not UTF-8
    ");
}
