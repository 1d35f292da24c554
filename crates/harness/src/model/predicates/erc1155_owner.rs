//! Who holds any of some ERC-1155 tokens.

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, SolInterface, SolValue};
use atr_bindings::{
    ERC1155_HOLDING_ID,
    ERC1155OwnerPredicate::{
        CollectionTokens, CollectionTokensSet, ERC1155OwnerPredicateCalls as Calls, NoTokenIds,
        TooManyTokens,
    },
};

use super::{
    Ended, Predicate, Requirements,
    predicate::{logs, no_answer},
    settings::{Settings, require_creator},
};
use crate::{
    PlainERC1155::balanceOfBatchCall,
    model::{Around, Registry, Reply},
};

const GAS_PER_COLLECTION: u64 = 9_000;
const GAS_PER_TOKEN: u64 = 3_000;
const MAX_GAS: u64 = 185_000;

/// What a collection counts against the limit: its stipend, the 1/63 of it that a caller must keep, and what asking takes.
fn gas_to_ask(ids: u64) -> u64 {
    let stipend = GAS_PER_COLLECTION + ids * GAS_PER_TOKEN;
    let asking = 3_500 + ids * 120;
    stipend + stipend / 63 + asking
}

/// `ERC1155OwnerPredicate`.
#[derive(Clone, Debug)]
pub struct Erc1155Owner(Settings<Vec<CollectionTokens>>);

impl Erc1155Owner {
    /// Not set up for any tool.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(Settings::new(address, registry))
    }
}

impl Predicate for Erc1155Owner {
    fn name(&self) -> &'static str {
        "ERC1155OwnerPredicate"
    }

    fn registry(&self) -> Option<Address> {
        Some(self.0.registry)
    }

    /// Any yes grants; else the last that is silent makes it unknown.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        _: &[u8],
        around: Around<'_>,
    ) -> Result<bool, Reply> {
        let mut silent = None;
        for group in self.0.require(id)? {
            if !around.has_code(group.collection) {
                continue;
            }
            let question = balanceOfBatchCall {
                accounts: vec![account; group.tokenIds.len()],
                ids: group.tokenIds.clone(),
            };
            let answer = around.ask(group.collection, &question.abi_encode());
            match answer.and_then(|bytes| balances(&bytes, group.tokenIds.len())) {
                Some(balances) if balances.iter().any(|balance| !balance.is_zero()) => {
                    return Ok(true);
                }
                Some(_) => {}
                None => silent = Some(group.collection),
            }
        }
        silent.map_or(Ok(false), |collection| Err(no_answer(collection)))
    }

    fn requirements(&self, id: U256, _: Around<'_>) -> Result<Requirements, Reply> {
        let groups = self.0.require(id)?;
        if groups.is_empty() {
            return Ok(Requirements::nobody());
        }
        let all = groups.iter().flat_map(|group| {
            let ids = group.tokenIds.iter();
            ids.map(|token| (group.collection, *token).abi_encode())
        });
        let label = "Hold this ERC-1155 token";
        Ok(Requirements::any_of(ERC1155_HOLDING_ID, all, label))
    }

    fn view(&self, data: &[u8], _: Around<'_>) -> Option<Ended> {
        let returned = match Calls::abi_decode_validate(data).ok()? {
            Calls::GAS_PER_COLLECTION(_) => U256::from(GAS_PER_COLLECTION).abi_encode(),
            Calls::GAS_PER_TOKEN(_) => U256::from(GAS_PER_TOKEN).abi_encode(),
            Calls::MAX_GAS(_) => U256::from(MAX_GAS).abi_encode(),
            Calls::gasToAsk(asked) => {
                U256::from(gas_to_ask(u64::try_from(asked.count).ok()?)).abi_encode()
            }
            Calls::getCollectionTokens(asked) => {
                let groups = self.0.find(asked.toolId).cloned().unwrap_or_default();
                groups.abi_encode()
            }
            _ => return None,
        };
        Some(Ok(Reply::returns(returned)))
    }

    fn set(&mut self, from: Address, data: &[u8], registry: &Registry, _: Around<'_>) -> Ended {
        let Ok(Calls::setCollectionTokens(call)) = Calls::abi_decode_validate(data) else {
            return Err(Reply::reverts_silently());
        };
        let (id, groups) = (call.toolId, call.tokens);
        require_creator(registry, id, from)?;
        if let Some(empty) = groups.iter().find(|group| group.tokenIds.is_empty()) {
            return Err(Reply::reverts(&NoTokenIds {
                collection: empty.collection,
            }));
        }
        let gas = groups
            .iter()
            .map(|group| gas_to_ask(group.tokenIds.len() as u64));
        let gas: u64 = gas.sum();
        if gas > MAX_GAS {
            return Err(Reply::reverts(&TooManyTokens {
                gasNeeded: U256::from(gas),
                gasLimit: U256::from(MAX_GAS),
            }));
        }
        self.0.set(id, groups.clone());
        Ok(logs(
            self.0.predicate,
            &CollectionTokensSet {
                toolId: id,
                tokens: groups,
            },
        ))
    }
}

/// So many balances, as `abi.encode(uint256[])` lays them out; what follows them is nobody's business.
fn balances(answer: &Bytes, count: usize) -> Option<Vec<U256>> {
    let words = answer.chunks_exact(32).map(U256::from_be_slice);
    let words: Vec<U256> = words.collect();
    let is_array =
        words.len() >= 2 + count && words[0] == U256::from(32) && words[1] == U256::from(count);
    is_array.then(|| words[2..2 + count].to_vec())
}
