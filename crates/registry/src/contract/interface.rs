//! Name, version, registry and ERC-165 interfaces of a contract.

use alloy_primitives::{Address, Bytes, FixedBytes, fixed_bytes};
use alloy_sol_types::{SolCall, sol};
use atr_bindings::ERC165_ID;
use serde::Serialize;

use crate::{DIAGNOSTIC_GAS, Error, MAX_NAME_BYTES, abi::AbiSlice};
use atr_rpc::BlockView;

sol! {
    function name() external view returns (string);
    function symbol() external view returns (string);
    function version() external view returns (string);
    function REGISTRY() external view returns (address);
    function registry() external view returns (address);
    function supportsInterface(bytes4 interfaceId) external view returns (bool);
}

/// The id that no contract may declare (ERC-165). A contract that does returns true for everything.
pub const INVALID_INTERFACE: FixedBytes<4> = fixed_bytes!("0xffffffff");

/// ERC-165 support of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InterfaceSupport {
    /// The contract supports ERC-165 and declares the interface.
    Declared,
    /// The contract supports ERC-165 and does not declare the interface.
    NotDeclared,
    /// The contract does not support ERC-165, or violates it.
    NoErc165,
}

pub(crate) async fn name(view: BlockView<'_>, address: Address) -> Result<Option<String>, Error> {
    Ok(decode_string(
        return_data(view, address, nameCall {}).await?,
    ))
}

pub(crate) async fn symbol(view: BlockView<'_>, address: Address) -> Result<Option<String>, Error> {
    Ok(decode_string(
        return_data(view, address, symbolCall {}).await?,
    ))
}

pub(crate) async fn version(
    view: BlockView<'_>,
    address: Address,
) -> Result<Option<String>, Error> {
    Ok(decode_string(
        return_data(view, address, versionCall {}).await?,
    ))
}

/// The registry of a configurable predicate: `REGISTRY()`, or `registry()` as in the reference's SubscriptionPredicate.
pub(crate) async fn registry(
    view: BlockView<'_>,
    address: Address,
) -> Result<Option<Address>, Error> {
    let decode = |bytes: Bytes| AbiSlice::new(&bytes).address(0).ok();
    let constant = return_data(view, address, REGISTRYCall {}).await?;
    if let Some(registry) = constant.and_then(decode) {
        return Ok(Some(registry));
    }
    let getter = return_data(view, address, registryCall {}).await?;
    Ok(getter.and_then(decode))
}

/// The three queries of ERC-165: ERC-165 itself, the invalid id, and the interface.
pub(crate) async fn interface_support(
    view: BlockView<'_>,
    address: Address,
    id: FixedBytes<4>,
) -> Result<InterfaceSupport, Error> {
    let (erc165, invalid, declared) = tokio::try_join!(
        supports_interface(view, address, ERC165_ID),
        supports_interface(view, address, INVALID_INTERFACE),
        supports_interface(view, address, id),
    )?;
    Ok(match (erc165, invalid, declared) {
        (Some(true), Some(false), Some(true)) => InterfaceSupport::Declared,
        (Some(true), Some(false), _) => InterfaceSupport::NotDeclared,
        _ => InterfaceSupport::NoErc165,
    })
}

/// The result is the first word; longer return data is allowed (T-06).
pub(crate) async fn supports_interface(
    view: BlockView<'_>,
    address: Address,
    id: FixedBytes<4>,
) -> Result<Option<bool>, Error> {
    let returned = return_data(view, address, supportsInterfaceCall { interfaceId: id }).await?;
    Ok(returned.and_then(|bytes| AbiSlice::new(&bytes).bool(0).ok()))
}

/// The decoded result; `None` if the call fails or returns invalid data. Not for results with dynamic types.
pub(crate) async fn call<C: SolCall>(
    view: BlockView<'_>,
    address: Address,
    call: C,
) -> Result<Option<C::Return>, Error> {
    let returned = return_data(view, address, call).await?;
    Ok(returned.and_then(|bytes| C::abi_decode_returns_validate(&bytes).ok()))
}

async fn return_data<C: SolCall>(
    view: BlockView<'_>,
    address: Address,
    call: C,
) -> Result<Option<Bytes>, Error> {
    let result = view.call(address, call.abi_encode().into(), Some(DIAGNOSTIC_GAS));
    Ok(result.await?.returned())
}

/// A string above the size limit counts as not implemented (I-12).
pub(super) fn decode_string(returned: Option<Bytes>) -> Option<String> {
    let bytes = returned?;
    let text = AbiSlice::new(&bytes).dynamic(0).ok()?.string().ok()?;
    (text.len() <= MAX_NAME_BYTES).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_a_string_of_256_bytes_and_not_one_of_257() {
        let encoded = |length| Some(nameCall::abi_encode_returns(&"a".repeat(length)).into());
        // I-12
        assert_eq!(
            decode_string(encoded(256)).map(|text| text.len()),
            Some(256)
        );
        assert_eq!(decode_string(encoded(257)), None);
        assert_eq!(decode_string(encoded(1 << 20)), None);
        assert_eq!(decode_string(Some(Bytes::new())), None);
        assert_eq!(decode_string(None), None);
    }
}
