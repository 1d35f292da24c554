//! Account names and decoded calls, for traces.

use std::{collections::BTreeMap, fmt::Write as _};

use alloy_primitives::{Address, Log, hex};

use crate::{Outcome, abi};

/// Longer byte strings are shortened in the middle.
const SHOWN_BYTES: usize = 68;

/// Longer words of text are shortened too. 32 bytes in hex have 66 characters.
const SHOWN_CHARACTERS: usize = 100;

/// Names of accounts. Calls, errors and events are decoded by our own ABIs.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<Address, String>);

impl Names {
    pub(crate) fn insert(&mut self, account: Address, name: &str) {
        self.0.insert(account, name.to_owned());
    }

    /// The name of an account, its address if it has none.
    #[must_use]
    pub fn of(&self, account: Address) -> String {
        self.0
            .get(&account)
            .cloned()
            .unwrap_or_else(|| account.to_string())
    }

    /// Replaces addresses in a text by names.
    #[must_use]
    pub fn replace_in(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, (account, name)| {
                text.replace(&account.to_string(), name)
                    .replace(&hex::encode_prefixed(account), name)
            })
    }

    /// Decodes calldata; hex if it is not one of our calls.
    #[must_use]
    pub fn call(&self, data: &[u8]) -> String {
        self.decoded_or_hex(abi::call(data), data)
    }

    /// Decodes revert data; hex if it is not one of our errors.
    #[must_use]
    pub fn error(&self, data: &[u8]) -> String {
        self.decoded_or_hex(abi::error(data), data)
    }

    /// Decodes return data; hex if it does not fit the call.
    #[must_use]
    pub fn returned(&self, call: &[u8], data: &[u8]) -> String {
        self.decoded_or_hex(abi::returned(call, data), data)
    }

    /// Decodes a log, with the name of its emitter.
    #[must_use]
    pub fn log(&self, log: &Log) -> String {
        let by = self.of(log.address);
        match abi::event(log) {
            Some(event) => format!("{by} emits {}", self.replace_in(&shorten_words(&event))),
            None => {
                let topics = log.topics().iter().map(|topic| short(topic.as_slice()));
                let topics: Vec<_> = topics.collect();
                format!("{by} emits {topics:?} {}", short(&log.data.data))
            }
        }
    }

    /// Formats the outcome and the logs of a call.
    #[must_use]
    pub fn outcome(&self, call: &[u8], outcome: &Outcome, logs: &[Log]) -> String {
        let mut text = match outcome {
            Outcome::Returned(data) => format!("returned {}", self.returned(call, data)),
            Outcome::Created(address) => format!("created {}", self.of(*address)),
            Outcome::Reverted(data) => format!("reverted with {}", self.error(data)),
            Outcome::Halted(reason) => format!("halted: {reason}"),
        };
        for log in logs {
            let _ = write!(text, "\n    {}", self.log(log));
        }
        text
    }

    fn decoded_or_hex(&self, decoded: Option<String>, data: &[u8]) -> String {
        decoded.map_or_else(
            || short(data),
            |text| self.replace_in(&shorten_words(&text)),
        )
    }
}

/// Shortens long words.
fn shorten_words(text: &str) -> String {
    let mut cut = String::new();
    for word in text.split_inclusive([' ', ',', '"']) {
        let length = word.chars().count();
        if length <= SHOWN_CHARACTERS {
            cut.push_str(word);
            continue;
        }
        cut.extend(word.chars().take(SHOWN_CHARACTERS - 16));
        cut.push('…');
        cut.extend(word.chars().skip(length - 8));
        let _ = write!(cut, " ({length} characters)");
    }
    cut
}

/// Hex, shortened in the middle if long.
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
