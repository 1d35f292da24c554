use insta::assert_snapshot;

use crate::atr::Atr;

#[test]
fn prints_a_script_for_each_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = Atr::new().output(&["completions", shell]);
        let script = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{shell}");
        for word in ["manifest", "config", "completions", "man", "rpc-url"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn json_contains_the_same_script() {
    let text = |args: &[&str]| String::from_utf8(Atr::new().output(args).stdout).unwrap();
    let json: serde_json::Value =
        serde_json::from_str(&text(&["completions", "fish", "--json"])).unwrap();
    assert_eq!(json["file"], "atr.fish");
    assert_eq!(json["text"], text(&["completions", "fish"]));
}

#[test]
fn rejects_an_unknown_shell() {
    assert_snapshot!(Atr::new().transcript(&["completions", "tcsh"]), @r"
    exit code: 2
    --- stdout ---
    --- stderr ---
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'
    ");
}

#[test]
fn ignores_an_invalid_configuration() {
    let atr = Atr::new()
        .with_file("atr.toml", "json = true\nnonsense")
        .with_variable("ATR_CHAIN", "nonsense");
    assert_eq!(
        atr.output(&["completions", "bash"]).stdout,
        Atr::new().output(&["completions", "bash"]).stdout
    );
}
