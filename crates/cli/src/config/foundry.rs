//! `foundry.toml`: RPC endpoints and explorer keys that a Foundry project already has.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use toml::de::{DeTable, DeValue};

use super::{Environment, Source, file::line_number};
use crate::{
    args::{Chain, RpcUrl},
    error::Error,
};

const NAME: &str = "foundry.toml";

/// The nearest `foundry.toml` in a directory or its parents. It is read when it is needed, so that errors in it do not affect
/// commands that do not use it.
#[derive(Clone, Debug)]
pub(crate) struct Foundry {
    directory: PathBuf,
}

/// A value of the file with the environment variables in it replaced.
struct Text {
    text: String,
    path: PathBuf,
    line: usize,
}

impl Foundry {
    pub(crate) fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
        }
    }

    /// The URL of an entry of `[rpc_endpoints]`; `None` if there is none.
    pub(crate) fn rpc_url(
        &self,
        name: &str,
        environment: &Environment,
    ) -> Result<Option<(RpcUrl, Source)>, Error> {
        let text = self.find(environment, "rpc_endpoints", |alias, value| {
            let value = match value {
                DeValue::Table(table) => table.get("endpoint")?.get_ref(),
                value => value,
            };
            is_same_name(alias, name).then(|| value.as_str()).flatten()
        })?;
        let Some(Text { text, path, line }) = text else {
            return Ok(None);
        };
        match text.parse() {
            Ok(url) => Ok(Some((url, Source::File { path, line }))),
            Err(reason) => Err(Error::FoundryEndpoint {
                path,
                line,
                name: name.to_owned(),
                reason,
            }),
        }
    }

    /// The API key of the entry of `[etherscan]` for a chain, by its name or its `chain`; `None` if there is none.
    pub(crate) fn explorer_key(
        &self,
        chain: Chain,
        environment: &Environment,
    ) -> Result<Option<String>, Error> {
        let text = self.find(environment, "etherscan", |alias, value| {
            let DeValue::Table(table) = value else {
                return None;
            };
            let named = table.get("chain").is_some_and(|value| {
                let text = match value.get_ref() {
                    DeValue::Integer(number) => number.as_str(),
                    value => value.as_str().unwrap_or_default(),
                };
                text.parse().is_ok_and(|found: Chain| found == chain)
                    || is_same_name(text, &chain.to_string())
            });
            (named || is_same_name(alias, &chain.to_string()))
                .then(|| table.get("key")?.get_ref().as_str())
                .flatten()
        })?;
        Ok(text.map(|found| found.text))
    }

    /// The text that `select` returns for the first matching entry of a section.
    fn find(
        &self,
        environment: &Environment,
        section: &str,
        select: impl for<'a> Fn(&str, &'a DeValue<'a>) -> Option<&'a str>,
    ) -> Result<Option<Text>, Error> {
        let mut paths = self.directory.ancestors().map(|parent| parent.join(NAME));
        let Some(path) = paths.find(|path| path.is_file()) else {
            return Ok(None);
        };
        let read = |source: io::Error| Error::ReadConfig {
            path: path.clone(),
            source,
        };
        let content = fs::read_to_string(&path).map_err(read)?;
        let line = |offset: usize| line_number(content.as_bytes(), offset);
        let table = DeTable::parse(&content).map_err(|error| Error::ConfigNotToml {
            path: path.clone(),
            line: line(error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        let section = table.get_ref().get(section).map(|value| value.get_ref());
        let Some(DeValue::Table(entries)) = section else {
            return Ok(None);
        };
        for (alias, value) in entries {
            let Some(text) = select(alias.get_ref(), value.get_ref()) else {
                continue;
            };
            let line = line(value.span().start);
            let text =
                substitute(text, environment).map_err(|variable| Error::FoundryVariable {
                    path: path.clone(),
                    line,
                    variable,
                })?;
            return Ok(Some(Text { text, path, line }));
        }
        Ok(None)
    }
}

/// Foundry projects write `base_sepolia` or `base-sepolia`.
fn is_same_name(alias: &str, name: &str) -> bool {
    alias.replace('_', "-") == name.replace('_', "-")
}

/// Replaces `${NAME}`. The error is the name of a variable that is not set.
fn substitute(text: &str, environment: &Environment) -> Result<String, String> {
    let mut output = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, after)) = after.split_once('}') else {
            break;
        };
        let name = name.trim();
        output += before;
        output += environment.named(name).ok_or_else(|| name.to_owned())?;
        rest = after;
    }
    Ok(output + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
[profile.default]
src = "src"

[rpc_endpoints]
base = "https://base.example/${ KEY }"
base_sepolia = { endpoint = "https://sepolia.example", retries = 3 }
optimism = "${OP_URL}"
broken = "base.example"

[etherscan]
base = { key = "${KEY}" }
other = { key = "other-key", chain = 84532 }
named = { key = "named-key", chain = "mainnet" }
"#;

    fn with_file<T>(content: &str, f: impl FnOnce(Foundry, Environment) -> T) -> T {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(NAME), content).unwrap();
        let inner = directory.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        f(
            Foundry::new(&inner),
            Environment::from_pairs(&[("KEY", "SECRET")]),
        )
    }

    #[test]
    fn endpoints_are_found_by_name_with_variables_replaced() {
        with_file(FILE, |foundry, environment| {
            let url = |name| {
                foundry
                    .rpc_url(name, &environment)
                    .map(|found| found.unwrap())
            };
            let (base, source) = url("base").unwrap();
            assert_eq!(base.expose(), "https://base.example/SECRET");
            assert!(matches!(source, Source::File { line: 6, .. }), "{source}");
            let (sepolia, _) = url("base-sepolia").unwrap();
            assert_eq!(sepolia.expose(), "https://sepolia.example/");
            assert!(foundry.rpc_url("shape", &environment).unwrap().is_none());
        });
    }

    #[test]
    fn errors_name_the_line_and_hide_the_value() {
        with_file(FILE, |foundry, environment| {
            let message = |name| {
                let error = foundry.rpc_url(name, &environment).unwrap_err();
                error.to_string()
            };
            assert!(
                message("optimism")
                    .ends_with("foundry.toml:8: environment variable OP_URL is not set"),
                "{}",
                message("optimism")
            );
            assert!(message("broken").contains("foundry.toml:9: `broken`"));
            assert!(!message("broken").contains("base.example"));
        });
    }

    #[test]
    fn explorer_keys_are_found_by_name_or_chain() {
        with_file(FILE, |foundry, environment| {
            let key = |chain: &str| {
                let chain = chain.parse().unwrap();
                foundry.explorer_key(chain, &environment).unwrap()
            };
            assert_eq!(key("base").as_deref(), Some("SECRET"));
            assert_eq!(key("base-sepolia").as_deref(), Some("other-key"));
            assert_eq!(key("mainnet").as_deref(), Some("named-key"));
            assert_eq!(key("shape"), None);
        });
    }

    #[test]
    fn other_files_have_no_endpoints() {
        with_file("[profile.default]\n", |foundry, environment| {
            assert!(foundry.rpc_url("base", &environment).unwrap().is_none());
        });
        with_file("[rpc_endpoints\n", |foundry, environment| {
            let error = foundry.rpc_url("base", &environment).unwrap_err();
            assert!(error.to_string().contains("foundry.toml:1: invalid TOML"));
        });
    }
}
