//! An entry of `pricing`: amount, asset, recipient and protocol, all strings; asset and recipient on one chain.

use atr_ids::{AccountId, AssetId, Error, parse_decimal};

use super::{
    member::Member,
    scope::{Scope, shown},
};
use crate::{Code, Kind, Value, Violation};

pub(super) fn check(scope: &mut Scope<'_>) {
    let Some(pricing) = scope.member(Member::Pricing) else {
        return;
    };
    for entry in pricing.elements() {
        if scope.is_full() {
            return;
        }
        if let Some(entry) = scope.of_kind(entry, Kind::Object) {
            check_entry(scope, entry);
        }
    }
}

fn check_entry<'a>(scope: &mut Scope<'a>, entry: Value<'a>) {
    if let Some(amount) = scope.required(entry, "amount", Kind::String) {
        check_amount(scope, amount);
    }
    let asset = scope
        .required(entry, "asset", Kind::String)
        .and_then(|asset| check_asset(scope, asset));
    let recipient = scope
        .required(entry, "recipient", Kind::String)
        .and_then(|recipient| check_recipient(scope, recipient));
    if let Some(protocol) = scope.required(entry, "protocol", Kind::String)
        && protocol.as_str() == Some("")
    {
        scope.refuse(Violation {
            code: Code::EmptyProtocol,
            pointer: protocol.pointer(),
            found: shown(protocol),
            allowed: "the name of a payment protocol".into(),
            fix: "name the protocol, for instance \"x402\"".into(),
        });
    }
    // Compared as text (T-26).
    if let (Some(asset), Some(recipient)) = (asset, recipient)
        && asset.chain() != recipient.chain()
    {
        scope.refuse(Violation {
            code: Code::ChainMismatch,
            pointer: entry.pointer().member("recipient"),
            found: format!(
                "recipient on {}, asset on {}",
                recipient.chain(),
                asset.chain()
            ),
            allowed: "one chain for both".into(),
            fix: format!("give a recipient on {}", asset.chain()).into(),
        });
    }
}

fn check_amount(scope: &mut Scope<'_>, amount: Value<'_>) {
    if parse_decimal(amount.as_str().unwrap_or_default()).is_err() {
        scope.refuse(Violation {
            code: Code::BadAmount,
            pointer: amount.pointer(),
            found: shown(amount),
            allowed: "digits without leading zeros, from 0 to 2^256-1".into(),
            fix: "give the amount in the asset's smallest unit: \"20000\" is 0.02 USDC".into(),
        });
    }
}

fn check_asset(scope: &mut Scope<'_>, value: Value<'_>) -> Option<AssetId> {
    let text = value.as_str()?;
    match text.parse::<AssetId>() {
        Ok(asset) => Some(asset),
        Err(error) => {
            let example = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
            let lowercase = lowered(text, '/').filter(|text| text.parse::<AssetId>().is_ok());
            scope.refuse(bad_reference(
                value,
                Code::BadAsset,
                &error,
                "a CAIP-19 asset",
                example,
                lowercase,
            ));
            None
        }
    }
}

fn check_recipient(scope: &mut Scope<'_>, value: Value<'_>) -> Option<AccountId> {
    let text = value.as_str()?;
    match text.parse::<AccountId>() {
        Ok(account) => {
            if account.is_zero() {
                scope.refuse(Violation {
                    code: Code::ZeroRecipient,
                    pointer: value.pointer(),
                    found: shown(value),
                    allowed: "an account somebody holds".into(),
                    fix: "name the account that is to be paid".into(),
                });
            }
            Some(account)
        }
        Err(error) => {
            let example = "eip155:8453:0xabcdef0123456789abcdef0123456789abcdef01";
            let lowercase = lowered(text, ':').filter(|text| text.parse::<AccountId>().is_ok());
            scope.refuse(bad_reference(
                value,
                Code::BadRecipient,
                &error,
                "a CAIP-10 account",
                example,
                lowercase,
            ));
            None
        }
    }
}

/// The text with what follows the last `separator` in lower case.
fn lowered(text: &str, separator: char) -> Option<String> {
    let (before, after) = text.rsplit_once(separator)?;
    Some(format!("{before}{separator}{}", after.to_ascii_lowercase()))
}

/// A CAIP reference that is none; `lowercase` is the same one if its case was all that was wrong.
fn bad_reference(
    value: Value<'_>,
    code: Code,
    error: &Error,
    allowed: &'static str,
    example: &str,
    lowercase: Option<String>,
) -> Violation {
    Violation {
        code: if lowercase.is_some() {
            Code::HexCase
        } else {
            code
        },
        pointer: value.pointer(),
        found: error.to_string(),
        allowed: allowed.into(),
        fix: match lowercase {
            Some(text) => format!("write \"{text}\"").into(),
            None => format!("write it like \"{example}\"").into(),
        },
    }
}
