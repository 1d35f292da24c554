//! Man pages, generated from the clap definition.

use clap::Command;
use clap_mangen::Man;

use crate::{error::Error, output::suggestion};

pub(crate) struct ManPage {
    man: Man,
}

impl ManPage {
    /// The page of a command such as `["config", "show"]`; an empty path is `atr` itself.
    pub(crate) fn for_command(root: Command, path: &[String]) -> Result<Self, Error> {
        let mut command = built(root);
        for name in path {
            let Some(inner) = command.find_subcommand(name) else {
                let names: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
                let hint = match suggestion::closest(name, names.iter().copied()) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None if names.is_empty() => "it has no subcommands".to_owned(),
                    None => format!("available: {}", names.join(", ")),
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

    /// All pages, sorted by file name.
    pub(crate) fn all(root: Command) -> Vec<Self> {
        let mut pending = vec![built(root)];
        let mut pages = Vec::new();
        while let Some(command) = pending.pop() {
            pending.extend(command.get_subcommands().cloned());
            pages.push(Self {
                man: Man::new(command),
            });
        }
        pages.sort_by_key(Self::file);
        pages
    }

    /// File name, for example `atr-config-show.1`.
    pub(crate) fn file(&self) -> String {
        self.man.get_filename()
    }

    /// The page in roff format.
    pub(crate) fn text(&self) -> String {
        let mut text = Vec::new();
        self.man
            .render(&mut text)
            .expect("writing to memory does not fail");
        String::from_utf8(text).expect("help texts are UTF-8")
    }
}

/// Builds the command without the `help` subcommand.
fn built(root: Command) -> Command {
    let mut root = root.disable_help_subcommand(true);
    root.build();
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_a_page_for_every_command() {
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
    fn finds_the_page_of_a_subcommand() {
        let page =
            ManPage::for_command(crate::command(), &["config".into(), "show".into()]).unwrap();
        assert_eq!(page.file(), "atr-config-show.1");
        assert!(page.text().contains(".SH SYNOPSIS"));
    }
}
