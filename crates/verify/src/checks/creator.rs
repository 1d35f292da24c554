//! Check 4: the manifest names the onchain creator.

use alloy_primitives::Address;
use atr_ids::{excerpt, parse_address};
use atr_manifest::{Document, Value};

use crate::{CheckResult, Failure};

/// Judges `creatorAddress`, and nothing else: a name or an extension never stands in for it (H-04). The onchain side is
/// compared as an address, whatever case a library prints it in; the manifest's side must be in lower case (T-37).
pub(crate) fn judge(document: &Document, creator: Address) -> CheckResult {
    let member = document.root().get("creatorAddress");
    let Some(named) = member.and_then(Value::as_str) else {
        let observed = "the manifest has no `creatorAddress` that is a text";
        return failed(
            "creator-missing",
            observed,
            creator,
            "the manifest names nobody who may register it",
        );
    };
    match parse_address(named) {
        Ok(address) if address == creator && !address.is_zero() => {
            CheckResult::passed(format!("{creator:#x}"))
        }
        Ok(address) if address.is_zero() => {
            let cause = "the zero address can register nothing; it does not mean \"anybody\"";
            failed("creator-zero", named, creator, cause)
        }
        // No command: the one who reads this may be on either side.
        Ok(address) => CheckResult::Failed(Failure::new(
            "creator-mismatch",
            format!("{address:#x} in the manifest"),
            format!("{creator:#x}, who registered the tool"),
            "another account than the one the manifest names has registered this place: a squatter, or the wrong key",
            format!(
                "the publisher registers it with {address:#x}; what {creator:#x} registered is not theirs"
            ),
        )),
        Err(error) => {
            let observed = format!("{}: {error}", excerpt(named));
            failed(
                "creator-address",
                &observed,
                creator,
                "that is not 0x and 40 hex digits in lower case",
            )
        }
    }
}

fn failed(code: &'static str, observed: &str, creator: Address, cause: &str) -> CheckResult {
    let failure = Failure::new(
        code,
        observed,
        format!("{creator:#x}, who registered the tool"),
        cause,
        format!("set `creatorAddress` to \"{creator:#x}\", if that is you"),
    );
    CheckResult::Failed(failure.then_update(None))
}
