//! The ledger: an append-only file of payments that were authorized and what became of them.
//!
//! A record is written and synced before its authorization is sent, so no payment is unknown to the ledger, whenever the process
//! ends. One line is one JSON record. A line without an end was being written when the process ended; its authorization was
//! never sent, so it is ignored.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use alloy_primitives::{Address, B256, U256};
use serde::{Deserialize, Serialize};

/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// The ledger of one user. Several processes can use it at the same time.
#[derive(Clone, Debug)]
pub struct Ledger {
    path: PathBuf,
}

/// A payment that was signed. The header is a bearer credential until it expires, so the file is readable by its owner only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "plain data")]
pub struct Authorized {
    /// Seconds since 1970.
    pub time: u64,
    /// Reference of the tool.
    pub tool: String,
    /// Name of the tool when it was called. Untrusted text.
    pub name: String,
    /// Hash of the manifest that was verified before signing.
    pub manifest_hash: B256,
    /// keccak256 of the request body.
    pub body_hash: B256,
    pub chain_id: u64,
    pub asset: Address,
    /// Symbol and decimals of the asset, for display.
    pub symbol: String,
    pub decimals: u8,
    pub payer: Address,
    pub payee: Address,
    /// In base units.
    #[serde(with = "decimal")]
    pub amount: U256,
    pub nonce: B256,
    /// Seconds since 1970. The authorization cannot be settled from then on.
    pub valid_before: u64,
    /// The request header: name and value.
    pub header: (String, String),
}

/// What became of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum PaymentState {
    /// No answer yet, or none that decides. The authorization may have been settled.
    Unknown,
    /// The server answered with a receipt of this transaction, or the token says that the authorization was used.
    #[serde(rename_all = "camelCase")]
    Settled {
        /// `None` if only the token is known to have accepted it.
        transaction: Option<B256>,
    },
    /// The call was answered (2xx) without a receipt. The server may still settle until the authorization expires.
    Answered,
    /// The server rejected the credential when it was sent first. It may still settle until the authorization expires, so another
    /// payment for the same call waits until then.
    #[serde(rename_all = "camelCase")]
    Rejected {
        /// HTTP status.
        status: u16,
    },
    /// The authorization expired without being used.
    Expired,
}

/// A payment with its latest state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerEntry {
    /// What was signed.
    #[serde(flatten)]
    pub authorized: Authorized,
    /// What became of it.
    #[serde(flatten)]
    pub state: PaymentState,
    /// Whether the caller received the answer of the tool.
    pub answered: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "record")]
enum Record {
    Authorized(Box<Authorized>),
    Update(Update),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update {
    time: u64,
    nonce: B256,
    payer: Address,
    #[serde(flatten)]
    state: PaymentState,
}

/// A failed operation on the ledger.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "plain data")]
pub enum LedgerError {
    /// A file operation failed.
    #[error("cannot {operation} the ledger {}", path.display())]
    Io {
        operation: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A complete line is not a record.
    #[error("line {line} of the ledger {} is not a valid record", path.display())]
    Corrupt {
        path: PathBuf,
        line: usize,
        #[source]
        source: serde_json::Error,
    },
}

/// What [`Ledger::authorize`] found.
#[derive(Debug)]
pub(crate) enum Authorization {
    /// The record is written; its authorization may be sent.
    Written,
    /// An earlier payment for the same call has no answer. Nothing was written.
    Earlier(Box<LedgerEntry>),
}

impl Ledger {
    /// The ledger in a file. The file is created by the first payment.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All payments, oldest first.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has an invalid line.
    pub fn entries(&self) -> Result<Vec<LedgerEntry>, LedgerError> {
        let mut text = String::new();
        match File::open(&self.path) {
            Ok(mut file) => file
                .lock_shared()
                .and_then(|()| file.read_to_string(&mut text).map(drop))
                .map_err(self.io("read"))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(self.io("open")(error)),
        }
        self.parse(&text)
    }

    /// The sum of the payments of 24 hours before a time, as [`Self::spent_since`].
    ///
    /// # Errors
    ///
    /// As [`Self::entries`].
    pub fn spent_in_day(&self, now: u64, decimals: u8) -> Result<U256, LedgerError> {
        self.spent_since(now.saturating_sub(DAY), decimals)
    }

