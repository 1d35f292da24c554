use std::fs;

use insta::assert_snapshot;

use crate::atr::Atr;

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

#[test]
fn writes_a_page_for_every_command() {
    let atr = Atr::new();
    assert_snapshot!(atr.transcript(&["man", "--dir", "share/man1"]), @r"
    exit code: 0
    --- stdout ---
    share/man1/atr-access-check.1
    share/man1/atr-access-requirements.1
    share/man1/atr-access.1
    share/man1/atr-completions.1
    share/man1/atr-config-get.1
    share/man1/atr-config-show.1
    share/man1/atr-config.1
    share/man1/atr-deploy-check.1
    share/man1/atr-deploy.1
    share/man1/atr-man.1
    share/man1/atr-manifest-canonicalize.1
    share/man1/atr-manifest-hash.1
    share/man1/atr-manifest-init.1
    share/man1/atr-manifest-lint.1
    share/man1/atr-manifest-validate.1
    share/man1/atr-manifest.1
    share/man1/atr-predicate-set-allowlist.1
    share/man1/atr-predicate-set-composite.1
    share/man1/atr-predicate-set-erc1155.1
    share/man1/atr-predicate-set-erc20.1
    share/man1/atr-predicate-set-erc721.1
    share/man1/atr-predicate-set-subscription.1
    share/man1/atr-predicate-set-trait.1
    share/man1/atr-predicate-show.1
    share/man1/atr-predicate.1
    share/man1/atr-tool-deregister.1
    share/man1/atr-tool-inspect.1
    share/man1/atr-tool-list.1
    share/man1/atr-tool-register.1
    share/man1/atr-tool-set-predicate.1
    share/man1/atr-tool-update.1
    share/man1/atr-tool-watch.1
    share/man1/atr-tool.1
    share/man1/atr-verify.1
    share/man1/atr.1
    --- stderr ---
    ");
    let page = fs::read_to_string(atr.path("share/man1/atr-config-get.1")).unwrap();
    assert_eq!(
        page.into_bytes(),
        Atr::new().output(&["man", "config", "get"]).stdout
    );
}

#[test]
fn prints_written_files_as_json() {
    assert_snapshot!(Atr::new().transcript(&["man", "--dir", ".", "--json"]), @r#"
    exit code: 0
    --- stdout ---
    {
      "files": [
        "./atr-access-check.1",
        "./atr-access-requirements.1",
        "./atr-access.1",
        "./atr-completions.1",
        "./atr-config-get.1",
        "./atr-config-show.1",
        "./atr-config.1",
        "./atr-deploy-check.1",
        "./atr-deploy.1",
        "./atr-man.1",
        "./atr-manifest-canonicalize.1",
        "./atr-manifest-hash.1",
        "./atr-manifest-init.1",
        "./atr-manifest-lint.1",
        "./atr-manifest-validate.1",
        "./atr-manifest.1",
        "./atr-predicate-set-allowlist.1",
        "./atr-predicate-set-composite.1",
        "./atr-predicate-set-erc1155.1",
        "./atr-predicate-set-erc20.1",
        "./atr-predicate-set-erc721.1",
        "./atr-predicate-set-subscription.1",
        "./atr-predicate-set-trait.1",
        "./atr-predicate-show.1",
        "./atr-predicate.1",
        "./atr-tool-deregister.1",
        "./atr-tool-inspect.1",
        "./atr-tool-list.1",
        "./atr-tool-register.1",
        "./atr-tool-set-predicate.1",
        "./atr-tool-update.1",
        "./atr-tool-watch.1",
        "./atr-tool.1",
        "./atr-verify.1",
        "./atr.1"
      ]
    }
    --- stderr ---
    "#);
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
    error: unknown command `zzz`; available: deploy, manifest, tool, access, predicate, verify, config, completions, man
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
    --- stderr ---
    {
      "outcome": "unknown",
      "error": "file/man1: cannot write",
      "causes": [
        "Not a directory (os error 20)"
      ]
    }
    "#);
}
