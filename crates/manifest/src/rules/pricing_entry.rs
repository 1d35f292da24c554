//! Entries of `pricing`: amount, asset, recipient and protocol, all strings. Asset and recipient must be on the same chain.

use atr_ids::{AccountId, AssetId, Error, parse_decimal};

use super::{
    context::{RuleContext, display},
    hex_case::{lowercase_account, lowercase_asset},
    member::Member,
};
use crate::{Code, Kind, Value, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(pricing) = context.member(Member::Pricing) else {
        return;
    };
    for entry in pricing.elements() {
        if context.is_full() {
            return;
        }
        if let Some(entry) = context.expect_kind(entry, Kind::Object) {
            check_entry(context, entry);
        }
    }
}

fn check_entry<'a>(context: &mut RuleContext<'a>, entry: Value<'a>) {
    if let Some(amount) = context.required(entry, "amount", Kind::String) {
        check_amount(context, amount);
    }
    let asset = context
        .required(entry, "asset", Kind::String)
        .and_then(|asset| check_asset(context, asset));
    let recipient = context
        .required(entry, "recipient", Kind::String)
        .and_then(|recipient| check_recipient(context, recipient));
    if let Some(protocol) = context.required(entry, "protocol", Kind::String)
        && protocol.as_str() == Some("")
        && !context.has_max_warnings()
    {
        // Opaque to the ERC, so an empty name is valid (E-18).
        context.warn(Violation {
            code: Code::EmptyProtocol,
            pointer: protocol.pointer(),
            found: display(protocol),
            allowed: "the name of a payment protocol".into(),
            fix: "use the name of the protocol, such as \"x402\"".into(),
        });
    }
    // Compared as text (T-26).
    if let (Some(asset), Some(recipient)) = (asset, recipient)
        && asset.chain() != recipient.chain()
    {
        context.reject(Violation {
            code: Code::ChainMismatch,
            pointer: entry.pointer().member("recipient"),
            found: format!(
                "recipient on {}, asset on {}",
                recipient.chain(),
                asset.chain()
            ),
            allowed: "asset and recipient on the same chain".into(),
            fix: format!("use a recipient on {}", asset.chain()).into(),
        });
    }
}

fn check_amount(context: &mut RuleContext<'_>, amount: Value<'_>) {
    if parse_decimal(amount.as_str().unwrap_or_default()).is_err() {
        context.reject(Violation {
            code: Code::BadAmount,
            pointer: amount.pointer(),
            found: display(amount),
            allowed: "a decimal number from 0 to 2^256-1 without leading zeros".into(),
            fix: "use base units of the asset: \"20000\" is 0.02 USDC".into(),
        });
    }
}

fn check_asset(context: &mut RuleContext<'_>, value: Value<'_>) -> Option<AssetId> {
    // The case is checked by `hex_case`.
    match lowercase_asset(value.as_str()?).parse() {
        Ok(asset) => Some(asset),
        Err(error) => {
            let example = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
            context.reject(invalid_reference(
                value,
                Code::BadAsset,
                &error,
                "a CAIP-19 asset id",
                example,
            ));
            None
        }
    }
}

fn check_recipient(context: &mut RuleContext<'_>, value: Value<'_>) -> Option<AccountId> {
    match lowercase_account(value.as_str()?).parse::<AccountId>() {
        Ok(account) => {
            if account.is_zero() {
                context.reject(Violation {
                    code: Code::ZeroRecipient,
                    pointer: value.pointer(),
                    found: display(value),
                    allowed: "an account other than the zero address".into(),
                    fix: "use the account to pay".into(),
                });
            }
            Some(account)
        }
        Err(error) => {
            let example = "eip155:8453:0xabcdef0123456789abcdef0123456789abcdef01";
            context.reject(invalid_reference(
                value,
                Code::BadRecipient,
                &error,
                "a CAIP-10 account id",
                example,
            ));
            None
        }
    }
}

/// The violation of an invalid CAIP id.
fn invalid_reference(
    value: Value<'_>,
    code: Code,
    error: &Error,
    allowed: &'static str,
    example: &str,
) -> Violation {
    Violation {
        code,
        pointer: value.pointer(),
        found: error.to_string(),
        allowed: allowed.into(),
        fix: format!("use a value such as \"{example}\"").into(),
    }
}