    /// The sum of all payments since a time that were settled or may still be, in base units of a token with `decimals`. One unit of any
    /// token counts as one.
    ///
    /// # Errors
    ///
    /// As [`Self::entries`].
    pub fn spent_since(&self, time: u64, decimals: u8) -> Result<U256, LedgerError> {
        Ok(spent_since(&self.entries()?, time, decimals))
    }

    /// The payments for a call that have no answer and may have been settled, latest first.
    ///
    /// # Errors
    ///
    /// As [`Self::entries`].
    pub fn unanswered(
        &self,
        tool: &str,
        body_hash: B256,
        payer: Address,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        let entries = self.entries()?.into_iter().rev();
        let of_call = entries.filter(|entry| {
            let record = &entry.authorized;
            is_unresolved(entry)
                && (record.tool.as_str(), record.body_hash, record.payer)
                    == (tool, body_hash, payer)
        });
        Ok(of_call.collect())
    }

    /// Writes a record, unless an earlier payment for the same call has no answer, or `check` rejects what was spent on the day before.
    /// Payments with the `ignored` nonces are not earlier payments for the same call. No other process writes in between.
    pub(crate) fn authorize<E: From<LedgerError>>(
        &self,
        record: &Authorized,
        ignored: &[B256],
        check: impl FnOnce(U256) -> Result<(), E>,
    ) -> Result<Authorization, E> {
        self.locked(|file, text| {
            let entries = self.parse(&text)?;
            let earlier = entries.iter().rev().find(|entry| {
                is_same_call(&entry.authorized, record)
                    && is_unresolved(entry)
                    && !ignored.contains(&entry.authorized.nonce)
            });
            if let Some(earlier) = earlier.cloned() {
                return Ok(Authorization::Earlier(Box::new(earlier)));
            }
            let since = record.time.saturating_sub(DAY);
            check(spent_since(&entries, since, record.decimals))?;
            self.append(file, &text, &Record::Authorized(Box::new(record.clone())))?;
            Ok(Authorization::Written)
        })
    }

    /// Records what became of a payment.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn update(
        &self,
        payer: Address,
        nonce: B256,
        state: PaymentState,
        time: u64,
    ) -> Result<(), LedgerError> {
        self.locked(|file, text| {
            let update = Update {
                time,
                nonce,
                payer,
                state,
            };
            self.append(file, &text, &Record::Update(update))
        })
    }

    /// Runs an operation on the file with an exclusive lock.
    fn locked<T, E: From<LedgerError>>(
        &self,
        operation: impl FnOnce(&mut File, String) -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(self.io("create"))?;
        }
        let mut options = File::options();
        options.create(true).read(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path).map_err(self.io("open"))?;
        file.lock().map_err(self.io("lock"))?;
        let mut text = String::new();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_string(&mut text))
            .map_err(self.io("read"))?;
        operation(&mut file, text)
    }

    fn append(&self, file: &mut File, text: &str, record: &Record) -> Result<(), LedgerError> {
        let mut line = serde_json::to_string(record).expect("records have string keys");
        line.push('\n');
        // Removes the rest of an interrupted write.
        file.set_len(complete_lines(text).len() as u64)
            .and_then(|()| file.write_all(line.as_bytes()))
            .and_then(|()| file.sync_all())
            .map_err(self.io("write"))
    }

    fn parse(&self, text: &str) -> Result<Vec<LedgerEntry>, LedgerError> {
        let mut entries: Vec<LedgerEntry> = Vec::new();
        for (index, line) in complete_lines(text).lines().enumerate() {
            let corrupt = |source| LedgerError::Corrupt {
                path: self.path.clone(),
                line: index + 1,
                source,
            };
            match serde_json::from_str(line).map_err(corrupt)? {
                Record::Authorized(authorized) => entries.push(LedgerEntry {
                    authorized: *authorized,
                    state: PaymentState::Unknown,
                    answered: false,
                }),
                Record::Update(update) => {
                    let entry = entries.iter_mut().rev().find(|entry| {
                        let record = &entry.authorized;
                        (record.payer, record.nonce) == (update.payer, update.nonce)
                    });
                    if let Some(entry) = entry {
                        entry.answered |= is_answer(update.state);
                        entry.state = update.state;
                    }
                }
            }
        }
        Ok(entries)
    }

    fn io(&self, operation: &'static str) -> impl Fn(io::Error) -> LedgerError + '_ {
        move |source| LedgerError::Io {
            operation,
            path: self.path.clone(),
            source,
        }
    }
}

