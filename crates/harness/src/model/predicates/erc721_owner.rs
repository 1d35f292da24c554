//! Who holds a token of any of some collections.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolValue};
use atr_bindings::{
    ERC721_HOLDING_ID,
    ERC721OwnerPredicate::{
        CollectionsSet, GAS_PER_COLLECTIONCall, MAX_COLLECTIONSCall, TooManyCollections,
        getCollectionsCall, setCollectionsCall,
    },
};

use super::{
    Ended, Predicate, Requirements, Slots,
    predicate::{logs, no_answer},
    settings::{Settings, require_creator},
    stored::{Stored, packed, with_list},
};
use crate::{
    PlainERC721::balanceOfCall,
    model::{
        Around, Registry, Reply,
        calldata::{Arguments, clean_address},
        thirst,
    },
};

const GAS_PER_COLLECTION: u64 = 10_000;
const MAX_COLLECTIONS: usize = 14;

/// `ERC721OwnerPredicate`.
#[derive(Clone, Debug)]
pub struct Erc721Owner(Settings<Vec<Address>>);

impl Erc721Owner {
    /// Not set up for any tool.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(Settings::new(address, registry))
    }
}

impl Predicate for Erc721Owner {
    fn name(&self) -> &'static str {
        "ERC721OwnerPredicate"
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
        let question = balanceOfCall { owner: account }.abi_encode();
        let mut silent = None;
        for &collection in self.0.require(id)? {
            if !around.has_code(collection) {
                continue;
            }
            match around.ask_word(collection, &question) {
                Some(balance) if !balance.is_zero() => return Ok(true),
                Some(_) => {}
                None => silent = Some(collection),
            }
        }
        silent.map_or(Ok(false), |collection| Err(no_answer(collection)))
    }

    fn gas_needed(&self, id: U256, _: Address, data: &[u8], around: Around<'_>) -> u64 {
        let collections = self.0.find(id).into_iter().flatten().copied();
        thirst::of_data(data) + thirst::of_questions(around, collections, GAS_PER_COLLECTION)
    }

    fn requirements(&self, id: U256, _: Around<'_>) -> Result<Requirements, Reply> {
        let collections = self.0.require(id)?;
        if collections.is_empty() {
            return Ok(Requirements::nobody());
        }
        let all = collections.iter().map(SolValue::abi_encode);
        let label = "Hold a token of this ERC-721 collection";
        Ok(Requirements::any_of(ERC721_HOLDING_ID, all, label))
    }

    /// A single collection stands in the slot itself.
    fn slots(&self) -> Slots {
        let stored = |collections: &Vec<Address>| {
            let count = U256::from(collections.len());
            let word = packed(&[(count, 160), (U256::ONE, 168)]);
            let words = collections.iter().map(|one| one.into_word().into());
            let words: Vec<U256> = words.collect();
            match words.as_slice() {
                [only] => Stored::Word(word | only),
                _ => with_list(word, words),
            }
        };
        let each = self.0.slots();
        each.map(|(slot, set)| (slot, stored(set))).collect()
    }

    fn view(&self, data: &[u8], _: Around<'_>) -> Option<Ended> {
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            GAS_PER_COLLECTIONCall::SELECTOR => U256::from(GAS_PER_COLLECTION).abi_encode(),
            MAX_COLLECTIONSCall::SELECTOR => U256::from(MAX_COLLECTIONS).abi_encode(),
            getCollectionsCall::SELECTOR => {
                let found = self.0.find(arguments.number(0)?);
                let collections = found.cloned().unwrap_or_default();
                collections.abi_encode()
            }
            _ => return None,
        };
        Some(Ok(Reply::returns(returned)))
    }

    fn gas_to_set(&self, data: &[u8]) -> Option<u64> {
        Arguments::of::<setCollectionsCall>(data)?;
        Some(thirst::of_setting(data) + thirst::of_list(data))
    }

    fn set(&mut self, from: Address, data: &[u8], registry: &Registry, _: Around<'_>) -> Ended {
        let (id, words) = Arguments::of::<setCollectionsCall>(data)
            .and_then(|call| Some((call.number(0)?, call.list(1, 1)?)))
            .ok_or_else(Reply::reverts_silently)?;
        require_creator(registry, id, from)?;
        if words.len() > MAX_COLLECTIONS {
            return Err(Reply::reverts(&TooManyCollections {
                count: U256::from(words.len()),
                max: U256::from(MAX_COLLECTIONS),
            }));
        }
        let clean: Option<Vec<Address>> = words.into_iter().map(clean_address).collect();
        let collections = clean.ok_or_else(Reply::reverts_silently)?;
        self.0.set(id, collections.clone());
        Ok(logs(
            self.0.predicate,
            &CollectionsSet {
                toolId: id,
                collections,
            },
        ))
    }
}
