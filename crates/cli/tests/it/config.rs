use std::fs;

use insta::assert_snapshot;

use crate::atr::Atr;

const ALL_KEYS: &str = "\
chain = \"shape\"
rpc-url = \"https://node.example/v2/SECRET\"
registry = \"opensea\"
color = \"never\"
progress = false
log = \"error\"
";

#[test]
fn show_prints_defaults() {
    assert_snapshot!(Atr::new().transcript(&["config", "show"]));
}

#[test]
fn show_prints_file_and_line_of_each_value() {
    assert_snapshot!(
        Atr::new()
            .with_file("atr.toml", ALL_KEYS)
            .transcript(&["config", "show"])
    );
}

#[test]
fn show_prints_json() {
    let atr = Atr::new()
        .with_file("atr.toml", ALL_KEYS)
        .with_variable("ATR_CHAIN", "10");
    assert_snapshot!(atr.transcript(&["config", "show", "--json", "--registry", "ours"]));
}

#[test]
fn show_lists_variables_without_secrets() {
    let atr = Atr::new()
        .with_variable("ATR_PRIVATE_KEY", "0xSECRET")
        .with_variable("ATR_ALLOW_HOST", "localhost:8443");
    let transcript = atr.transcript(&["config", "show"]);
    for line in [
        "ATR_PRIVATE_KEY  key of the signer                       set\n",
        "ATR_ALLOW_HOST   as --allow-host, comma-separated        localhost:8443\n",
    ] {
        assert!(transcript.contains(line), "{transcript}");
    }
    assert!(!transcript.contains("SECRET"), "{transcript}");
}

#[test]
fn flag_overrides_environment_overrides_file_overrides_default() {
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
fn every_source_can_enable_json() {
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
fn config_flag_overrides_the_nearest_file() {
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
fn get_exits_with_1_if_the_setting_is_not_set() {
    assert_snapshot!(Atr::new().transcript(&["config", "get", "rpc-url"]), @r"
    exit code: 1
    --- stdout ---
    --- stderr ---
    error: `rpc-url` is not set
    ");
}

#[test]
fn get_prints_the_full_rpc_url_and_show_does_not() {
    let atr = Atr::new().with_file("atr.toml", ALL_KEYS);
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
fn get_prints_json_with_the_source() {
    let atr = Atr::new().with_variable("ATR_REGISTRY", "opensea");
    assert_snapshot!(atr.transcript(&["config", "get", "registry", "--json"]), @r#"
    exit code: 0
    --- stdout ---
    {
      "outcome": "success",
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
fn get_rejects_an_unknown_setting() {
    assert_snapshot!(Atr::new().transcript(&["config", "get", "chian"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: invalid value 'chian' for '<SETTING>'
      [possible values: chain, rpc-url, registry, json, color, progress, log, api]

      tip: a similar value exists: 'chain'
    ");
}

#[test]
fn rejects_invalid_flags() {
    assert_snapshot!(Atr::new().transcript(&["--chain", "mainet", "config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: --chain: `mainet` is not a chain; did you mean `mainnet`? use a chain id, a name in [rpc_endpoints] of foundry.toml, or one of mainnet, base, base-sepolia, shape, abstract, monad, robinhood, anvil
    ");
    assert_snapshot!(Atr::new().transcript(&["--rpc-url", "localhost:8545", "config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: invalid value 'localhost:8545' for '--rpc-url <URL>': invalid RPC URL: the scheme must be http or https
    ");
    assert_snapshot!(Atr::new().transcript(&["--registry", "0x00", "config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: invalid value '0x00' for '--registry <REGISTRY>': `0x00` is not a registry; use an address, `ours` or `opensea`
    ");
}

#[test]
fn rejects_invalid_variables() {
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
fn file_errors_have_file_line_and_key() {
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
        "invalid_value",
        show(b"\nregistry = '0xC8721c9A776958FfFfEb602DA1b708bf1D318379'\n")
    );
    assert_snapshot!("invalid_toml", show(b"chain = 1\nlog = \n"));
    assert_snapshot!("not_utf8", show(b"chain = 1\nlog = '\xff'\n"));
}

#[test]
fn file_errors_are_json_with_json() {
    let atr = Atr::new().with_file("atr.toml", "chains = 1\n");
    assert_snapshot!(atr.transcript(&["config", "show", "--json"]));
}

#[test]
fn rejects_a_missing_config_file() {
    assert_snapshot!(Atr::new().transcript(&["--config", "missing.toml", "config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: missing.toml: configuration file not found (--config)
    ");
    assert_snapshot!(Atr::new().with_variable("ATR_CONFIG", "missing.toml").transcript(&["config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: missing.toml: configuration file not found (ATR_CONFIG)
    ");
}

#[test]
fn an_unreadable_config_file_is_a_usage_error() {
    let atr = Atr::new();
    fs::create_dir(atr.path("directory.toml")).unwrap();
    assert_snapshot!(atr.transcript(&["--config", "directory.toml", "config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: directory.toml: cannot read the configuration file
      caused by: Is a directory (os error 21)
    ");
}

#[cfg(unix)]
#[test]
fn rejects_a_variable_that_is_not_utf8() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let atr = Atr::new().with_variable("ATR_CHAIN", OsStr::from_bytes(b"\xff"));
    assert_snapshot!(atr.transcript(&["config", "show"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: environment variable ATR_CHAIN: the value is not valid UTF-8
    ");
}
