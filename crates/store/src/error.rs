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
    /// Another process changed the registry since the caller read it.
    #[error("another indexer changed the registry meanwhile")]
    Conflict,
    /// The registry was not added.
    #[error("the registry is not in the index")]
    UnknownRegistry,
    /// A cursor that this database did not make for this query.
    #[error("invalid cursor: use the one of the previous page, with the same filters")]
    InvalidCursor,
    /// Stored data that this version cannot read.
    #[error("the database has unexpected data: {detail}")]
    Corrupt { detail: String },
    /// The database was written by a newer version.
    #[error("the database has schema version {found}; this version knows {known}")]
    NewerSchema { found: i64, known: i64 },
    /// The build has no support for this database.
    #[error("this build has no support for {database}")]
    Unsupported { database: &'static str },
}
