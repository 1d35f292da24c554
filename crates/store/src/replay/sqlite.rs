//! Records in an SQLite file.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use sqlx::{
    SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use super::impl_replay;
use crate::{Error, file};

/// How long a write waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

const TABLE: &str = "CREATE TABLE IF NOT EXISTS gate_payments (
    key TEXT PRIMARY KEY,
    value BLOB NOT NULL,
    version INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID";

const INDEX: &str = "CREATE INDEX IF NOT EXISTS gate_payments_by_expiry ON gate_payments (expires)";

/// Records in an SQLite file. Processes of one machine can share it.
#[derive(Clone, Debug)]
pub struct SqliteReplay {
    pool: SqlitePool,
}

impl SqliteReplay {
    /// Opens a file and creates it if it does not exist. Only its owner can read it.
    ///
    /// # Errors
    ///
    /// If the file cannot be created, or is not a database.
    pub async fn open(path: &Path) -> Result<Self, Error> {
        file::create(path).map_err(|source| Error::File {
            path: PathBuf::from(path),
            source,
        })?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            // A commit is on the disk before it returns.
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY_TIMEOUT);
        // SQLite has one writer at a time; waiting here is fair, waiting in SQLite is not.
        let pool = SqlitePoolOptions::new().max_connections(1);
        let pool = pool.connect_with(options).await?;
        sqlx::query(TABLE).execute(&pool).await?;
        sqlx::query(INDEX).execute(&pool).await?;
        Ok(Self { pool })
    }
}

impl_replay!(SqliteReplay, "random() & 4611686018427387903");
