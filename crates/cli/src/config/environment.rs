//! The one door to the process environment. What passes it is looked up once, at the start, and handed down.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt,
    path::PathBuf,
};

use crate::{args::InvalidValue, error::Error};

/// Our variables begin with this.
const PREFIX: &str = "ATR_";

/// Variables of others that we heed.
const OTHERS: [&str; 4] = ["NO_COLOR", "TERM", "HOME", "XDG_DATA_HOME"];

/// The environment as it was when the process started, as far as it is any business of ours.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

/// Names only: keys come this way.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

impl Environment {
    /// Reads the environment of this process.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the door the ban points at"
    )]
    pub(crate) fn of_process() -> Self {
        let ours = |name: &OsString| {
            name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
                || OTHERS.iter().any(|other| name == other)
        };
        Self {
            variables: std::env::vars_os().filter(|(name, _)| ours(name)).collect(),
        }
    }

    /// The text of a variable. An empty one counts as not set, so that `ATR_CHAIN= atr …` switches one off.
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

    /// A variable that names a file, whatever bytes the name is made of.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    /// Whether a terminal here should be spared colours (<https://no-color.org>, or a terminal that has none).
    pub(crate) fn forbids_color(&self) -> bool {
        self.get("NO_COLOR").is_some() || self.get("TERM").is_some_and(|term| term == "dumb")
    }

    fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    /// An environment made up for a test.
    #[cfg(test)]
    pub(crate) fn of(variables: &[(&str, &str)]) -> Self {
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
    fn an_empty_variable_counts_as_not_set() {
        let environment = Environment::of(&[("ATR_CHAIN", ""), ("NO_COLOR", "")]);
        assert_eq!(environment.text("ATR_CHAIN").unwrap(), None);
        assert!(!environment.forbids_color());
    }

    #[test]
    fn shows_names_and_no_values() {
        let environment = Environment::of(&[("ATR_PRIVATE_KEY", "SECRET")]);
        assert_eq!(format!("{environment:?}"), "{\"ATR_PRIVATE_KEY\"}");
    }

    #[test]
    fn no_color_and_dumb_terminals_forbid_color() {
        assert!(Environment::of(&[("NO_COLOR", "1")]).forbids_color());
        assert!(Environment::of(&[("TERM", "dumb")]).forbids_color());
        assert!(!Environment::of(&[("TERM", "xterm-256color")]).forbids_color());
    }
}
