//! The index in an SQLite file.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use sqlx::{
    Sqlite, SqlitePool, Transaction,
    sqlite::{
        SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteRow, SqliteSynchronous,
    },
};

use super::{Clock, CursorKey, IndexerLock, StoreFuture, schema};
use crate::{Error, file};

#[path = "queries/mod.rs"]
mod queries;

/// How long a write waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// Connections that read.
const READERS: u32 = 8;

/// Pages of the cache of each reading connection, in KiB: a page of a list touches some hundred pages that are far apart.
const READER_CACHE_KIB: i64 = 16 * 1024;

/// Pages of the cache of the writing connection, in KiB: enough for the inner pages of all indexes at a million tools.
const WRITER_CACHE_KIB: i64 = 128 * 1024;

type Store = SqliteIndex;
type Db = Sqlite;
type DbRow = SqliteRow;

/// Rows that a claim locks; SQLite locks the file.
const SKIP_LOCKED: &str = "";

/// The index in an SQLite file. Processes of one machine can share it.
#[derive(Clone, Debug)]
pub struct SqliteIndex {
    writer: SqlitePool,
    readers: SqlitePool,
    path: PathBuf,
    cursor_key: CursorKey,
    clock: Clock,
}

impl SqliteIndex {
    /// Opens a file and creates it if it does not exist. Only its owner can read it.
    ///
    /// # Errors
    ///
    /// If the file cannot be created, is not a database, or was written by a newer version.
    pub async fn open(path: &Path, clock: Clock) -> Result<Self, Error> {
        file::create(path).map_err(|source| Error::File {
            path: PathBuf::from(path),
            source,
        })?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            // A power failure can lose the last commits but not corrupt the file: lost blocks are read again.
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(BUSY_TIMEOUT)
            .pragma("temp_store", "memory");
        // SQLite has one writer at a time; waiting here is fair, waiting in SQLite is not.
        let writer = pool().max_connections(1);
        let writer_options = options
            .clone()
            .pragma("cache_size", (-WRITER_CACHE_KIB).to_string());
        let writer = writer.connect_with(writer_options).await?;
        let cursor_key = queries::migrate(&writer).await?;
        let readers = pool().max_connections(READERS);
        let reader_options = options
            .pragma("cache_size", (-READER_CACHE_KIB).to_string())
            .pragma("query_only", "on");
        let readers = readers.connect_with(reader_options).await?;
        Ok(Self {
            writer,
            readers,
            path: path.to_owned(),
            cursor_key,
            clock,
        })
    }

    const fn readers(&self) -> &SqlitePool {
        &self.readers
    }

    /// A transaction that writes. Takes the write lock at once, so that it cannot fail later.
    async fn begin(&self) -> Result<Transaction<'static, Sqlite>, Error> {
        begin(&self.writer).await
    }

    /// A transaction that reads one state.
    async fn snapshot(&self) -> Result<Transaction<'static, Sqlite>, Error> {
        Ok(self.readers.begin().await?)
    }

    async fn lock(&self) -> Result<Option<Box<dyn IndexerLock>>, Error> {
        let mut path = self.path.clone().into_os_string();
        path.push(".lock");
        let path = PathBuf::from(path);
        let failed = |source| Error::File {
            path: path.clone(),
            source,
        };
        let file = file::open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(FileLock { _file: file }))),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

/// A connection to a file does not break while it is idle, so it is not tried before each use.
fn pool() -> SqlitePoolOptions {
    SqlitePoolOptions::new().test_before_acquire(false)
}

async fn begin(pool: &SqlitePool) -> Result<Transaction<'static, Sqlite>, Error> {
    Ok(pool.begin_with("BEGIN IMMEDIATE").await?)
}

fn statement(template: &str) -> String {
    schema::statement(
        template,
        "INTEGER",
        "BLOB",
        "INTEGER PRIMARY KEY AUTOINCREMENT",
        "WITHOUT ROWID",
    )
}

/// A file lock. The system releases it when the process ends.
#[derive(Debug)]
struct FileLock {
    _file: fs::File,
}

impl IndexerLock for FileLock {
    fn is_held(&mut self) -> StoreFuture<'_, bool> {
        Box::pin(async { Ok(true) })
    }
}
