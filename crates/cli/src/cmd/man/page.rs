//! Man pages, made from the definition of the arguments.

use clap::Command;
use clap_mangen::Man;

use crate::{error::Error, output::suggestion};

/// The page of `atr` or of one of its commands.
pub(crate) struct ManPage {
    man: Man,
}

impl ManPage {
    /// The page of the command at `path` (`["config", "show"]`), or of the whole program for an empty one.
    pub(crate) fn of(root: Command, path: &[String]) -> Result<Self, Error> {
        let mut command = built(root);
        for name in path {
            let Some(inner) = command.find_subcommand(name) else {
                let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
                let hint = match suggestion::nearest(name, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if names.is_empty() => "this one has no commands of its own".to_owned(),
                    None => format!("there are {}", names.join(", ")),
                };
                return Err(Error::NoSuchCommand {
                    name: name.clone(),
                    hint,
                });
            };
            command = inner.clone();
        }
        Ok(Self {
            man: Man::new(command),
        })
    }

    /// The pages of the program and of all its commands.
    pub(crate) fn all(root: Command) -> Vec<Self> {
        let mut waiting = vec![built(root)];
        let mut pages = Vec::new();
        while let Some(command) = waiting.pop() {
            waiting.extend(command.get_subcommands().cloned());
            pages.push(Self {
                man: Man::new(command),
            });
        }
        pages.sort_by_key(Self::file);
        pages
    }

    /// The name `man` looks for: `atr-config-show.1`.
    pub(crate) fn file(&self) -> String {
        self.man.get_filename()
    }

    /// The page itself, in roff.
    pub(crate) fn text(&self) -> String {
        let mut text = Vec::new();
        self.man
            .render(&mut text)
            .expect("writing to memory does not fail");
        String::from_utf8(text).expect("help texts are UTF-8")
    }
}

/// Completes the definition; without the `help` command, whose page would say nothing.
fn built(root: Command) -> Command {
    let mut root = root.disable_help_subcommand(true);
    root.build();
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_page_for_the_program_and_for_every_command() {
        let files: Vec<_> = ManPage::all(crate::command())
            .iter()
            .map(ManPage::file)
            .collect();
        for file in [
            "atr.1",
            "atr-config.1",
            "atr-config-show.1",
            "atr-completions.1",
            "atr-man.1",
        ] {
            assert!(
                files.iter().any(|found| found == file),
                "{file} not in {files:?}"
            );
        }
        assert!(!files.iter().any(|file| file.contains("help")), "{files:?}");
    }

    #[test]
    fn the_page_of_a_command_is_found_by_its_words() {
        let page = ManPage::of(crate::command(), &["config".into(), "show".into()]).unwrap();
        assert_eq!(page.file(), "atr-config-show.1");
        assert!(page.text().contains(".SH SYNOPSIS"));
    }
}
