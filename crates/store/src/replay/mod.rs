//! Records of payments: a map with compare-and-set.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "postgres")]
pub use postgres::PostgresReplay;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteReplay;

/// A value and the version it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What was stored.
    pub value: Vec<u8>,
    /// Changes with every write, and is never used again for the same key.
    pub version: u64,
    /// Seconds since 1970. The entry may be removed from then on.
    pub expires: u64,
}

/// The queries are the same for both databases but for the number of a new entry: random, so that an entry that was removed and
/// created again has another version.
macro_rules! impl_replay {
    ($name:ident, $random:literal) => {
        impl $name {
            /// The entry of a key.
            ///
            /// # Errors
            ///
            /// If the database fails.
            pub async fn get(&self, key: &str) -> Result<Option<super::Entry>, crate::Error> {
                let query = "SELECT value, version, expires FROM gate_payments WHERE key = $1";
                let row: Option<(Vec<u8>, i64, i64)> =
                    sqlx::query_as(query).bind(key).fetch_optional(&self.pool).await?;
                Ok(row.map(|(value, version, expires)| super::Entry {
                    value,
                    version: version.cast_unsigned(),
                    expires: expires.cast_unsigned(),
                }))
            }

            /// Writes an entry if its version is still the expected one; `None`: if there is no entry. Returns the new version,
            /// or `None` if nothing was written.
            ///
            /// # Errors
            ///
            /// If the database fails. The entry may have been written.
            pub async fn compare_and_set(
                &self,
                key: &str,
                expected: Option<u64>,
                value: &[u8],
                expires: u64,
            ) -> Result<Option<u64>, crate::Error> {
                let insert = concat!(
                    "INSERT INTO gate_payments (key, value, version, expires) VALUES ($1, $2, ",
                    $random,
                    ", $3) ON CONFLICT (key) DO NOTHING RETURNING version"
                );
                let update = "UPDATE gate_payments SET value = $2, version = version + 1, expires = $3 \
                              WHERE key = $1 AND version = $4 RETURNING version";
                let query = match expected {
                    None => sqlx::query_as(insert),
                    Some(_) => sqlx::query_as(update),
                };
                let query = query.bind(key).bind(value).bind(expires.cast_signed());
                let query = match expected {
                    None => query,
                    Some(expected) => query.bind(expected.cast_signed()),
                };
                let row: Option<(i64,)> = query.fetch_optional(&self.pool).await?;
                Ok(row.map(|(version,)| version.cast_unsigned()))
            }

            /// Removes an entry if its version is still the expected one. Returns whether it was removed.
            ///
            /// # Errors
            ///
            /// If the database fails. The entry may have been removed.
            pub async fn remove(&self, key: &str, expected: u64) -> Result<bool, crate::Error> {
                let query = "DELETE FROM gate_payments WHERE key = $1 AND version = $2";
                let query = sqlx::query(query).bind(key).bind(expected.cast_signed());
                Ok(query.execute(&self.pool).await?.rows_affected() == 1)
            }

            /// Removes entries that have expired.
            ///
            /// # Errors
            ///
            /// If the database fails.
            pub async fn remove_expired(&self, now: u64) -> Result<(), crate::Error> {
                let query = "DELETE FROM gate_payments WHERE expires <= $1";
                let query = sqlx::query(query).bind(now.cast_signed());
                query.execute(&self.pool).await?;
                Ok(())
            }
        }
    };
}
use impl_replay;
