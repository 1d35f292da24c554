//! Cheap questions that help to tell what a contract is: its name, its version, its interfaces, its registry.

use alloy_primitives::{Address, Bytes, FixedBytes, fixed_bytes};
use alloy_sol_types::{SolCall, sol};
use atr_bindings::ERC165_ID;
use serde::Serialize;

use crate::{
    Error,
    abi::Encoded,
    caps::{DIAGNOSTIC_GAS, MAX_NAME_BYTES},
    view::View,
};

sol! {
    function name() external view returns (string);
    function version() external view returns (string);
    function REGISTRY() external view returns (address);
    function supportsInterface(bytes4 interfaceId) external view returns (bool);
}

/// No contract may claim it (ERC-165); one that does says yes to everything, which is worth nothing.
pub const INVALID_INTERFACE: FixedBytes<4> = fixed_bytes!("0xffffffff");

/// Whether a contract says that it implements an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InterfaceSupport {
    /// It answers ERC-165 and claims the interface.
    Yes,
    /// It answers ERC-165 and does not claim it.
    No,
    /// It does not answer ERC-165, or not as the standard wants it.
    Silent,
}

pub(crate) async fn name(view: View<'_>, address: Address) -> Result<Option<String>, Error> {
    Ok(text(ask(view, address, nameCall {}).await?))
}

pub(crate) async fn version(view: View<'_>, address: Address) -> Result<Option<String>, Error> {
    Ok(text(ask(view, address, versionCall {}).await?))
}

/// The registry a predicate says it serves.
pub(crate) async fn registry_of(
    view: View<'_>,
    address: Address,
) -> Result<Option<Address>, Error> {
    let answer = ask(view, address, REGISTRYCall {}).await?;
    Ok(answer.and_then(|bytes| Encoded::new(&bytes).address(0).ok()))
}

/// Climbs the ladder of ERC-165: does it answer at all, does it lie, does it claim the interface?
pub(crate) async fn advertises(
    view: View<'_>,
    address: Address,
    id: FixedBytes<4>,
) -> Result<InterfaceSupport, Error> {
    let (answers, lies, claims) = tokio::try_join!(
        supports(view, address, ERC165_ID),
        supports(view, address, INVALID_INTERFACE),
        supports(view, address, id),
    )?;
    Ok(match (answers, lies, claims) {
        (Some(true), Some(false), Some(true)) => InterfaceSupport::Yes,
        (Some(true), Some(false), _) => InterfaceSupport::No,
        _ => InterfaceSupport::Silent,
    })
}

/// A probe's answer is its first word, longer answers included (T-06).
pub(crate) async fn supports(
    view: View<'_>,
    address: Address,
    id: FixedBytes<4>,
) -> Result<Option<bool>, Error> {
    let answer = ask(view, address, supportsInterfaceCall { interfaceId: id }).await?;
    Ok(answer.and_then(|bytes| Encoded::new(&bytes).flag(0).ok()))
}

async fn ask<C: SolCall>(
    view: View<'_>,
    address: Address,
    call: C,
) -> Result<Option<Bytes>, Error> {
    let answer = view.ask(address, call.abi_encode().into(), Some(DIAGNOSTIC_GAS));
    Ok(answer.await?.returned())
}

/// A text of a size that can be shown; anything longer counts as no answer at all (I-12).
fn text(answer: Option<Bytes>) -> Option<String> {
    let bytes = answer?;
    let text = Encoded::new(&bytes).tail(0).ok()?.text().ok()?;
    (text.len() <= MAX_NAME_BYTES).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_256_bytes_counts_and_one_more_does_not() {
        let encoded = |length| Some(nameCall::abi_encode_returns(&"a".repeat(length)).into());
        // I-12
        assert_eq!(text(encoded(256)).map(|text| text.len()), Some(256));
        assert_eq!(text(encoded(257)), None);
        assert_eq!(text(encoded(1 << 20)), None);
        assert_eq!(text(Some(Bytes::new())), None);
        assert_eq!(text(None), None);
    }
}
