//! Records in PostgreSQL.

use sqlx::{PgPool, postgres::PgPoolOptions};

use super::impl_replay;
use crate::Error;

/// Connections of a process.
const MAX_CONNECTIONS: u32 = 8;

const TABLE: &str = "CREATE TABLE IF NOT EXISTS gate_payments (
    key TEXT PRIMARY KEY,
    value BYTEA NOT NULL,
    version BIGINT NOT NULL,
    expires BIGINT NOT NULL
)";

const INDEX: &str = "CREATE INDEX IF NOT EXISTS gate_payments_by_expiry ON gate_payments (expires)";

/// Records in PostgreSQL. Gates on any number of machines can share them.
#[derive(Clone, Debug)]
pub struct PostgresReplay {
    pool: PgPool,
}

impl PostgresReplay {
    /// Connects to `postgres://user:password@host/database` and creates the table if it does not exist.
    ///
    /// # Errors
    ///
    /// If the URL is invalid, or the server does not accept the connection.
    pub async fn connect(url: &str) -> Result<Self, Error> {
        let pool = PgPoolOptions::new().max_connections(MAX_CONNECTIONS);
        let pool = pool.connect(url).await?;
        // Two processes that start together must not both create the table.
        let mut transaction = pool.begin().await?;
        sqlx::query("SELECT pg_advisory_xact_lock(825700)")
            .execute(&mut *transaction)
            .await?;
        sqlx::query(TABLE).execute(&mut *transaction).await?;
        sqlx::query(INDEX).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(Self { pool })
    }
}

impl_replay!(
    PostgresReplay,
    "floor(random() * 4611686018427387904)::bigint"
);
