use insta::assert_snapshot;

use crate::atr::Atr;

/// Every command, as the words that name it; the program itself is the empty list.
fn commands() -> Vec<Vec<String>> {
    commands_that(|_| true)
}

fn commands_that(wanted: fn(&clap::Command) -> bool) -> Vec<Vec<String>> {
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

#[test]
fn every_command_explains_itself() {
    for words in commands() {
        let args: Vec<_> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let name = ["help".to_owned(), words.join("_")].join("_");
        assert_snapshot!(name.trim_end_matches('_'), Atr::new().transcript(&args));
    }
}

#[test]
fn the_summary_fits_a_screen() {
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
fn the_table_in_the_readme_lists_every_command_and_no_other() {
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

    // A command that only holds others has no row of its own.
    let mut runnable = commands_that(|command| !command.is_subcommand_required_set());
    runnable.sort();
    assert_eq!(listed, runnable);
}
