//! Who holds any of some ERC-1155 tokens.

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{Panic, PanicKind, SolCall, SolValue};
use atr_bindings::{
    ERC1155_HOLDING_ID,
    ERC1155OwnerPredicate::{
        CollectionTokens, CollectionTokensSet, GAS_PER_COLLECTIONCall, GAS_PER_TOKENCall,
        MAX_GASCall, NoTokenIds, TooManyTokens, gasToAskCall, getCollectionTokensCall,
        setCollectionTokensCall,
    },
};

use super::{
    Ended, Predicate, Requirements, Slots,
    predicate::{logs, no_answer},
    settings::{Settings, require_creator},
    stored::{packed, with_list},
};
use crate::{
    PlainERC1155::balanceOfBatchCall,
    model::{
        Around, Registry, Reply,
        calldata::{Arguments, Group, clean_address},
        thirst,
    },
};

const GAS_PER_COLLECTION: u64 = 9_000;
const GAS_PER_TOKEN: u64 = 3_000;
const MAX_GAS: u64 = 185_000;

/// What a collection counts against the limit: its stipend, the 1/63 of it that a caller must keep, and what asking takes;
/// none if that is more than a word holds. The middle of it is not guarded, and wraps.
fn gas_to_ask(ids: U256) -> Option<U256> {
    let of_ids = ids.checked_mul(U256::from(GAS_PER_TOKEN))?;
    let stipend = of_ids.checked_add(U256::from(GAS_PER_COLLECTION))?;
    let kept = stipend / U256::from(63);
    let put = stipend.wrapping_add(kept).wrapping_add(U256::from(500));
    let own = ids.checked_mul(U256::from(120))?;
    put.checked_add(U256::from(3_000))?.checked_add(own)
}

/// The same of lists that stand in calldata, which is never that long.
fn gas_to_ask_all(counts: impl Iterator<Item = usize>) -> U256 {
    let each = counts.map(|count| gas_to_ask(U256::from(count)).unwrap_or(U256::MAX));
    each.fold(U256::ZERO, U256::saturating_add)
}

fn overflow() -> Reply {
    Reply::reverts(&Panic::from(PanicKind::UnderOverflow))
}

/// All groups, each with an id; they are gone through in order.
fn whole(groups: Vec<Option<Group>>) -> Result<Vec<Group>, Reply> {
    let check = |group: Option<Group>| {
        let group = group.ok_or_else(Reply::reverts_silently)?;
        if !group.numbers.is_empty() {
            return Ok(group);
        }
        Err(match clean_address(group.address) {
            Some(collection) => Reply::reverts(&NoTokenIds { collection }),
            None => Reply::reverts_silently(),
        })
    };
    groups.into_iter().map(check).collect()
}

fn clean(group: Group) -> Option<CollectionTokens> {
    Some(CollectionTokens {
        collection: clean_address(group.address)?,
        tokenIds: group.numbers,
    })
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

    fn gas_needed(&self, id: U256, _: Address, data: &[u8], _: Around<'_>) -> u64 {
        let groups = self.0.find(id).map_or(&[][..], Vec::as_slice);
        let counts = groups.iter().map(|group| group.tokenIds.len());
        thirst::of_data(data) + 6_000 + gas_to_ask_all(counts).saturating_to::<u64>()
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

    /// For each collection a word with its address and how many ids follow.
    fn slots(&self) -> Slots {
        let words_of = |group: &CollectionTokens| {
            let count = U256::from(group.tokenIds.len());
            let head = packed(&[(group.collection.into_word().into(), 0), (count, 160)]);
            [vec![head], group.tokenIds.clone()].concat()
        };
        let stored = |groups: &Vec<CollectionTokens>| {
            let words: Vec<U256> = groups.iter().flat_map(words_of).collect();
            let count = U256::from(words.len());
            with_list(packed(&[(count, 160), (U256::ONE, 176)]), words)
        };
        let each = self.0.slots();
        each.map(|(slot, set)| (slot, stored(set))).collect()
    }

    fn view(&self, data: &[u8], _: Around<'_>) -> Option<Ended> {
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            GAS_PER_COLLECTIONCall::SELECTOR => U256::from(GAS_PER_COLLECTION).abi_encode(),
            GAS_PER_TOKENCall::SELECTOR => U256::from(GAS_PER_TOKEN).abi_encode(),
            MAX_GASCall::SELECTOR => U256::from(MAX_GAS).abi_encode(),
            gasToAskCall::SELECTOR => match gas_to_ask(arguments.number(0)?) {
                Some(gas) => gas.abi_encode(),
                None => return Some(Err(overflow())),
            },
            getCollectionTokensCall::SELECTOR => {
                let found = self.0.find(arguments.number(0)?);
                found.cloned().unwrap_or_default().abi_encode()
            }
            _ => return None,
        };
        Some(Ok(Reply::returns(returned)))
    }

    fn gas_to_set(&self, data: &[u8]) -> Option<u64> {
        Arguments::of::<setCollectionTokensCall>(data)?;
        Some(thirst::of_setting(data) + thirst::of_list(data))
    }

    fn set(&mut self, from: Address, data: &[u8], registry: &Registry, _: Around<'_>) -> Ended {
        let (id, groups) = Arguments::of::<setCollectionTokensCall>(data)
            .and_then(|call| Some((call.number(0)?, call.groups(1)?)))
            .ok_or_else(Reply::reverts_silently)?;
        require_creator(registry, id, from)?;
        let groups = whole(groups)?;
        let gas = gas_to_ask_all(groups.iter().map(|group| group.numbers.len()));
        if gas > U256::from(MAX_GAS) {
            return Err(Reply::reverts(&TooManyTokens {
                gasNeeded: gas,
                gasLimit: U256::from(MAX_GAS),
            }));
        }
        let clean: Option<Vec<CollectionTokens>> = groups.into_iter().map(clean).collect();
        let groups = clean.ok_or_else(Reply::reverts_silently)?;
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
