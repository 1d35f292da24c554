//! Signatures of smart accounts (ERC-1271, ERC-6492).

use alloy::eips::BlockId;
use alloy_primitives::{Address, B256, Bytes, FixedBytes, fixed_bytes};
use alloy_sol_types::{SolCall, sol};
use atr_rpc::{BlockView, CallResult};
use tokio::time::timeout;

use super::{AccessChecker, AccessUnknown, undeployed::UndeployedSignature};

sol! {
    function isValidSignature(bytes32 hash, bytes signature) external view returns (bytes4);
}

const VALID: FixedBytes<4> = fixed_bytes!("1626ba7e");

/// Gas for an account to check a signature. Passkeys without a precompile take about 400,000.
const GAS: u32 = 1_000_000;

/// Gas to deploy an account and to check a signature.
const DEPLOYMENT_GAS: u64 = 4_000_000;

impl AccessChecker {
    /// Whether the smart account `account` accepts a signature, at the current head. An account without code accepts none, unless the
    /// signature says how to deploy it with one of `factories`.
    pub(crate) async fn accepts_signature(
        &self,
        account: Address,
        hash: B256,
        signature: &Bytes,
        factories: &[Address],
        now: u64,
    ) -> Result<bool, AccessUnknown> {
        let check = |signature: Bytes| -> Bytes {
            let call = isValidSignatureCall { hash, signature };
            call.abi_encode().into()
        };
        let undeployed = if UndeployedSignature::is_suffix_of(signature) {
            // Any other contract could be made to change what an account accepts.
            let Some(parts) = UndeployedSignature::decode(signature)
                .filter(|parts| factories.contains(&parts.factory))
            else {
                return Ok(false);
            };
            let Some(code) = parts.check_code(account, &check(parts.signature.clone()), GAS) else {
                return Ok(false);
            };
            Some(code)
        } else {
            None
        };
        let head = self.head(now).await?;
        let config = self.config();
        let view = BlockView {
            provider: config.node.provider(),
            block: BlockId::number(head.number),
        };
        let call = async {
            match undeployed {
                Some(code) => view.run(code, DEPLOYMENT_GAS).await,
                None => {
                    view.call(account, check(signature.clone()), Some(GAS.into()))
                        .await
                }
            }
        };
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
