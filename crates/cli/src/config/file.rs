//! The configuration file, `atr.toml`.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use toml::de::{DeTable, DeValue};

use super::key::{Key, Kind};
use crate::{config::Environment, error::Error, output::suggestion};

const NAME: &str = "atr.toml";

/// Tables that commands read themselves.
const TABLES: [&str; 1] = ["gate"];

/// Environment variable with the path of the configuration file.
const VARIABLE: &str = "ATR_CONFIG";

/// Values of known keys, as text.
#[derive(Debug, Default)]
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    values: BTreeMap<&'static str, Value>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) line: usize,
}

impl ConfigFile {
    /// Reads the file of `--config`, else of `ATR_CONFIG`, else the nearest `atr.toml` in `directory` or its parents.
    pub(super) fn find(
        flag: Option<&Path>,
        environment: &Environment,
        directory: &Path,
    ) -> Result<Option<Self>, Error> {
        let named = match (flag, environment.path(VARIABLE)) {
            (Some(path), _) => Some((path.to_owned(), "--config")),
            (None, Some(path)) => Some((path, VARIABLE)),
            (None, None) => None,
        };
        let path = match &named {
            Some((path, _)) => path.clone(),
            None => match directory
                .ancestors()
                .map(|parent| parent.join(NAME))
                .find(|path| path.is_file())
            {
                Some(path) => path,
                None => return Ok(None),
            },
        };
        match (fs::read(&path), named) {
            (Ok(bytes), _) => Self::parse(path, bytes).map(Some),
            (Err(error), Some((path, named_by))) if error.kind() == io::ErrorKind::NotFound => {
                Err(Error::NoSuchConfig { path, named_by })
            }
            (Err(source), _) => Err(Error::ReadConfig { path, source }),
        }
    }

    pub(super) fn value(&self, key: &Key) -> Option<&Value> {
        self.values.get(key.name)
    }

    fn parse(path: PathBuf, bytes: Vec<u8>) -> Result<Self, Error> {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let line = line_number(error.as_bytes(), error.utf8_error().valid_up_to());
                return Err(Error::ConfigNotUtf8 { path, line });
            }
        };
        let line = |offset: usize| line_number(text.as_bytes(), offset);
        let table = match DeTable::parse(&text) {
            Ok(table) => table,
            Err(error) => {
                let line = line(error.span().map_or(0, |span| span.start));
                return Err(Error::ConfigNotToml {
                    path,
                    line,
                    message: error.message().to_owned(),
                });
            }
        };

        let mut values = BTreeMap::new();
        // In file order, so that the first error is reported.
        let mut entries: Vec<_> = table.get_ref().iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in entries {
            if TABLES.contains(&name.get_ref().as_ref()) && value.get_ref().is_table() {
                continue;
            }
            let Some(key) = Key::from_name(name.get_ref()) else {
                let line = line(name.span().start);
                return Err(unknown(path, line, name.get_ref()));
            };
            let line = line(value.span().start);
            let Some(text) = value_text(value.get_ref(), key.kind) else {
                return Err(Error::WrongType {
                    path,
                    line,
                    key: key.name,
                    expected: key.kind.expected(),
                    found: value.get_ref().type_str(),
                });
            };
            values.insert(key.name, Value { text, line });
        }
        Ok(Self { path, values })
    }
}

fn unknown(path: PathBuf, line: usize, key: &str) -> Error {
    let names = Key::names();
    let hint = format!(
        "{}known keys: {}",
        suggestion::hint(key, names),
        names.join(", ")
    );
    Error::UnknownKey {
        path,
        line,
        key: key.to_owned(),
        hint,
    }
}

/// The value as a command-line argument; `None` if its type is wrong.
fn value_text(value: &DeValue<'_>, kind: Kind) -> Option<String> {
    match (value, kind) {
        (DeValue::String(text), Kind::Text | Kind::TextOrNumber) => Some(text.to_string()),
        (DeValue::Integer(number), Kind::TextOrNumber) if number.radix() == 10 => {
            Some(number.as_str().to_owned())
        }
        (DeValue::Boolean(flag), Kind::Flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Line number of a byte offset, from 1.
pub(crate) fn line_number(text: &[u8], offset: usize) -> usize {
    1 + text
        .iter()
        .take(offset)
        .filter(|byte| **byte == b'\n')
        .count()
}

#[cfg(test)]
mod tests {
    use super::{super::key, *};

    fn parse(text: &[u8]) -> Result<ConfigFile, Error> {
        ConfigFile::parse("atr.toml".into(), text.to_owned())
    }

    fn message(text: &[u8]) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn parses_values_with_line_numbers() {
        let file =
            parse(b"# comment\nchain = 8453\njson = true\n\nregistry = 'opensea'\n").unwrap();
        let value = |text: &str, line| {
            Some(Value {
                text: text.into(),
                line,
            })
        };
        assert_eq!(file.value(&key::CHAIN), value("8453", 2).as_ref());
        assert_eq!(file.value(&key::JSON), value("true", 3).as_ref());
        assert_eq!(file.value(&key::REGISTRY), value("opensea", 5).as_ref());
        assert_eq!(file.value(&key::LOG), None);
    }

    #[test]
    fn rejects_an_unknown_key_with_a_suggestion() {
        assert_eq!(
            message(b"chain = 1\nrpc_url = 'http://localhost'\n"),
            "atr.toml:2: unknown key `rpc_url`; did you mean `rpc-url`? \
             known keys: chain, rpc-url, registry, json, color, progress, log, api"
        );
    }

    #[test]
    fn rejects_a_value_of_the_wrong_type() {
        assert_eq!(
            message(b"json = 'true'\n"),
            "atr.toml:1: `json` must be true or false, not string"
        );
        assert_eq!(
            message(b"\nlog = 3\n"),
            "atr.toml:2: `log` must be a string, not integer"
        );
        assert_eq!(
            message(b"[chain]\nid = 1\n"),
            "atr.toml:1: `chain` must be a string or an integer, not table"
        );
    }

    #[test]
    fn reports_the_line_of_invalid_utf8_or_toml() {
        assert_eq!(
            message(b"chain = 1\nlog = '\xff'\n"),
            "atr.toml:2: the file is not valid UTF-8"
        );
        assert!(
            message(b"chain = 1\nchain = 2\n")
                .starts_with("atr.toml:2: invalid TOML: duplicate key")
        );
        assert!(message(b"chain =\n").starts_with("atr.toml:1: invalid TOML: "));
    }

    #[test]
    fn reports_the_first_error() {
        assert!(message(b"zzz = 1\naaa = 2\n").starts_with("atr.toml:1: unknown key `zzz`"));
    }
}
