//! Database of the index.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use alloy_primitives::{hex, keccak256};
use atr_store::index::{IndexStore, PostgresIndex, SqliteIndex};

use crate::{context::Context, error::Error};

/// Environment variable with the value of the flag: a URL can contain a password.
const DATABASE_URL: &str = "ATR_DATABASE_URL";

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct DatabaseArgs {
    /// Database of the index: a file, or a postgres:// URL that several servers share [default: index.db in the state directory]
    ///
    /// ATR_DATABASE_URL has the same meaning. The state directory is ATR_STATE_DIR.
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
}

impl DatabaseArgs {
    pub(crate) const fn is_set(&self) -> bool {
        self.database_url.is_some()
    }

    fn url(&self, context: &Context) -> Result<Option<String>, Error> {
        let variable = context.environment.text(DATABASE_URL)?;
        Ok(self.database_url.clone().or_else(|| variable.map(str::to_owned)))
    }

    /// Opens the database; creates it if `create`.
    pub(crate) async fn open(&self, context: &Context, create: bool) -> Result<Arc<dyn IndexStore>, Error> {
        let open_error = |source| Error::OpenIndex { source };
        let url = self.url(context)?;
        if let Some(url) = url.as_deref().filter(|url| is_postgres(url)) {
            return Ok(Arc::new(PostgresIndex::connect(url).await.map_err(open_error)?));
        }
        let path = self.file(context)?;
        if !create && !path.exists() {
            return Err(Error::NoIndex { path });
        }
        if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
            let write_error = |source| Error::Write { path: folder.to_owned(), source };
            std::fs::create_dir_all(folder).map_err(write_error)?;
        }
        Ok(Arc::new(SqliteIndex::open(&path).await.map_err(open_error)?))
    }

    fn file(&self, context: &Context) -> Result<PathBuf, Error> {
        match self.url(context)? {
            Some(url) => Ok(PathBuf::from(url.strip_prefix("sqlite:").unwrap_or(&url))),
            None => Ok(context.state_folder()?.join("index.db")),
        }
    }

    /// Folder of the search index: one for each database.
    pub(crate) fn search_folder(&self, context: &Context) -> Result<PathBuf, Error> {
        let url = self.url(context)?;
        Ok(match url.as_deref().filter(|url| is_postgres(url)) {
            Some(url) => {
                let name = hex::encode(&keccak256(url)[..8]);
                context.state_folder()?.join(format!("search-{name}"))
            }
            None => {
                let mut name = self.file(context)?.into_os_string();
                name.push(".search");
                name.into()
            }
        })
    }

    /// The database without its password, for display.
    pub(crate) fn describe(&self, context: &Context) -> Result<String, Error> {
        Ok(match self.url(context)? {
            Some(url) if is_postgres(&url) => "PostgreSQL".to_owned(),
            _ => self.file(context)?.display().to_string(),
        })
    }
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}
