//! Signatures of smart accounts (ERC-1271).

use alloy::eips::BlockId;
use alloy_primitives::{Address, B256, Bytes, FixedBytes, fixed_bytes};
use alloy_sol_types::{SolCall, sol};
use atr_rpc::{BlockView, CallResult};
use tokio::time::timeout;

use super::{AccessChecker, AccessUnknown};

sol! {
    function isValidSignature(bytes32 hash, bytes signature) external view returns (bytes4);
}

const VALID: FixedBytes<4> = fixed_bytes!("1626ba7e");

/// Gas for an account to check a signature. Passkeys without a precompile take about 400,000.
const GAS: u64 = 1_000_000;

impl AccessChecker {
    /// Whether the smart account `account` accepts a signature, at the current head. An account without code accepts none.
    pub(crate) async fn accepts_signature(
        &self,
        account: Address,
        hash: B256,
        signature: &Bytes,
        now: u64,
    ) -> Result<bool, AccessUnknown> {
        let head = self.head(now).await?;
        let call = isValidSignatureCall {
            hash,
            signature: signature.clone(),
        };
        let config = self.config();
        let view = BlockView {
            provider: config.node.provider(),
            block: BlockId::number(head.number),
        };
        let call = view.call(account, call.abi_encode().into(), Some(GAS));
        match timeout(config.timeout, call).await {
            Ok(Ok(CallResult::Returned(bytes))) => {
                let returned = isValidSignatureCall::abi_decode_returns_validate(&bytes);
                Ok(returned.is_ok_and(|returned| returned == VALID))
            }
            Ok(Ok(CallResult::Failed { .. })) => Ok(false),
            Ok(Err(_)) | Err(_) => Err(AccessUnknown::NodeUnavailable),
        }
    }
}
