//! Check 4: `creatorAddress` equals the registered creator.

use alloy_primitives::Address;
use atr_ids::{excerpt, parse_address};
use atr_manifest::{Document, Value};

use crate::{CheckResult, Failure, Remedy};

/// Compares `creatorAddress` with the registered creator. No other member is considered (H-04). The onchain value is compared as
/// an address; the manifest's value must be lower-case hex (T-37).
pub(crate) fn check(document: &Document, creator: Address) -> CheckResult {
    let member = document.root().get("creatorAddress");
    let Some(text) = member.and_then(Value::as_str) else {
        return failed(
            "creator-missing",
            "`creatorAddress` is missing or not a string",
            creator,
            "the manifest does not name the account that may register it",
        );
    };
    match parse_address(text) {
        Ok(address) if address == creator && !address.is_zero() => {
            CheckResult::passed(creator.to_string())
        }
        Ok(address) if address.is_zero() => {
            let cause = "the zero address cannot register a tool; it is not a wildcard";
            failed("creator-zero", text, creator, cause)
        }
        // No remedy: the reader can be the publisher or the account that registered the tool.
        Ok(address) => CheckResult::Failed(Failure::new(
            "creator-mismatch",
            format!("{address:#x} in the manifest"),
            format!("{creator:#x}, the registered creator"),
            "an account other than `creatorAddress` registered this metadataURI: a squatter, or the wrong key was used",
            format!(
                "register the tool from {address:#x}; the registration by {creator:#x} cannot be verified"
            ),
        )),
        Err(error) => {
            let observed = format!("{}: {error}", excerpt(text));
            failed(
                "creator-address",
                &observed,
                creator,
                "`creatorAddress` is not 0x followed by 40 lower-case hex digits",
            )
        }
    }
}

fn failed(code: &'static str, observed: &str, creator: Address, cause: &str) -> CheckResult {
    let failure = Failure::new(
        code,
        observed,
        format!("{creator:#x}, the registered creator"),
        cause,
        format!("set `creatorAddress` to \"{creator:#x}\" if this is your account"),
    );
    CheckResult::Failed(failure.with_remedy(Remedy::UpdateHash))
}
