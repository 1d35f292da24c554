//! What things are called when a person reads a trace.

use std::{collections::BTreeMap, fmt::Write as _};

use alloy_primitives::{Address, Log, hex};

use crate::{Outcome, abi};

/// More bytes than this are cut in the middle.
const SHOWN_BYTES: usize = 68;

/// More letters than this without a space are cut likewise. A word of bytes has 66.
const SHOWN_LETTERS: usize = 100;

/// Names of accounts; calls, errors and events are named by our own ABIs.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<Address, String>);

impl Names {
    pub(crate) fn give(&mut self, account: Address, name: &str) {
        self.0.insert(account, name.to_owned());
    }

    /// The name of an account, or its address.
    #[must_use]
    pub fn of(&self, account: Address) -> String {
        self.0
            .get(&account)
            .cloned()
            .unwrap_or_else(|| account.to_string())
    }

    /// Text with the addresses in it replaced by names.
    #[must_use]
    pub fn within(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, (account, name)| {
                text.replace(&account.to_string(), name)
                    .replace(&hex::encode_prefixed(account), name)
            })
    }

    /// Calldata as the call it is, if it is one of ours.
    #[must_use]
    pub fn call(&self, data: &[u8]) -> String {
        self.told(abi::call(data), data)
    }

    /// Revert data as the error it is, if it is one of ours.
    #[must_use]
    pub fn error(&self, data: &[u8]) -> String {
        self.told(abi::error(data), data)
    }

    /// What a call returned, if the call is one of ours and the bytes are what it returns.
    #[must_use]
    pub fn returned(&self, call: &[u8], data: &[u8]) -> String {
        self.told(abi::returned(call, data), data)
    }

    /// A log as the event it is, if it is one of ours, and whose it is.
    #[must_use]
    pub fn log(&self, log: &Log) -> String {
        let by = self.of(log.address);
        match abi::event(log) {
            Some(event) => format!("{by} logs {}", self.within(&cut_words(&event))),
            None => {
                let topics = log.topics().iter().map(|topic| short(topic.as_slice()));
                let topics: Vec<_> = topics.collect();
                format!("{by} logs {topics:?} {}", short(&log.data.data))
            }
        }
    }

    /// How a call ended and what it logged.
    #[must_use]
    pub fn end(&self, call: &[u8], outcome: &Outcome, logs: &[Log]) -> String {
        let mut told = match outcome {
            Outcome::Returned(data) => format!("returned {}", self.returned(call, data)),
            Outcome::Created(address) => format!("created {}", self.of(*address)),
            Outcome::Reverted(data) => format!("reverted with {}", self.error(data)),
            Outcome::Halted(reason) => format!("halted: {reason}"),
        };
        for log in logs {
            let _ = write!(told, "\n    {}", self.log(log));
        }
        told
    }

    fn told(&self, decoded: Option<String>, data: &[u8]) -> String {
        decoded.map_or_else(|| short(data), |text| self.within(&cut_words(&text)))
    }
}

/// Text in which no word is longer than a person reads.
fn cut_words(text: &str) -> String {
    let mut cut = String::new();
    for word in text.split_inclusive([' ', ',', '"']) {
        let length = word.chars().count();
        if length <= SHOWN_LETTERS {
            cut.push_str(word);
            continue;
        }
        cut.extend(word.chars().take(SHOWN_LETTERS - 16));
        cut.push('…');
        cut.extend(word.chars().skip(length - 8));
        let _ = write!(cut, " ({length} letters)");
    }
    cut
}

/// Bytes for reading: in full if they are few.
pub(crate) fn short(data: &[u8]) -> String {
    if data.len() <= SHOWN_BYTES {
        return hex::encode_prefixed(data);
    }
    let mut text = hex::encode_prefixed(&data[..SHOWN_BYTES / 2]);
    let _ = write!(
        text,
        "…{} ({} bytes)",
        hex::encode(&data[data.len() - 16..]),
        data.len()
    );
    text
}
