//! Delegation registry of delegate.xyz, version 2.

use alloy_primitives::{Address, B256, Bytes, U256, address};
use alloy_sol_types::{SolCall, sol};
use atr_rpc::CallResult;

/// Address of delegate.xyz version 2, the same on every chain that has it.
pub const DELEGATE_REGISTRY: Address = address!("0x00000000000000447e69651d841bD8D104Bed493");

sol! {
    /// T-47: the form with three arguments belongs to version 2; agent first, holder second.
    function checkDelegateForAll(address to, address from, bytes32 rights) external view returns (bool);
}

/// Call data that asks whether `holder` has delegated everything to `agent`.
pub(super) fn call(agent: Address, holder: Address) -> Bytes {
    let call = checkDelegateForAllCall {
        to: agent,
        from: holder,
        rights: B256::ZERO,
    };
    call.abi_encode().into()
}

/// `None` if the result is not a boolean: there is no contract, or it failed.
pub(super) fn decode(result: &CallResult) -> Option<bool> {
    let CallResult::Returned(bytes) = result else {
        return None;
    };
    let word: [u8; 32] = bytes.as_ref().try_into().ok()?;
    match U256::from_be_bytes(word) {
        U256::ZERO => Some(false),
        U256::ONE => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::hex;

    use super::*;

    #[test]
    fn asks_with_agent_holder_and_no_rights() {
        // T-47
        let data = call(Address::repeat_byte(1), Address::repeat_byte(2));
        assert_eq!(data[..4], hex!("e839bd53"));
        assert_eq!(data[16..36], [1; 20]);
        assert_eq!(data[48..68], [2; 20]);
        assert_eq!((data.len(), &data[68..]), (100, &[0; 32][..]));
    }

    #[test]
    fn only_a_boolean_is_an_answer() {
        let returned = |bytes: Vec<u8>| CallResult::Returned(bytes.into());
        let word = |value: u8| {
            let mut word = vec![0; 32];
            word[31] = value;
            word
        };
        assert_eq!(decode(&returned(word(1))), Some(true));
        assert_eq!(decode(&returned(word(0))), Some(false));
        for other in [
            Vec::new(),
            word(2),
            vec![0; 31],
            vec![0; 64],
            vec![0xff; 32],
        ] {
            assert_eq!(decode(&returned(other)), None);
        }
        let failed = CallResult::Failed {
            data: Bytes::new(),
            message: String::new(),
        };
        assert_eq!(decode(&failed), None);
    }
}
