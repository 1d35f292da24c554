//! Files of a deployment: the journal of pending transactions and the record of deployed contracts.

mod atomic;
mod journal;
mod record;

use std::{io, path::Path};

pub use journal::Journal;
pub(crate) use journal::{Attempt, Entry};
pub use record::{ContractEntry, Record, RecordFolder};

use crate::Error;

fn file_error(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::File {
        path: path.to_owned(),
        operation,
        source,
    }
}
