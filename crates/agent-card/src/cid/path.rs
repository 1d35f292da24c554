//! IPFS locations.

use std::{fmt, str::FromStr};

use atr_ids::excerpt;

use super::Cid;

/// A CID and a path below it: `ipfs://<cid>/<path>`, the URL of a gateway, or both without a scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpfsPath {
    /// The root of the path.
    pub cid: Cid,
    /// Segments joined with slashes, without a slash at the start and at the end. Empty for the CID itself.
    pub path: String,
}

/// Why a text is not an IPFS location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidIpfsPath {
    /// Not a form of an IPFS location.
    #[error("`{found}` is not an IPFS location such as ipfs://<cid>/<path>")]
    #[expect(missing_docs, reason = "plain data")]
    Form { found: String },
    /// The form of an IPFS location, with a text that is not a CID.
    #[error("`{found}` is not a CID")]
    #[expect(missing_docs, reason = "plain data")]
    Cid { found: String },
}

impl InvalidIpfsPath {
    /// Whether only the CID is invalid.
    #[must_use]
    pub const fn is_cid(&self) -> bool {
        matches!(self, Self::Cid { .. })
    }
}

impl FromStr for IpfsPath {
    type Err = InvalidIpfsPath;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = || InvalidIpfsPath::Form {
            found: excerpt(text),
        };
        let rest = if let Some(rest) = text.strip_prefix("ipfs://") {
            rest.strip_prefix("ipfs/").unwrap_or(rest).to_owned()
        } else if let Some(rest) = text.strip_prefix("/ipfs/") {
            rest.to_owned()
        } else if let Some(rest) = text.strip_prefix("https://") {
            let rest = rest.split(['?', '#']).next().unwrap_or_default();
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            match (path.strip_prefix("ipfs/"), host.split_once(".ipfs.")) {
                (Some(path), _) => path.to_owned(),
                (None, Some((cid, _))) => format!("{cid}/{path}"),
                (None, None) => return Err(form()),
            }
        } else if text.contains(':') {
            return Err(form());
        } else {
            text.to_owned()
        };
        let (cid, path) = rest.split_once('/').unwrap_or((&rest, ""));
        let path = path.trim_end_matches('/');
        let is_traversal = |segment: &str| matches!(segment, "" | "." | "..");
        if !path.is_empty() && path.split('/').any(is_traversal) {
            return Err(form());
        }
        let cid = Cid::try_from(cid).map_err(|_| InvalidIpfsPath::Cid {
            found: excerpt(cid),
        })?;
        Ok(Self {
            cid,
            path: path.to_owned(),
        })
    }
}

impl fmt::Display for IpfsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ipfs://{}", self.cid)?;
        if self.path.is_empty() {
            Ok(())
        } else {
            write!(f, "/{}", self.path)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CID: &str = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";

    #[test]
    fn reads_uris_gateways_and_bare_cids() {
        for (text, path) in [
            (CID.to_owned(), ""),
            (format!("ipfs://{CID}"), ""),
            (format!("ipfs://{CID}/a/b.json"), "a/b.json"),
            (format!("/ipfs/{CID}/a"), "a"),
            (format!("https://ipfs.io/ipfs/{CID}/a/"), "a"),
            (format!("https://{CID}.ipfs.dweb.link/a?x=1"), "a"),
        ] {
            let found: IpfsPath = text.parse().unwrap();
            assert_eq!(
                (found.cid.to_string().as_str(), found.path.as_str()),
                (CID, path)
            );
            assert_eq!(found.to_string().parse(), Ok(found), "{text}");
        }
    }

    #[test]
    fn distinguishes_other_urls_from_invalid_cids() {
        for (text, is_cid) in [
            ("https://a.example/x.json", false),
            ("http://ipfs.io/ipfs/x", false),
            ("x402://a.eth/b/v1", false),
            ("https://ipfs.io/ipfs/COMMERCIAL_SCHEMAS_CID/x", true),
            ("ipfs://<cid>/x", true),
            ("", true),
        ] {
            let error = text.parse::<IpfsPath>().unwrap_err();
            assert_eq!(error.is_cid(), is_cid, "{text}");
        }
        assert!(format!("ipfs://{CID}/a/../b").parse::<IpfsPath>().is_err());
    }
}
