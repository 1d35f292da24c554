//! The init code that created a contract.

use alloy::{consensus::Transaction as _, network::TransactionResponse, providers::Provider};
use alloy_primitives::{Address, B256, Bytes, keccak256};
use atr_rpc::{Node, rpc_error};

use super::{AuditRequest, Finding, MissingInput};
use crate::{Error, FACTORY};

/// How the init code hash of a contract was found.
pub(super) enum Provenance {
    /// From the transaction that created the contract.
    Transaction(B256),
    /// From the CREATE2 address.
    Address(B256),
    /// The given transaction did not create the contract.
    OtherTransaction(B256),
    /// Not found.
    Unknown,
}

impl Provenance {
    pub(super) async fn find(
        node: &Node,
        address: Address,
        request: &AuditRequest,
    ) -> Result<Self, Error> {
        let Some(hash) = request.transaction else {
            let pinned = request.init_code_hash;
            let derived = pinned.filter(|hash| FACTORY.create2(request.salt, hash) == address);
            return Ok(derived.map_or(Self::Unknown, Self::Address));
        };
        let transaction = node.provider().get_transaction_by_hash(hash).await;
        let transaction = transaction.map_err(rpc_error("eth_getTransactionByHash"))?;
        let receipt = node.receipt(hash).await?.filter(|receipt| receipt.status());
        let (Some(transaction), Some(_)) = (transaction, receipt) else {
            return Ok(Self::OtherTransaction(hash));
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
        Ok(init_code.map_or(Self::OtherTransaction(hash), |code| {
            Self::Transaction(keccak256(code))
        }))
    }

    pub(super) fn check(self, expected: Option<B256>) -> Finding {
        let check = "init code";
        match (self, expected) {
            (Self::Address(hash), _) => Finding::init_code_matches_address(hash),
            (Self::Transaction(found), Some(expected)) if found == expected => Finding::new(
                check,
                true,
                format!("{found}, from the creation transaction"),
            ),
            (Self::Transaction(found), Some(expected)) => Finding::new(
                check,
                false,
                format!(
                    "{found}, expected {expected}; another constructor can write different storage"
                ),
            ),
            (Self::Transaction(found), None) => Finding::inconclusive(
                check,
                format!("{found}; the expected init code is unknown"),
                Some(MissingInput::InitCodeHash),
            ),
            (Self::OtherTransaction(hash), _) => {
                Finding::new(check, false, format!("{hash} did not create this contract"))
            }
            (Self::Unknown, _) => Finding::inconclusive(
                check,
                "unknown; the same runtime code with another constructor can behave differently",
                Some(MissingInput::CreationTransaction),
            ),
        }
    }
}
