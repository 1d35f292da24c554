//! Source verification by block explorers.

mod etherscan;
mod sourcify;

use std::time::Duration;

use alloy_primitives::Address;
use atr_fetch::{HttpClient, Response};
use serde::{Serialize, de::DeserializeOwned};

pub use self::{etherscan::Etherscan, sourcify::Sourcify};
use crate::{AuditStatus, Error, Target};

/// Maximum characters of an invalid response in an error.
const MAX_EXCERPT: usize = 200;

/// Polling of a pending verification, which takes seconds to minutes. The delay doubles up to the maximum.
const MAX_POLLS: u32 = 60;
const FIRST_DELAY: Duration = Duration::from_millis(100);
const MAX_DELAY: Duration = Duration::from_secs(5);

/// A block explorer that verifies sources.
#[derive(Clone, Debug)]
pub enum Explorer {
    /// Etherscan API version 2, or Blockscout.
    Etherscan(Etherscan),
    /// Sourcify API version 2.
    Sourcify(Sourcify),
}

/// Result of a source verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct Verification {
    pub contract: &'static str,
    pub address: Address,
    pub explorer: &'static str,
    pub status: AuditStatus,
    /// The explorer's message, or the error.
    pub detail: String,
}

/// State of a submission, with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Status {
    Verified(String),
    Failed(String),
    /// With the id to poll.
    Pending(String),
}

impl Explorer {
    /// Name of the explorer.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Etherscan(explorer) => explorer.name(),
            Self::Sourcify(_) => Sourcify::NAME,
        }
    }

    /// Submits the sources of a contract and waits for the result. An already verified contract passes.
    ///
    /// # Errors
    ///
    /// When a request fails.
    pub async fn verify(
        &self,
        client: &HttpClient,
        chain_id: u64,
        target: &Target,
    ) -> Result<Verification, Error> {
        let mut delay = FIRST_DELAY;
        let mut status = self.submit(client, chain_id, target).await?;
        for _ in 0..MAX_POLLS {
            let Status::Pending(id) = &status else {
                break;
            };
            tokio::time::sleep(delay).await;
            delay = (delay * 2).min(MAX_DELAY);
            let id = id.clone();
            status = match self {
                Self::Etherscan(explorer) => explorer.poll(client, chain_id, &id).await?,
                Self::Sourcify(explorer) => explorer.poll(client, &id).await?,
            };
        }
        let (status, detail) = match status {
            Status::Verified(detail) => (AuditStatus::Pass, detail),
            Status::Failed(detail) => (AuditStatus::Fail, detail),
            Status::Pending(id) => (
                AuditStatus::Inconclusive,
                format!("verification is still pending (id {id})"),
            ),
        };
        Ok(Verification {
            contract: target.name(),
            address: target.address(),
            explorer: self.name(),
            status,
            detail,
        })
    }

    /// The inconclusive result after an error.
    #[must_use]
    pub fn inconclusive(&self, target: &Target, error: &Error) -> Verification {
        let cause = std::error::Error::source(error);
        let cause = cause.map_or_else(String::new, |cause| format!(": {cause}"));
        Verification {
            contract: target.name(),
            address: target.address(),
            explorer: self.name(),
            status: AuditStatus::Inconclusive,
            detail: format!("{error}{cause}"),
        }
    }

    async fn submit(
        &self,
        client: &HttpClient,
        chain_id: u64,
        target: &Target,
    ) -> Result<Status, Error> {
        match self {
            Self::Etherscan(explorer) => explorer.submit(client, chain_id, target).await,
            Self::Sourcify(explorer) => explorer.submit(client, chain_id, target).await,
        }
    }
}

/// Fully qualified name: source file and contract.
fn identifier(target: &Target) -> String {
    format!("{}:{}", target.code().build().source_name(), target.name())
}

fn parse<T: DeserializeOwned>(explorer: &'static str, response: &Response) -> Result<T, Error> {
    serde_json::from_slice(&response.body).map_err(|_| Error::ExplorerResponse {
        explorer,
        status: response.status,
        body: String::from_utf8_lossy(&response.body)
            .chars()
            .take(MAX_EXCERPT)
            .collect(),
    })
}

fn unreachable(explorer: &'static str) -> impl FnOnce(atr_fetch::Error) -> Error {
    move |source| Error::ExplorerUnreachable { explorer, source }
}
