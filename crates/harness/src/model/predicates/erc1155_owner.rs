//! Grants access to holders of any of the listed ERC-1155 tokens.

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
    ModelResult, Predicate, Requirements, Slots,
    predicate::{any_grants, decode, emits},
    stored::{packed, with_list},
    tool_configs::{ToolConfigs, require_creator},
};
use crate::{
    PlainERC1155::balanceOfBatchCall,
    model::{
        CallResult, Context, Registry,
        calldata::{Arguments, Group, clean_address},
    },
};

const GAS_PER_COLLECTION: u64 = 9_000;
const GAS_PER_TOKEN: u64 = 3_000;
const MAX_GAS: u64 = 185_000;

/// `gasToAsk`: the stipend, the 1/63 of it that the caller keeps, and the cost of the call; none on overflow. The middle part is
/// unchecked and wraps.
fn gas_to_ask(ids: U256) -> Option<U256> {
    let for_ids = ids.checked_mul(U256::from(GAS_PER_TOKEN))?;
    let stipend = for_ids.checked_add(U256::from(GAS_PER_COLLECTION))?;
    let kept = stipend / U256::from(63);
    let forwarded = stipend.wrapping_add(kept).wrapping_add(U256::from(500));
    let own = ids.checked_mul(U256::from(120))?;
    forwarded.checked_add(U256::from(3_000))?.checked_add(own)
}

/// The sum over several collections. Calldata is never long enough to overflow.
fn gas_to_ask_all(counts: impl Iterator<Item = usize>) -> U256 {
    let each = counts.map(|count| gas_to_ask(U256::from(count)).unwrap_or(U256::MAX));
    each.fold(U256::ZERO, U256::saturating_add)
}

fn overflow() -> CallResult {
    CallResult::reverts(&Panic::from(PanicKind::UnderOverflow))
}

/// Checks in order that every group decodes and has an id.
fn require_ids(groups: Vec<Option<Group>>) -> Result<Vec<Group>, CallResult> {
    let check = |group: Option<Group>| {
        let group = group.ok_or_else(CallResult::reverts_without_data)?;
        if !group.numbers.is_empty() {
            return Ok(group);
        }
        Err(match clean_address(group.address) {
            Some(collection) => CallResult::reverts(&NoTokenIds { collection }),
            None => CallResult::reverts_without_data(),
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
pub struct Erc1155Owner(ToolConfigs<Vec<CollectionTokens>>);

impl Erc1155Owner {
    /// Without configuration.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(ToolConfigs::new(address, registry))
    }
}

impl Predicate for Erc1155Owner {
    fn name(&self) -> &'static str {
        "ERC1155OwnerPredicate"
    }

    fn registry(&self) -> Option<Address> {
        Some(self.0.registry)
    }

    fn has_access(
        &self,
        id: U256,
        account: Address,
        _: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        any_grants(self.0.require(id)?.iter().map(|group| {
            if !context.has_code(group.collection) {
                return (group.collection, Some(false));
            }
            let call = balanceOfBatchCall {
                accounts: vec![account; group.tokenIds.len()],
                ids: group.tokenIds.clone(),
            };
            let returned = context.call(group.collection, &call.abi_encode());
            let balances = returned.and_then(|bytes| balances(&bytes, group.tokenIds.len()));
            let holds = |balances: Vec<U256>| balances.iter().any(|balance| !balance.is_zero());
            (group.collection, balances.map(holds))
        }))
    }

    fn stipends(&self, id: U256) -> Vec<u64> {
        let groups = self.0.get(id).into_iter().flatten();
        let counts = groups.map(|group| group.tokenIds.len() as u64);
        counts
            .map(|count| GAS_PER_COLLECTION + GAS_PER_TOKEN * count)
            .collect()
    }

    fn requirements(&self, id: U256, _: Context<'_>) -> Result<Requirements, CallResult> {
        let groups = self.0.require(id)?;
        if groups.is_empty() {
            return Ok(Requirements::always_denied());
        }
        let all = groups.iter().flat_map(|group| {
            let ids = group.tokenIds.iter();
            ids.map(|token| (group.collection, *token).abi_encode())
        });
        let label = "Hold this ERC-1155 token";
        Ok(Requirements::any_of(ERC1155_HOLDING_ID, all, label))
    }

    /// Per collection one word with its address and number of ids, then the ids.
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
        self.0.slots(stored)
    }

    fn view(&self, data: &[u8], _: Context<'_>) -> Option<ModelResult> {
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
                let found = self.0.get(arguments.number(0)?);
                found.cloned().unwrap_or_default().abi_encode()
            }
            _ => return None,
        };
        Some(Ok(CallResult::returns(returned)))
    }

    fn configure(
        &mut self,
        from: Address,
        data: &[u8],
        registry: &Registry,
        _: Context<'_>,
    ) -> ModelResult {
        let (id, groups) = decode::<setCollectionTokensCall, _>(data, |call| {
            Some((call.number(0)?, call.groups(1)?))
        })?;
        require_creator(registry, id, from)?;
        let groups = require_ids(groups)?;
        let gas = gas_to_ask_all(groups.iter().map(|group| group.numbers.len()));
        if gas > U256::from(MAX_GAS) {
            return Err(CallResult::reverts(&TooManyTokens {
                gasNeeded: gas,
                gasLimit: U256::from(MAX_GAS),
            }));
        }
        let clean: Option<Vec<CollectionTokens>> = groups.into_iter().map(clean).collect();
        let groups = clean.ok_or_else(CallResult::reverts_without_data)?;
        self.0.insert(id, groups.clone());
        Ok(emits(
            self.0.predicate,
            &CollectionTokensSet {
                toolId: id,
                tokens: groups,
            },
        ))
    }
}

/// Decodes `abi.encode(uint256[])` of `count` elements; ignores trailing bytes.
fn balances(returned: &Bytes, count: usize) -> Option<Vec<U256>> {
    let words = returned.chunks_exact(32).map(U256::from_be_slice);
    let words: Vec<U256> = words.collect();
    let is_array =
        words.len() >= 2 + count && words[0] == U256::from(32) && words[1] == U256::from(count);
    is_array.then(|| words[2..2 + count].to_vec())
}
