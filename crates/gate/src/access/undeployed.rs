//! Signatures of smart accounts that may not be deployed yet (ERC-6492).

use alloy_primitives::{Address, B256, Bytes, b256};
use alloy_sol_types::SolValue;

/// The end of such a signature.
const SUFFIX: B256 = b256!("6492649264926492649264926492649264926492649264926492649264926492");

/// Limit of EIP-3860 for creation code, in bytes.
const MAX_CODE: usize = 49_152;

/// A signature, and the call that deploys the account that accepts it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UndeployedSignature {
    pub(super) factory: Address,
    deployment: Bytes,
    pub(super) signature: Bytes,
}

impl UndeployedSignature {
    /// Whether a signature has this form, valid or not.
    pub(super) fn is_suffix_of(signature: &[u8]) -> bool {
        signature.ends_with(SUFFIX.as_slice())
    }

    /// `None` if the signature does not have this form.
    pub(super) fn decode(signature: &[u8]) -> Option<Self> {
        let encoded = signature.strip_suffix(SUFFIX.as_slice())?;
        let decoded = <(Address, Bytes, Bytes)>::abi_decode_params_validate(encoded).ok()?;
        let (factory, deployment, signature) = decoded;
        Some(Self {
            factory,
            deployment,
            signature,
        })
    }

    /// Creation code that deploys the account and calls it. `None` if it is longer than the limit. As Solidity:
    ///
    /// ```solidity
    /// factory.call(deployment); // may fail: the account may be deployed already
    /// (bool success, bytes memory result) = account.staticcall{gas: gas}(check);
    /// return success ? bytes32(result) : bytes32(0);
    /// ```
    pub(super) fn check_code(&self, account: Address, check: &[u8], gas: u32) -> Option<Bytes> {
        const PUSH0: u8 = 0x5f;
        const PUSH1: u8 = 0x60;
        const PUSH3: u8 = 0x62;
        const PUSH4: u8 = 0x63;
        const PUSH20: u8 = 0x73;
        const CODECOPY: u8 = 0x39;
        const GAS: u8 = 0x5a;
        const CALL: u8 = 0xf1;
        const POP: u8 = 0x50;
        const STATICCALL: u8 = 0xfa;
        const MLOAD: u8 = 0x51;
        const MUL: u8 = 0x02;
        const MSTORE: u8 = 0x52;
        const RETURN: u8 = 0xf3;
        /// Bytes before the data.
        const PROGRAM: usize = 108;

        let deployment = self.deployment.as_ref();
        let push3 = |number: usize| {
            let [_, high, middle, low] = u32::try_from(number).ok()?.to_be_bytes();
            Some([PUSH3, high, middle, low])
        };
        // A word behind all call data: zero until the account returns something.
        let result = push3(deployment.len().max(check.len()).next_multiple_of(32))?;
        let mut code = Vec::with_capacity(PROGRAM + deployment.len() + check.len());
        // codecopy(0, PROGRAM, deployment.length)
        code.extend(push3(deployment.len())?);
        code.extend(push3(PROGRAM)?);
        code.extend([PUSH0, CODECOPY]);
        // pop(call(gas(), factory, 0, 0, deployment.length, 0, 0))
        code.extend([PUSH0, PUSH0]);
        code.extend(push3(deployment.len())?);
        code.extend([PUSH0, PUSH0, PUSH20]);
        code.extend(self.factory);
        code.extend([GAS, CALL, POP]);
        // codecopy(0, PROGRAM + deployment.length, check.length)
        code.extend(push3(check.len())?);
        code.extend(push3(PROGRAM + deployment.len())?);
        code.extend([PUSH0, CODECOPY]);
        // staticcall(gas, account, 0, check.length, result, 32)
        code.extend([PUSH1, 32]);
        code.extend(result);
        code.extend(push3(check.len())?);
        code.extend([PUSH0, PUSH20]);
        code.extend(account);
        code.push(PUSH4);
        code.extend(gas.to_be_bytes());
        code.push(STATICCALL);
        // mstore(result, success * mload(result)); return(result, 32)
        code.extend(result);
        code.extend([MLOAD, MUL]);
        code.extend(result);
        code.push(MSTORE);
        code.extend([PUSH1, 32]);
        code.extend(result);
        code.push(RETURN);
        debug_assert_eq!(code.len(), PROGRAM);
        code.extend(deployment);
        code.extend(check);
        (code.len() <= MAX_CODE).then(|| code.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_the_form_of_the_erc_only() {
        let factory = Address::repeat_byte(1);
        let parts = (factory, Bytes::from(vec![2; 40]), Bytes::from(vec![3; 65]));
        let encoded = parts.abi_encode_params();
        let signature = [encoded.as_slice(), SUFFIX.as_slice()].concat();
        let decoded = UndeployedSignature::decode(&signature).unwrap();
        assert_eq!(
            (
                decoded.factory,
                decoded.deployment.len(),
                decoded.signature.len()
            ),
            (factory, 40, 65)
        );
        for other in [
            &encoded[..],
            SUFFIX.as_slice(),
            &signature[1..],
            &[&signature[..], &[0]].concat(),
        ] {
            assert_eq!(UndeployedSignature::decode(other), None);
        }
        let code = decoded.check_code(factory, &[4; 100], 1).unwrap();
        assert_eq!(code.len(), 108 + 140);
        assert_eq!(decoded.check_code(factory, &[0; MAX_CODE], 1), None);
    }
}
