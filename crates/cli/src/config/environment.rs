//! Environment variables, read once at startup.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt,
    path::PathBuf,
};

use crate::{args::InvalidValue, error::Error};

/// Snapshot of all variables: `foundry.toml` can name any of them.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

/// Prints names only: values can be secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

impl Environment {
    #[expect(clippy::disallowed_methods, reason = "the only caller")]
    pub(crate) fn from_process() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
        }
    }

    /// These variables and no others.
    pub(crate) fn from_variables(
        variables: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        let variables = variables.into_iter();
        Self {
            variables: variables
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }
    }

    /// Value of a variable. Empty means not set, so that `ATR_CHAIN= atr …` unsets it.
    pub(crate) fn text(&self, name: &'static str) -> Result<Option<&str>, Error> {
        self.get(name)
            .map(|value| {
                value.to_str().ok_or(Error::InvalidVariable {
                    name,
                    reason: InvalidValue::NotUtf8,
                })
            })
            .transpose()
    }

    /// Value of a variable as a path, which need not be UTF-8.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    /// Whether `NO_COLOR` is set (<https://no-color.org>) or the terminal does not support colors.
    pub(crate) fn disables_color(&self) -> bool {
        self.get("NO_COLOR").is_some() || self.get("TERM").is_some_and(|term| term == "dumb")
    }

    /// The width that `COLUMNS` sets, for output that is not a terminal.
    pub(crate) fn columns(&self) -> Option<usize> {
        let columns = self.get("COLUMNS")?.to_str()?.parse().ok()?;
        Some(columns).filter(|columns| *columns > 0)
    }

    /// Value of a variable that `foundry.toml` names.
    pub(crate) fn named(&self, name: &str) -> Option<&str> {
        self.get(name)?.to_str()
    }

    fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    #[cfg(test)]
    pub(crate) fn from_pairs(variables: &[(&str, &str)]) -> Self {
        Self {
            variables: variables
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_is_not_set() {
        let environment = Environment::from_pairs(&[("ATR_CHAIN", ""), ("NO_COLOR", "")]);
        assert_eq!(environment.text("ATR_CHAIN").unwrap(), None);
        assert!(!environment.disables_color());
    }

    #[test]
    fn debug_prints_names_without_values() {
        let environment = Environment::from_pairs(&[("ATR_PRIVATE_KEY", "SECRET")]);
        assert_eq!(format!("{environment:?}"), "{\"ATR_PRIVATE_KEY\"}");
    }

    #[test]
    fn no_color_and_dumb_terminals_disable_color() {
        assert!(Environment::from_pairs(&[("NO_COLOR", "1")]).disables_color());
        assert!(Environment::from_pairs(&[("TERM", "dumb")]).disables_color());
        assert!(!Environment::from_pairs(&[("TERM", "xterm-256color")]).disables_color());
    }
}
