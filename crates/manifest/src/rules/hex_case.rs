//! Hex digits are lower case (ERC-8257 § 2, Hex-field casing). Upper case changes the hash, so this rule decides on the bytes
//! (§ 7, check 3): it is independent of the rules of each member, which ignore the case.

use std::borrow::Cow;

use super::{
    access::requirements,
    attestation::verifiability,
    context::{RuleContext, display},
    member::Member,
};
use crate::{Code, Value, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let creator = context.member(Member::CreatorAddress);
    check_field(context, creator, lowercase);
    let prices = context.member(Member::Pricing);
    for entry in prices.into_iter().flat_map(Value::elements) {
        check_field(context, entry.get("asset"), lowercase_asset);
        check_field(context, entry.get("recipient"), lowercase_account);
    }
    for entry in requirements(context) {
        check_field(context, entry.get("kind"), lowercase);
        check_field(context, entry.get("data"), lowercase);
    }
    let claims = verifiability(context);
    for (object, name) in [
        ("attestation", "enclaveHash"),
        ("reproducibleBuild", "buildHash"),
    ] {
        let object = claims.and_then(|claims| claims.get(object));
        check_field(
            context,
            object.and_then(|object| object.get(name)),
            lowercase,
        );
    }
}

fn check_field(
    context: &mut RuleContext<'_>,
    value: Option<Value<'_>>,
    lowercase: fn(&str) -> Cow<'_, str>,
) {
    let Some((value, text)) = value.and_then(|value| Some((value, value.as_str()?))) else {
        return;
    };
    let lowercase = lowercase(text);
    // Only the byte rules run before this rule, so a full budget has a violation that is about bytes.
    if lowercase == text || context.is_full() {
        return;
    }
    context.reject(Violation {
        code: Code::HexCase,
        pointer: value.pointer(),
        found: display(value),
        allowed: "lower-case hex digits".into(),
        fix: if lowercase.len() <= MAX_SHOWN_BYTES {
            format!("use \"{}\"", atr_ids::sanitize(&lowercase)).into()
        } else {
            "use lower-case digits".into()
        },
    });
}

/// The longest value that a fix repeats.
const MAX_SHOWN_BYTES: usize = 256;

/// A hex string with lower-case digits and prefix.
pub(super) fn lowercase(text: &str) -> Cow<'_, str> {
    let has_upper_case = text.bytes().any(|byte| matches!(byte, b'A'..=b'F'));
    if has_upper_case || text.starts_with("0X") {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// A CAIP-19 asset id whose reference and token id are lower case if they start with `0x` (T-28).
pub(super) fn lowercase_asset(text: &str) -> Cow<'_, str> {
    // The chain id before the first slash is case-sensitive.
    lowercase_parts(text, text.find('/').map_or(0, |slash| slash + 1))
}

/// A CAIP-10 account id whose address is lower case if it starts with `0x` (T-28).
pub(super) fn lowercase_account(text: &str) -> Cow<'_, str> {
    lowercase_parts(text, text.rfind(':').map_or(0, |colon| colon + 1))
}

/// Converts the parts after `start` that start with `0x`. Parts are separated by `/` and `:`.
fn lowercase_parts(text: &str, start: usize) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    let (head, tail) = text.split_at(start);
    let parts = tail.split_inclusive(['/', ':']).map(|part| {
        if part.starts_with("0x") || part.starts_with("0X") {
            lowercase(part)
        } else {
            Cow::Borrowed(part)
        }
    });
    Cow::Owned(parts.fold(head.to_owned(), |text, part| text + &part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hex_parts_of_references_are_converted() {
        for (text, expected) in [
            ("eip155:1/erc721:0xAB/771769", "eip155:1/erc721:0xab/771769"),
            ("eip155:1/erc721:0Xab/0xCD", "eip155:1/erc721:0xab/0xcd"),
            ("starknet:SN_MAIN/erc20:0xA", "starknet:SN_MAIN/erc20:0xa"),
            ("0xAB", "0xab"),
        ] {
            assert_eq!(lowercase_asset(text), expected);
        }
        for text in [
            "eip155:1/ERC20:AB",
            "solana:0xAB/token:EPjFWdd5",
            "eip155:1/slip44:60",
            "",
        ] {
            assert_eq!(lowercase_asset(text), text);
        }
        assert_eq!(lowercase_account("eip155:1:0xAB"), "eip155:1:0xab");
        assert_eq!(lowercase_account("x:0xAB:7S3P"), "x:0xAB:7S3P");
    }
}
