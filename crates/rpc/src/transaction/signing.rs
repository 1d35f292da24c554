//! Signing transactions.

use alloy::{
    consensus::{SignableTransaction, TxEip1559, TxEnvelope, TxLegacy},
    eips::eip2718::Encodable2718,
    network::TxSigner,
};
use alloy_primitives::{Signature, TxKind};

use super::Transaction;
use crate::{Attempt, Error, Fees};

/// Any signer: private key, keystore, hardware wallet or key service.
pub type Signer<'a> = dyn TxSigner<Signature> + Send + Sync + 'a;

/// Signs a transaction with a nonce and these fees.
pub(super) async fn sign(
    transaction: &Transaction,
    chain_id: u64,
    nonce: u64,
    fees: Fees,
    signer: &Signer<'_>,
) -> Result<Attempt, Error> {
    let call = &transaction.call;
    let failed = |source| Error::Signing { source };
    let envelope: TxEnvelope = if fees.is_legacy {
        let mut unsigned = TxLegacy {
            chain_id: Some(chain_id),
            nonce,
            gas_limit: transaction.gas_limit,
            gas_price: fees.max_fee_per_gas,
            to: TxKind::Call(call.to),
            value: call.value.0,
            input: call.data.clone(),
        };
        let signature = signer.sign_transaction(&mut unsigned).await;
        unsigned.into_signed(signature.map_err(failed)?).into()
    } else {
        let mut unsigned = TxEip1559 {
            chain_id,
            nonce,
            gas_limit: transaction.gas_limit,
            max_fee_per_gas: fees.max_fee_per_gas,
            max_priority_fee_per_gas: fees.max_priority_fee_per_gas,
            to: TxKind::Call(call.to),
            value: call.value.0,
            input: call.data.clone(),
            ..Default::default()
        };
        let signature = signer.sign_transaction(&mut unsigned).await;
        unsigned.into_signed(signature.map_err(failed)?).into()
    };
    Ok(Attempt {
        hash: *envelope.tx_hash(),
        raw: envelope.encoded_2718().into(),
        fees,
    })
}