/// The text up to the last line break.
fn complete_lines(text: &str) -> &str {
    text.rsplit_once('\n')
        .map_or("", |(_, rest)| &text[..text.len() - rest.len()])
}

fn spent_since(entries: &[LedgerEntry], time: u64, decimals: u8) -> U256 {
    let counted = entries
        .iter()
        .filter(|entry| entry.authorized.time >= time && entry.state != PaymentState::Expired);
    counted.fold(U256::ZERO, |sum, entry| {
        let record = &entry.authorized;
        sum.saturating_add(rescale(record.amount, record.decimals, decimals))
    })
}

/// An amount with other decimals, rounded up.
fn rescale(amount: U256, from: u8, to: u8) -> U256 {
    let factor = U256::from(10).saturating_pow(U256::from(from.abs_diff(to)));
    if to >= from {
        amount.saturating_mul(factor)
    } else {
        amount.div_ceil(factor)
    }
}

/// A receipt and a 2xx status arrive with an answer; the state of the token does not.
const fn is_answer(state: PaymentState) -> bool {
    matches!(
        state,
        PaymentState::Answered
            | PaymentState::Settled {
                transaction: Some(_)
            }
    )
}

/// Whether another payment for the same call could pay twice for one answer. Only the chain shows that an authorization will not be
/// used: whatever a server says, it can settle what it has.
const fn is_unresolved(entry: &LedgerEntry) -> bool {
    !entry.answered && !matches!(entry.state, PaymentState::Expired)
}

fn is_same_call(a: &Authorized, b: &Authorized) -> bool {
    (&a.tool, a.body_hash, a.payer) == (&b.tool, b.body_hash, b.payer)
}

