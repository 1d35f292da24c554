//! Asking block explorers to compile the sources and say that the code comes from them.

mod etherscan;
mod sourcify;

use std::time::Duration;

use alloy_primitives::Address;
use atr_fetch::{HttpClient, Response};
use serde::{Serialize, de::DeserializeOwned};

pub use self::{etherscan::Etherscan, sourcify::Sourcify};
use crate::{Error, Target, Verdict};

/// How much of an answer we do not understand is worth showing.
const SHOWN: usize = 200;

/// How often an explorer is asked whether it is done. Explorers take seconds to minutes, so the wait between two questions
/// grows to a limit.
const QUESTIONS: u32 = 60;
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// An explorer that verifies sources.
#[derive(Clone, Debug)]
pub enum Explorer {
    /// Etherscan's API, version 2, which other explorers speak too.
    Etherscan(Etherscan),
    /// Sourcify's API, version 2.
    Sourcify(Sourcify),
}

/// What an explorer made of one contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// The contract.
    pub contract: &'static str,
    /// Where it is.
    pub address: Address,
    /// The explorer.
    pub explorer: &'static str,
    /// Whether its source is verified there now.
    pub verdict: Verdict,
    /// The explorer's words, or ours.
    pub detail: String,
}

/// What an explorer says.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Status {
    Verified(String),
    Failed(String),
    /// Not yet; what to ask for later.
    Pending(String),
}

impl Explorer {
    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Etherscan(_) => Etherscan::NAME,
            Self::Sourcify(_) => Sourcify::NAME,
        }
    }

    /// Submits a contract's sources and waits for the result. A contract that is verified already is verified.
    ///
    /// # Errors
    ///
    /// When the explorer does not answer.
    pub async fn verify(
        &self,
        door: &HttpClient,
        chain_id: u64,
        target: &Target,
    ) -> Result<Verification, Error> {
        let mut wait = FIRST_WAIT;
        let mut status = self.submit(door, chain_id, target).await?;
        for _ in 0..QUESTIONS {
            let Status::Pending(ticket) = &status else {
                break;
            };
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
            let ticket = ticket.clone();
            status = match self {
                Self::Etherscan(explorer) => explorer.ask(door, chain_id, &ticket).await?,
                Self::Sourcify(explorer) => explorer.ask(door, &ticket).await?,
            };
        }
        let (verdict, detail) = match status {
            Status::Verified(detail) => (Verdict::Yes, detail),
            Status::Failed(detail) => (Verdict::No, detail),
            Status::Pending(ticket) => (
                Verdict::Unknown,
                format!("still pending ({ticket}); ask again later"),
            ),
        };
        Ok(Verification {
            contract: target.name(),
            address: target.address(),
            explorer: self.name(),
            verdict,
            detail,
        })
    }

    /// What to say of a contract when the explorer did not answer.
    #[must_use]
    pub fn unknown(&self, target: &Target, error: &Error) -> Verification {
        let cause = std::error::Error::source(error);
        let cause = cause.map_or_else(String::new, |cause| format!(": {cause}"));
        Verification {
            contract: target.name(),
            address: target.address(),
            explorer: self.name(),
            verdict: Verdict::Unknown,
            detail: format!("{error}{cause}; run the same command again"),
        }
    }

    async fn submit(
        &self,
        door: &HttpClient,
        chain_id: u64,
        target: &Target,
    ) -> Result<Status, Error> {
        match self {
            Self::Etherscan(explorer) => explorer.submit(door, chain_id, target).await,
            Self::Sourcify(explorer) => explorer.submit(door, chain_id, target).await,
        }
    }
}

/// The contract as explorers name it: source file and name.
fn identifier(target: &Target) -> String {
    format!("{}:{}", target.code().build().source_name(), target.name())
}

fn parse<T: DeserializeOwned>(explorer: &'static str, response: &Response) -> Result<T, Error> {
    serde_json::from_slice(&response.body).map_err(|_| Error::ExplorerNonsense {
        explorer,
        status: response.status,
        body: String::from_utf8_lossy(&response.body)
            .chars()
            .take(SHOWN)
            .collect(),
    })
}

fn unreachable(explorer: &'static str) -> impl FnOnce(atr_fetch::Error) -> Error {
    move |source| Error::ExplorerUnreachable { explorer, source }
}
