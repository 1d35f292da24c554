//! How a contract came to be: the init code it was created with.

use alloy::{consensus::Transaction as _, network::TransactionResponse, providers::Provider};
use alloy_primitives::{Address, B256, Bytes, keccak256};

use crate::{AuditRequest, Error, FACTORY, Finding, Node, Verdict, node::failed};

/// What is known of how a contract came to be.
pub(crate) enum Provenance {
    /// The init code of the transaction that created it.
    Shown(B256),
    /// The address follows from this init code under the salt.
    Derived(B256),
    /// A transaction was named, and it did not create this contract.
    Elsewhere(B256),
    /// Nothing.
    Dark,
}

impl Provenance {
    pub(crate) async fn find(
        node: &Node,
        address: Address,
        request: &AuditRequest,
    ) -> Result<Self, Error> {
        let Some(hash) = request.transaction else {
            let pinned = request.init_code_hash;
            let derived = pinned.filter(|hash| FACTORY.create2(request.salt, hash) == address);
            return Ok(derived.map_or(Self::Dark, Self::Derived));
        };
        let transaction = node.provider().get_transaction_by_hash(hash).await;
        let transaction = transaction.map_err(failed("eth_getTransactionByHash"))?;
        let receipt = node.receipt(hash).await?.filter(|receipt| receipt.status());
        let (Some(transaction), Some(_)) = (transaction, receipt) else {
            return Ok(Self::Elsewhere(hash));
        };
        let input: Bytes = transaction.input().clone();
        let init_code = match transaction.to() {
            None => {
                Some(input).filter(|_| transaction.from().create(transaction.nonce()) == address)
            }
            Some(FACTORY) if input.len() >= 32 => Some(input.slice(32..)).filter(|init_code| {
                FACTORY.create2_from_code(B256::from_slice(&input[..32]), init_code) == address
            }),
            Some(_) => None,
        };
        Ok(init_code.map_or(Self::Elsewhere(hash), |code| Self::Shown(keccak256(code))))
    }

    pub(crate) fn judge(self, expected: Option<B256>) -> Finding {
        let what = "init code";
        match (self, expected) {
            (Self::Derived(hash), _) => Finding::judged(
                what,
                true,
                format!("{hash}, which the address follows from"),
            ),
            (Self::Shown(found), Some(expected)) if found == expected => Finding::judged(
                what,
                true,
                format!("{found}, as the creating transaction shows"),
            ),
            (Self::Shown(found), Some(expected)) => Finding::judged(
                what,
                false,
                format!(
                    "was {found}, not {expected}: its constructor may have written anything into storage"
                ),
            ),
            (Self::Shown(found), None) => Finding::new(
                what,
                Verdict::Unknown,
                format!("was {found}; none known to compare with: pin it with --init-code-hash"),
            ),
            (Self::Elsewhere(hash), _) => {
                Finding::judged(what, false, format!("{hash} did not create this contract"))
            }
            (Self::Dark, _) => Finding::new(
                what,
                Verdict::Unknown,
                "not known, and the same code with another constructor may answer differently: name the creating transaction \
                 with --transaction",
            ),
        }
    }
}
