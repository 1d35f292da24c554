//! Files below a CID, read as CARs: every block is checked against its CID, so their source is not trusted.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use atr_agent_card::cid::{Car, IpfsPath, MAX_CAR_BYTES};
use atr_fetch::HttpClient;
use atr_ids::excerpt;
use url::Url;

/// Where CARs come from.
#[derive(Clone, Debug, Default)]
pub enum Ipfs {
    /// Nowhere: what needs blocks is unknown.
    #[default]
    None,
    /// A trustless gateway, configured by the user.
    Gateway(Box<IpfsGateway>),
    /// A folder with files named `<cid>.car`.
    Folder(PathBuf),
}

/// A server of blocks.
#[derive(Clone, Debug)]
pub struct IpfsGateway {
    /// URL of the server, without `/ipfs`.
    pub url: Url,
    /// The client to ask it with.
    pub http: HttpClient,
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// Verified blocks show that there is no such file.
    Absent(String),
    /// Not known.
    Unknown(String),
}

impl Ipfs {
    /// The blocks from a CID to a file.
    pub(super) async fn car(&self, path: &IpfsPath) -> Result<Vec<u8>, String> {
        match self {
            Self::None => Err("no source of IPFS blocks is configured".to_owned()),
            Self::Gateway(gateway) => gateway.car(path).await,
            Self::Folder(folder) => from_folder(folder, path),
        }
    }

    /// The content of a file.
    pub(super) async fn file(&self, path: &IpfsPath) -> Result<Vec<u8>, Unread> {
        let car = self.car(path).await.map_err(Unread::Unknown)?;
        let car = Car::parse(&car)
            .map_err(|error| Unread::Unknown(format!("the CAR cannot be used: {error}")))?;
        car.file(&path.cid, &path.path).map_err(|error| {
            let reason = error.to_string();
            match error.is_definite() {
                true => Unread::Absent(reason),
                false => Unread::Unknown(reason),
            }
        })
    }
}

impl IpfsGateway {
    async fn car(&self, path: &IpfsPath) -> Result<Vec<u8>, String> {
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments
                .pop_if_empty()
                .push("ipfs")
                .push(&path.cid.to_string());
            segments.extend(path.path.split('/').filter(|segment| !segment.is_empty()));
        }
        url.set_query(Some("format=car&dag-scope=entity"));
        let failed = |reason: String| format!("the IPFS gateway did not answer: {reason}");
        let response = self.http.get(&url).await;
        let response = response.map_err(|error| failed(error.to_string()))?;
        if response.status != 200 {
            return Err(failed(format!("status {}", response.status)));
        }
        Ok(response.body)
    }
}

fn from_folder(folder: &Path, path: &IpfsPath) -> Result<Vec<u8>, String> {
    let file = folder.join(format!("{}.car", path.cid));
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        // One byte more: the reader of CARs reports files that are too large.
        let limit = u64::try_from(MAX_CAR_BYTES)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        File::open(&file)?.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error| format!("{}: {error}", excerpt(&file.display().to_string())))
}
