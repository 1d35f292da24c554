//! Looking at one contract on the chain: what was expected, what is there, and whether that is the same.

use alloy_primitives::{Address, B256, Bytes, FixedBytes, keccak256};
use atr_registry::{Contract, INVALID_INTERFACE, ProxyIndicator, proxy_indicators};
use serde::Serialize;

use crate::{Error, Node, Target, suite};

/// Whether something is as expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// Could not find out.
    Unknown,
}

impl Verdict {
    /// One no spoils it; without a no, one unknown leaves it open.
    pub fn of_all(verdicts: impl IntoIterator<Item = Self>) -> Self {
        verdicts
            .into_iter()
            .fold(Self::Yes, |all, one| match (all, one) {
                (Self::No, _) | (_, Self::No) => Self::No,
                (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
                (Self::Yes, Self::Yes) => Self::Yes,
            })
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub what: String,
    /// Whether it is as expected.
    pub verdict: Verdict,
    /// What was found, or what differs.
    pub detail: String,
}

impl Finding {
    pub(crate) fn new(
        what: impl Into<String>,
        verdict: Verdict,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            what: what.into(),
            verdict,
            detail: detail.into(),
        }
    }

    pub(crate) fn judged(what: impl Into<String>, holds: bool, detail: impl Into<String>) -> Self {
        let verdict = if holds { Verdict::Yes } else { Verdict::No };
        Self::new(what, verdict, detail)
    }
}

/// What a contract should answer.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) name: String,
    /// Not every contract of others promises one.
    pub(crate) version: Option<String>,
    pub(crate) registry: Option<Address>,
    pub(crate) interface_ids: Vec<FixedBytes<4>>,
    /// The runtime code, where it is known.
    pub(crate) runtime: Option<Runtime>,
}

/// Runtime code, or as much as is known of it.
#[derive(Clone, Debug)]
pub(crate) enum Runtime {
    Code(Bytes),
    Hash(B256),
}

impl From<&Target> for Expected {
    fn from(target: &Target) -> Self {
        Self {
            name: target.name().to_owned(),
            version: Some(suite::VERSION.to_owned()),
            registry: target.registry(),
            interface_ids: target.interface_ids(),
            runtime: Some(Runtime::Code(target.runtime())),
        }
    }
}

impl Expected {
    /// Everything that can be seen from outside, in the order it matters.
    pub(crate) async fn inspect(
        &self,
        node: &Node,
        address: Address,
    ) -> Result<Vec<Finding>, Error> {
        let code = node.code(address).await?;
        if code.is_empty() {
            let finding = Finding::judged("code", false, "there is no code at this address");
            return Ok(vec![finding]);
        }
        let mut findings = vec![self.code(&code)];
        let signs = proxy_indicators(node.provider(), address, &code).await?;
        let detail = if signs.is_empty() {
            "all proxy slots are zero".to_owned()
        } else {
            in_words(&signs)
        };
        findings.push(Finding::judged("no proxy", signs.is_empty(), detail));
        let contract = node.contract(address);
        findings.push(compare("name()", &self.name, contract.name().await?));
        if let Some(expected) = &self.version {
            findings.push(compare("version()", expected, contract.version().await?));
        }
        if let Some(registry) = self.registry {
            let found = contract.registry().await?;
            findings.push(compare("REGISTRY()", &registry, found));
        }
        findings.push(self.interfaces(contract).await?);
        Ok(findings)
    }

    fn code(&self, found: &Bytes) -> Finding {
        let (what, size) = ("runtime code", found.len());
        let difference = match &self.runtime {
            None => {
                let detail = format!("{size} bytes; none known to compare with");
                return Finding::new(what, Verdict::Unknown, detail);
            }
            Some(Runtime::Code(expected)) => difference(expected, found),
            Some(Runtime::Hash(expected)) => {
                let hash = keccak256(found);
                (hash != *expected).then(|| format!("has hash {hash}, not {expected}"))
            }
        };
        let holds = difference.is_none();
        let detail = difference.unwrap_or_else(|| format!("{size} bytes, all as compiled"));
        Finding::judged(what, holds, detail)
    }

    async fn interfaces(&self, contract: Contract<'_>) -> Result<Finding, Error> {
        let mut wrong = Vec::new();
        let claims = self.interface_ids.iter().map(|id| (*id, true));
        for (id, expected) in claims.chain([(INVALID_INTERFACE, false)]) {
            if contract.supports(id).await? != Some(expected) {
                let verb = if expected { "does not claim" } else { "claims" };
                wrong.push(format!("{verb} {id}"));
            }
        }
        let ids: Vec<_> = self.interface_ids.iter().map(ToString::to_string).collect();
        let holds = wrong.is_empty();
        let detail = if holds {
            ids.join(", ")
        } else {
            wrong.join(", ")
        };
        Ok(Finding::judged("interface ids", holds, detail))
    }
}

/// What was seen of a proxy.
pub(crate) fn in_words(signs: &[ProxyIndicator]) -> String {
    let signs: Vec<_> = signs.iter().map(ToString::to_string).collect();
    signs.join("; ")
}

fn compare<T: PartialEq + ToString>(what: &str, expected: &T, found: Option<T>) -> Finding {
    let Some(found) = found else {
        return Finding::judged(what, false, "does not answer");
    };
    let holds = *expected == found;
    let detail = if holds {
        found.to_string()
    } else {
        format!("is {}, not {}", found.to_string(), expected.to_string())
    };
    Finding::judged(what, holds, detail)
}

/// Where two codes part, in words.
fn difference(expected: &[u8], found: &[u8]) -> Option<String> {
    if expected == found {
        return None;
    }
    if expected.len() != found.len() {
        let (found, expected) = (found.len(), expected.len());
        return Some(format!("{found} bytes, {expected} expected"));
    }
    let pairs = || expected.iter().zip(found);
    let count = pairs().filter(|(left, right)| left != right).count();
    let first = pairs().position(|(left, right)| left != right)?;
    Some(format!("{count} bytes differ, the first at offset {first}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_two_codes_part() {
        assert_eq!(difference(b"abc", b"abc"), None);
        assert_eq!(difference(b"abc", b"ab").unwrap(), "2 bytes, 3 expected");
        assert_eq!(
            difference(b"abcd", b"axcx").unwrap(),
            "2 bytes differ, the first at offset 1"
        );
    }
}
