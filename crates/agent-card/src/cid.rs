//! CIDs of cards: raw leaves, UnixFS files, and paths below a directory CID.
//!
//! A published CID is compared with the CIDs that importers give to the same bytes. Directory CIDs need the blocks between the
//! directory and the card: a CAR ([`verify_path`]). What could not be checked is unknown, never a mismatch.

mod car;
mod dag_pb;
mod path;
mod unixfs;

use ::cid::Cid as AnyCid;
use multihash::Multihash;
use sha2::{Digest, Sha256};

pub use car::{Car, CarError, MAX_CAR_BLOCKS, MAX_CAR_BYTES};
pub use path::{InvalidIpfsPath, IpfsPath};
pub use unixfs::{CHUNK_BYTES, Dag, Leaves, MAX_FILE_BYTES, ResolveError};

use crate::Check;

/// A CID of version 0 or 1.
pub type Cid = AnyCid;

const RAW: u64 = 0x55;
const DAG_PB: u64 = 0x70;
const SHA2_256: u64 = 0x12;
const IDENTITY: u64 = 0x00;

/// A CID of version 1 with SHA-256.
fn new_cid(codec: u64, block: &[u8]) -> Cid {
    let digest = Sha256::digest(block);
    let hash = Multihash::wrap(SHA2_256, &digest).expect("32 bytes fit in a multihash");
    Cid::new_v1(codec, hash)
}

/// Whether two CIDs name the same block: version 0 and version 1 differ only in the text.
#[must_use]
pub fn is_same(left: &Cid, right: &Cid) -> bool {
    left.codec() == right.codec() && left.hash() == right.hash()
}

/// Compares a published CID with the card's bytes alone.
///
/// A raw CID decides. A dag-pb CID matches if an importer with the default chunk size gives it to the bytes; otherwise it may
/// be that of a directory, or of an importer with other settings, and the outcome is unknown.
#[must_use]
pub fn verify(published: &Cid, bytes: &[u8]) -> Check {
    match (published.codec(), published.hash().code()) {
        (RAW, SHA2_256) => {
            let computed = new_cid(RAW, bytes);
            if is_same(published, &computed) {
                Check::Match
            } else {
                Check::exact(&published.to_string(), &computed.to_string())
            }
        }
        (RAW, IDENTITY) if published.hash().digest() == bytes => Check::Match,
        (RAW, IDENTITY) => Check::Mismatch {
            found: format!("{published}, which contains other bytes"),
            expected: "the bytes of the card".to_owned(),
        },
        (DAG_PB, SHA2_256) => {
            let computed = Leaves::ALL.map(|leaves| Dag::of_file(bytes, leaves));
            let is_equal = |dag: &Option<Dag>| {
                dag.as_ref()
                    .is_some_and(|dag| is_same(published, dag.root()))
            };
            if computed.iter().any(is_equal) {
                Check::Match
            } else {
                Check::unknown(
                    "the CID may be that of a folder: its blocks are needed to find the card",
                )
            }
        }
        (codec, hash) => Check::unknown(format!(
            "CIDs of codec {codec:#x} with hash function {hash:#x} are not supported"
        )),
    }
}

/// Compares the file at a path below a published CID with the card's bytes. Every block of the CAR is checked against its CID,
/// so the server that sent it is not trusted.
#[must_use]
pub fn verify_path(published: &Cid, path: &str, car: &[u8], bytes: &[u8]) -> Check {
    let car = match Car::parse(car) {
        Ok(car) => car,
        Err(error) => return Check::unknown(format!("the CAR cannot be used: {error}")),
    };
    match car.file(published, path) {
        Ok(file) if file == bytes => Check::Match,
        Ok(file) => Check::exact(
            &new_cid(RAW, &file).to_string(),
            &new_cid(RAW, bytes).to_string(),
        ),
        Err(error) if error.is_definite() => Check::Mismatch {
            found: error.to_string(),
            expected: "the card".to_owned(),
        },
        Err(error) => Check::unknown(error.to_string()),
    }
}
