//! Where the database and its search index are.

use std::path::PathBuf;

use alloy_primitives::{hex, keccak256};

use super::DatabaseArgs;
use crate::{context::Context, error::Error};

/// Environment variable with the database: a URL can contain a password.
const DATABASE_URL: &str = "ATR_DATABASE_URL";

impl DatabaseArgs {
    /// Whether the flag is used.
    pub(in crate::cmd) const fn is_set(&self) -> bool {
        self.database_url.is_some()
    }

    /// The configured database; `None` for the default.
    pub(super) fn url(&self, context: &Context) -> Result<Option<String>, Error> {
        let variable = context.environment.text(DATABASE_URL)?;
        Ok(self
            .database_url
            .clone()
            .or_else(|| variable.map(str::to_owned)))
    }

    /// The file of an SQLite database; `None` for PostgreSQL.
    fn file(&self, context: &Context) -> Result<Option<PathBuf>, Error> {
        Ok(match self.url(context)? {
            Some(url) if is_postgres(&url) => None,
            Some(url) => {
                let path = url.strip_prefix("sqlite:").unwrap_or(&url);
                Some(path.strip_prefix("//").unwrap_or(path).into())
            }
            None => Some(context.index_file()?),
        })
    }

    /// An error if there is no database yet.
    pub(in crate::cmd) fn ensure_exists(&self, context: &Context) -> Result<(), Error> {
        match self.file(context)? {
            Some(path) if !path.exists() => Err(Error::NoIndex { path }),
            _ => Ok(()),
        }
    }

    /// Folder of the search index, one for each database.
    pub(in crate::cmd) fn search_folder(&self, context: &Context) -> Result<PathBuf, Error> {
        if let Some(path) = self.file(context)? {
            let mut name = path.into_os_string();
            name.push(".search");
            return Ok(name.into());
        }
        let url = self.url(context)?.unwrap_or_default();
        let name = hex::encode(&keccak256(url)[..8]);
        Ok(context.state_folder()?.join(format!("search-{name}")))
    }

    /// For display, without a password.
    pub(in crate::cmd) fn describe(&self, context: &Context) -> Result<String, Error> {
        let file = self.file(context)?;
        Ok(file.map_or_else(
            || "PostgreSQL".to_owned(),
            |path| path.display().to_string(),
        ))
    }
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}
