//! `Authorization: SIWE`: a signed message of EIP-4361.

use alloy_primitives::{Address, Bytes, U256, eip191_hash_message, keccak256};
use atr_ids::excerpt;

use super::ReplayKey;
use crate::{
    Alphabet, CredentialError, DecodeError, MAX_HEADER_BYTES, Signature, SignatureError, Window,
    decode_base64,
    wire::read::{parse_address, parse_bytes},
};

const FIRST_LINE_END: &str = " wants you to sign in with your Ethereum account:";

/// A signed message that names the host, the account and an expiry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiweCredential {
    message: String,
    signature: Bytes,
    /// Host and port that the message is for.
    pub domain: String,
    /// The account that signs.
    pub address: Address,
    /// The resource that the message is for.
    pub uri: String,
    /// EIP-155 chain id.
    pub chain_id: u64,
    /// Unix time in seconds.
    pub expiration_time: u64,
    /// Unix time in seconds.
    pub not_before: Option<u64>,
}

impl SiweCredential {
    /// Decodes `<base64url of the message>.<signature in hex>`. A message without an expiry is rejected.
    pub(super) fn decode(token: &[u8]) -> Result<Self, DecodeError> {
        if token.is_empty() {
            return Err(DecodeError::Empty);
        }
        if token.len() > MAX_HEADER_BYTES {
            return Err(DecodeError::TooLarge {
                bytes: token.len(),
                maximum: MAX_HEADER_BYTES,
            });
        }
        let invalid = |line| DecodeError::Siwe { line };
        let dot = token.iter().rposition(|byte| *byte == b'.');
        let (message, signature) =
            token.split_at(dot.ok_or_else(|| invalid("separator before the signature"))?);
        let message = decode_base64(message, Alphabet::UrlSafe)?;
        let message = String::from_utf8(message).map_err(|_| invalid("text in UTF-8"))?;
        let signature = signature
            .strip_prefix(b".")
            .and_then(|text| str::from_utf8(text).ok())
            .and_then(parse_bytes)
            .ok_or_else(|| invalid("signature in hex"))?;
        let lines = Lines::parse(&message)?;
        Ok(Self {
            domain: lines.domain.to_owned(),
            address: lines.address,
            uri: lines.uri.to_owned(),
            chain_id: lines.chain_id,
            expiration_time: lines.expiration_time,
            not_before: lines.not_before,
            signature,
            message,
        })
    }

    /// Checks host, time and signature, and returns the caller. `domain` is the public host and port of the gate; `now` is a Unix
    /// time in seconds.
    pub fn check(
        &self,
        domain: &str,
        window: Window,
        now: u64,
    ) -> Result<Address, CredentialError> {
        if !self.domain.eq_ignore_ascii_case(domain) {
            return Err(CredentialError::WrongDomain {
                found: excerpt(&self.domain),
            });
        }
        // EIP-4361 includes the first second, EIP-3009 excludes it.
        let valid_after = self.not_before.map_or(0, |time| time.saturating_sub(1));
        window.check_times(
            U256::from(valid_after),
            U256::from(self.expiration_time),
            now,
        )?;
        let signature = Signature::from_bytes(&self.signature)?;
        let recovered = signature.recover(eip191_hash_message(&self.message))?;
        if recovered == self.address {
            Ok(recovered)
        } else {
            Err(SignatureError::Signer {
                recovered,
                expected: self.address,
            }
            .into())
        }
    }

    /// Identifies the message, which contains a nonce.
    #[must_use]
    pub fn replay_key(&self) -> ReplayKey {
        ReplayKey {
            chain_id: self.chain_id,
            asset: Address::ZERO,
            from: self.address,
            nonce: keccak256(&self.message),
        }
    }
}

struct Lines<'a> {
    domain: &'a str,
    address: Address,
    uri: &'a str,
    chain_id: u64,
    expiration_time: u64,
    not_before: Option<u64>,
}

impl<'a> Lines<'a> {
    fn parse(message: &'a str) -> Result<Self, DecodeError> {
        let invalid = |line| move || DecodeError::Siwe { line };
        let mut lines = message.split('\n');
        let mut next = |name| lines.next().ok_or_else(invalid(name));
        let domain = next("domain")?
            .strip_suffix(FIRST_LINE_END)
            .map(|origin| origin.split_once("://").map_or(origin, |(_, host)| host))
            .filter(|domain| !domain.is_empty())
            .ok_or_else(invalid("domain"))?;
        let address = parse_address(next("address")?).ok_or_else(invalid("address"))?;
        let is_empty = |line: &str| line.is_empty().then_some(());
        is_empty(next("empty line")?).ok_or_else(invalid("empty line"))?;
        // A statement of one line, or none.
        if is_empty(next("statement")?).is_none() {
            is_empty(next("empty line")?).ok_or_else(invalid("empty line"))?;
        }
        let mut field = |prefix: &'static str| {
            let line = lines.next().and_then(|line| line.strip_prefix(prefix));
            line.ok_or_else(invalid(prefix.trim_end_matches(": ")))
        };
        let uri = field("URI: ")?;
        if field("Version: ")? != "1" {
            return Err(invalid("Version")());
        }
        let chain_id = field("Chain ID: ")?;
        let nonce = field("Nonce: ")?;
        let is_nonce = nonce.len() >= 8 && nonce.bytes().all(|byte| byte.is_ascii_alphanumeric());
        field("Issued At: ").and_then(|text| time(text).ok_or_else(invalid("Issued At")))?;
        let expiration_time = field("Expiration Time: ")?;
        if !is_nonce {
            return Err(invalid("Nonce")());
        }
        let not_before = lines
            .next()
            .and_then(|line| line.strip_prefix("Not Before: "))
            .map(|text| time(text).ok_or_else(invalid("Not Before")))
            .transpose()?;
        let chain_id = Some(chain_id)
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|text| text.parse().ok())
            .ok_or_else(invalid("Chain ID"))?;
        Ok(Self {
            domain,
            address,
            uri,
            chain_id,
            expiration_time: time(expiration_time).ok_or_else(invalid("Expiration Time"))?,
            not_before,
        })
    }
}

/// Unix time of an RFC 3339 date and time, without fractions of a second.
fn time(text: &str) -> Option<u64> {
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = text.get(range)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let punctuation = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")];
    let is_date = punctuation
        .iter()
        .all(|(at, mark)| text.get(*at..at + 1) == Some(*mark));
    let [year, month, day] = [number(0..4)?, number(5..7)?, number(8..10)?];
    let [hour, minute, second] = [number(11..13)?, number(14..16)?, number(17..19)?];
    let is_in_range = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !is_date || !is_in_range {
        return None;
    }
    let mut zone = text.get(19..)?;
    if let Some(fraction) = zone.strip_prefix('.') {
        zone = fraction.trim_start_matches(|character: char| character.is_ascii_digit());
        if zone.len() == fraction.len() {
            return None;
        }
    }
    let offset = match zone.as_bytes() {
        b"Z" => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2]
            if [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit()) =>
        {
            let digit = |byte: &u8| i64::from(byte - b'0');
            let minutes = (digit(h1) * 10 + digit(h2)) * 60 + digit(m1) * 10 + digit(m2);
            if *sign == b'+' { minutes } else { -minutes }
        }
        _ => return None,
    };
    // Days since 1970-01-01 of the proleptic Gregorian calendar, with years that start in March.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days =
        365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second;
    u64::try_from(seconds).ok()
}
