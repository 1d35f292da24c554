//! Files of a deployment: the record of deployed contracts, and the journal of an older version.

mod old_journal;
mod record;

use std::{io, path::Path};

pub(crate) use old_journal::import_old_journal;
pub use record::{ContractEntry, Record, RecordFolder};

use crate::Error;

fn file_error(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::File {
        path: path.to_owned(),
        operation,
        source,
    }
}
