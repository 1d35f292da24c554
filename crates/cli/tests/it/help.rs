use std::collections::BTreeMap;

use insta::assert_snapshot;

use crate::atr::Atr;

/// Names of all commands; `atr` itself is the empty list.
pub(crate) fn commands() -> Vec<Vec<String>> {
    commands_where(|_| true)
}

fn commands_where(wanted: fn(&clap::Command) -> bool) -> Vec<Vec<String>> {
    fn collect(
        command: &clap::Command,
        words: &[String],
        wanted: fn(&clap::Command) -> bool,
        found: &mut Vec<Vec<String>>,
    ) {
        if wanted(command) {
            found.push(words.to_vec());
        }
        for inner in command
            .get_subcommands()
            .filter(|inner| inner.get_name() != "help")
        {
            let words = [words, &[inner.get_name().to_owned()]].concat();
            collect(inner, &words, wanted, found);
        }
    }
    let mut found = Vec::new();
    collect(&atr_cli::command(), &[], wanted, &mut found);
    found
}

/// Options that several commands share. Each block has one snapshot.
const SHARED: [(&str, &str); 4] = [
    ("Global options:\n", "help_shared_global"),
    ("Fetching:\n", "help_shared_fetching"),
    ("Transaction:\n", "help_shared_transaction"),
    ("Signer (or set ATR_PRIVATE_KEY):\n", "help_shared_signer"),
];

#[test]
fn help_of_every_command() {
    let mut shared = BTreeMap::new();
    for words in commands() {
        let args: Vec<_> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let mut help = Atr::new().transcript(&args);
        for (heading, name) in SHARED {
            let Some(block) = take_block(&mut help, heading) else {
                continue;
            };
            let first = shared.entry(name).or_insert_with(|| block.clone());
            assert_eq!(*first, block, "{words:?}");
        }
        let name = ["help".to_owned(), words.join("_")].join("_");
        assert_snapshot!(name.trim_end_matches('_'), help);
    }
    assert_eq!(shared.len(), SHARED.len());
    for (name, block) in shared {
        assert_snapshot!(name, block);
    }
}

/// Replaces the options below a heading by `…` and returns them.
fn take_block(help: &mut String, heading: &str) -> Option<String> {
    let start = help.find(heading)? + heading.len();
    let block = &help[start..];
    // The block ends at the first line that is neither blank nor indented.
    let length = block
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .find(|at| !block[*at..].starts_with([' ', '\n']))?;
    let block = block[..length].to_owned();
    help.replace_range(start..start + length, "  …\n");
    Some(block.trim_end().to_owned())
}

#[test]
fn short_help() {
    assert_snapshot!(Atr::new().transcript(&["-h"]));
}

#[test]
fn no_command_is_hidden() {
    fn all(command: &clap::Command) -> Vec<&clap::Command> {
        let inner = command.get_subcommands().flat_map(all);
        [command].into_iter().chain(inner).collect()
    }
    let root = atr_cli::command();
    let hidden: Vec<_> = all(&root)
        .into_iter()
        .filter(|command| command.is_hide_set())
        .collect();
    assert!(hidden.is_empty(), "{hidden:?}");
}

#[test]
fn the_readme_table_lists_all_commands() {
    let readme = include_str!("../../../../README.md");
    let mut listed: Vec<Vec<String>> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `atr ")?.split('`').next())
        .map(|usage| {
            usage
                .split(' ')
                .take_while(|word| !word.starts_with(['<', '[', '-']))
                .map(str::to_owned)
                .collect()
        })
        .collect();
    listed.sort();

    // Command groups have no row.
    let mut runnable = commands_where(|command| !command.is_subcommand_required_set());
    runnable.sort();
    assert_eq!(listed, runnable);
}