/// Decimal strings: JSON numbers are not exact.
mod decimal {
    use alloy_primitives::U256;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(value: &U256, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<U256, D::Error> {
        let text = String::deserialize(deserializer)?;
        atr_ids::parse_decimal(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(nonce: u8) -> Authorized {
        Authorized {
            time: 1_000,
            tool: "eip155:8453/erc8257:0x00000000000000000000000000000000000000aa/1".to_owned(),
            name: "tool".to_owned(),
            manifest_hash: B256::repeat_byte(1),
            body_hash: B256::repeat_byte(2),
            chain_id: 8453,
            asset: Address::repeat_byte(3),
            symbol: "USDC".to_owned(),
            decimals: 6,
            payer: Address::repeat_byte(4),
            payee: Address::repeat_byte(5),
            amount: U256::MAX,
            nonce: B256::repeat_byte(nonce),
            valid_before: 1_300,
            header: ("X-PAYMENT".to_owned(), "e30=".to_owned()),
        }
    }

    fn ledger() -> (tempfile::TempDir, Ledger) {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::new(folder.path().join("state/ledger.jsonl"));
        (folder, ledger)
    }

    fn authorize(ledger: &Ledger, record: &Authorized, ignored: &[B256]) -> Authorization {
        let authorized = ledger.authorize::<LedgerError>(record, ignored, |_| Ok(()));
        authorized.unwrap()
    }

    fn written(ledger: &Ledger, record: &Authorized) -> bool {
        matches!(authorize(ledger, record, &[]), Authorization::Written)
    }

    fn set(ledger: &Ledger, record: &Authorized, state: PaymentState) {
        ledger
            .update(record.payer, record.nonce, state, 1_001)
            .unwrap();
    }

    #[test]
    fn an_unanswered_payment_blocks_a_second_one_for_the_same_call() {
        let (_folder, ledger) = ledger();
        assert_eq!(ledger.entries().unwrap(), []);
        let (first, second) = (record(1), record(2));
        assert!(written(&ledger, &first));
        assert!(!written(&ledger, &second));
        let other_body = Authorized {
            body_hash: B256::repeat_byte(9),
            ..record(3)
        };
        assert!(written(&ledger, &other_body));
        // The user can decide to pay again.
        assert!(matches!(
            authorize(&ledger, &second, &[first.nonce]),
            Authorization::Written
        ));
        assert_eq!(ledger.entries().unwrap().len(), 3);
    }

    #[test]
    fn an_answered_or_expired_payment_does_not_block() {
        let transaction = Some(B256::repeat_byte(7));
        for state in [
            PaymentState::Answered,
            PaymentState::Settled { transaction },
            PaymentState::Expired,
        ] {
            let (_folder, ledger) = ledger();
            let first = record(1);
            assert!(written(&ledger, &first));
            set(&ledger, &first, state);
            assert_eq!(ledger.entries().unwrap()[0].state, state);
            assert!(written(&ledger, &record(2)), "{state:?}");
        }
    }

    #[test]
    fn a_payment_that_was_rejected_or_used_without_an_answer_still_blocks() {
        for state in [
            PaymentState::Settled { transaction: None },
            PaymentState::Rejected { status: 402 },
        ] {
            let (_folder, ledger) = ledger();
            let first = record(1);
            assert!(written(&ledger, &first));
            set(&ledger, &first, state);
            assert!(!written(&ledger, &record(2)), "{state:?}");
        }
    }

    #[test]
    fn an_interrupted_write_at_any_byte_loses_no_earlier_record() {
        let (_folder, ledger) = ledger();
        let first = record(1);
        assert!(written(&ledger, &first));
        set(&ledger, &first, PaymentState::Answered);
        let complete = fs::read(ledger.path()).unwrap();
        assert!(written(&ledger, &record(2)));
        let all = fs::read(ledger.path()).unwrap();
        for length in complete.len()..all.len() {
            fs::write(ledger.path(), &all[..length]).unwrap();
            let entries = ledger.entries().unwrap();
            assert_eq!(entries.len(), 1, "{length}");
            assert_eq!(entries[0].state, PaymentState::Answered);
            assert!(written(&ledger, &record(3)), "{length}");
            let entries = ledger.entries().unwrap();
            assert_eq!(entries.len(), 2, "{length}");
        }
    }

    #[test]
    fn reports_a_corrupt_line() {
        let (_folder, ledger) = ledger();
        assert!(written(&ledger, &record(1)));
        let text = fs::read_to_string(ledger.path()).unwrap();
        fs::write(ledger.path(), format!("{text}{{\"record\":\"x\"}}\n{text}")).unwrap();
        let error = ledger.entries().unwrap_err();
        assert!(
            matches!(error, LedgerError::Corrupt { line: 2, .. }),
            "{error}"
        );
    }

    #[test]
    fn sums_what_was_or_may_still_be_paid() {
        let (_folder, ledger) = ledger();
        let payment = |nonce, amount: u64| Authorized {
            amount: U256::from(amount),
            body_hash: B256::repeat_byte(nonce),
            ..record(nonce)
        };
        let payments = [payment(1, 5), payment(2, 7), payment(3, 11)];
        for payment in &payments {
            assert!(written(&ledger, payment));
        }
        set(&ledger, &payments[2], PaymentState::Expired);
        let sum = |time| ledger.spent_since(time, 6).unwrap();
        assert_eq!((sum(0), sum(1_001)), (U256::from(12), U256::ZERO));
        // A token with other decimals: rounded up.
        assert_eq!(ledger.spent_since(0, 8).unwrap(), U256::from(1_200));
        assert_eq!(ledger.spent_since(0, 5).unwrap(), U256::from(2));
    }

    #[test]
    fn concurrent_payments_do_not_exceed_the_limit_of_a_day() {
        let (_folder, ledger) = ledger();
        let maximum = U256::from(30);
        let check = |spent: U256| match spent + U256::from(10) > maximum {
            true => Err(crate::Error::DiffersFromManifest),
            false => Ok(()),
        };
        let pay = |nonce: u8| {
            let payment = Authorized {
                amount: U256::from(10),
                body_hash: B256::repeat_byte(nonce),
                ..record(nonce)
            };
            ledger.authorize(&payment, &[], check).is_ok()
        };
        let written: usize = std::thread::scope(|scope| {
            let payments: Vec<_> = (1..=12)
                .map(|nonce| scope.spawn(move || pay(nonce)))
                .collect();
            let written = payments.into_iter().map(|payment| payment.join().unwrap());
            written.filter(|is_written| *is_written).count()
        });
        assert_eq!(written, 3);
        assert_eq!(ledger.spent_since(0, 6).unwrap(), maximum);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, ledger) = ledger();
        assert!(written(&ledger, &record(1)));
        let mode = fs::metadata(ledger.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
