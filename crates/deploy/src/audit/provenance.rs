//! The init code that created a contract.

use alloy::{
    consensus::Transaction as _, eips::BlockId, network::TransactionResponse, providers::Provider,
};
use alloy_primitives::{Address, B256, keccak256};
use atr_rpc::{BlockView, Node, rpc_error};

use super::{AuditRequest, Finding, MissingInput};
use crate::{Error, FACTORY};

/// What a transaction says about the creation of a contract.
enum Creation {
    /// The transaction created the contract, with the init code of this hash.
    InitCode(B256),
    /// The transaction did not create the contract.
    NotCreated(&'static str),
    /// The transaction may have created the contract.
    Unknown(&'static str),
}

/// Compares the init code of a contract with the pinned hash, otherwise with the expected one.
///
/// The init code is known if the CREATE2 address follows from one of the two hashes, or from the transaction that created the
/// contract.
pub(super) async fn check_init_code(
    node: &Node,
    address: Address,
    request: &AuditRequest,
    expected: Option<B256>,
) -> Result<Finding, Error> {
    let check = "init code";
    let pinned = request.init_code_hash;
    let known = [pinned, expected].into_iter().flatten();
    let derived = known
        .clone()
        .find(|hash| FACTORY.create2(request.salt, hash) == address);
    let (found, source) = match (request.transaction, derived) {
        (None, Some(hash)) => (hash, "proved by the CREATE2 address".to_owned()),
        (None, None) => {
            let detail = match pinned {
                Some(hash) => format!("the address does not follow from {hash} with this salt"),
                None => {
                    "unknown; the same runtime code with another constructor can behave differently"
                        .to_owned()
                }
            };
            let missing = MissingInput::CreationTransaction;
            return Ok(Finding::inconclusive(check, detail, Some(missing)));
        }
        (Some(transaction), derived) => {
            match (find_creation(node, transaction, address).await?, derived) {
                (Creation::InitCode(hash), _) => (hash, "from the creation transaction".to_owned()),
                (Creation::NotCreated(reason), _) => {
                    let detail = format!("{transaction} did not create this contract: {reason}");
                    return Ok(Finding::new(check, false, detail));
                }
                (Creation::Unknown(reason), Some(hash)) => {
                    let source = format!(
                        "proved by the CREATE2 address; not by the transaction: {reason} ({transaction})"
                    );
                    (hash, source)
                }
                (Creation::Unknown(reason), None) => {
                    let detail = format!("unknown: {reason} ({transaction})");
                    return Ok(Finding::inconclusive(check, detail, None));
                }
            }
        }
    };
    Ok(match pinned.or(expected) {
        Some(expected) if found == expected => {
            Finding::new(check, true, format!("{found}, {source}"))
        }
        Some(expected) => Finding::new(
            check,
            false,
            format!(
                "{found}, {source}; expected {expected}; another constructor can write different storage"
            ),
        ),
        None => Finding::inconclusive(
            check,
            format!("{found}, {source}; the expected init code is unknown"),
            Some(MissingInput::InitCodeHash),
        ),
    })
}

async fn find_creation(node: &Node, hash: B256, address: Address) -> Result<Creation, Error> {
    let transaction = node.provider().get_transaction_by_hash(hash).await;
    let transaction = transaction.map_err(rpc_error("eth_getTransactionByHash"))?;
    let receipt = node.receipt(hash).await?;
    let (Some(transaction), Some(receipt)) = (transaction, receipt) else {
        return Ok(Creation::Unknown(
            "the node does not have this transaction in a block",
        ));
    };
    if !receipt.status() {
        return Ok(Creation::NotCreated("it reverted"));
    }
    let input = transaction.input();
    let init_code = match transaction.to() {
        None if transaction.from().create(transaction.nonce()) == address => Some(input.clone()),
        Some(FACTORY) if input.len() >= 32 => Some(input.slice(32..)).filter(|init_code| {
            FACTORY.create2_from_code(B256::from_slice(&input[..32]), init_code) == address
        }),
        _ => None,
    };
    if let Some(init_code) = init_code {
        return Ok(Creation::InitCode(keccak256(init_code)));
    }
    // A contract that the transaction called, or a constructor, may have created it.
    let Some(block) = receipt.block_number else {
        return Ok(Creation::Unknown("the transaction has no block number"));
    };
    let had_code = match block.checked_sub(1) {
        Some(before) => has_code(node, address, before).await,
        None => Some(false),
    };
    Ok(match (had_code, has_code(node, address, block).await) {
        (Some(true), _) => Creation::NotCreated("the contract existed before"),
        (_, Some(false)) => Creation::NotCreated("the contract did not exist after it"),
        _ => Creation::Unknown(
            "the transaction may have created the contract by an inner call, whose init code it does not show",
        ),
    })
}

/// Whether an account had code at a block; `None` if the node does not have the state.
async fn has_code(node: &Node, address: Address, block: u64) -> Option<bool> {
    let view = BlockView {
        provider: node.provider(),
        block: BlockId::number(block),
    };
    let code = view.code(address).await.ok()?;
    Some(!code.is_empty())
}
