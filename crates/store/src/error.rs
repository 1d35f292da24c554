//! Errors of databases.

use std::{io, path::PathBuf};

/// A database did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum Error {
    /// The file of an SQLite database.
    #[error("cannot open {path}")]
    File { path: PathBuf, source: io::Error },
    /// The database, or the connection to it.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}
