//! Grants access to holders of a token of any of the listed ERC-721 collections.

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
    ModelResult, Predicate, Requirements, Slots,
    predicate::{any_grants, decode, emits},
    stored::{Stored, packed, with_list},
    tool_configs::{ToolConfigs, require_creator},
};
use crate::{
    PlainERC721::balanceOfCall,
    model::{
        CallResult, Context, Registry,
        calldata::{Arguments, clean_address},
    },
};

const GAS_PER_COLLECTION: u64 = 10_000;
const MAX_COLLECTIONS: usize = 14;

/// `ERC721OwnerPredicate`.
#[derive(Clone, Debug)]
pub struct Erc721Owner(ToolConfigs<Vec<Address>>);

impl Erc721Owner {
    /// Without configuration.
    #[must_use]
    pub const fn new(address: Address, registry: Address) -> Self {
        Self(ToolConfigs::new(address, registry))
    }
}

impl Predicate for Erc721Owner {
    fn name(&self) -> &'static str {
        "ERC721OwnerPredicate"
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
        let call = balanceOfCall { owner: account }.abi_encode();
        any_grants(self.0.require(id)?.iter().map(|&collection| {
            if !context.has_code(collection) {
                return (collection, Some(false));
            }
            let balance = context.call_word(collection, &call);
            (collection, balance.map(|balance| !balance.is_zero()))
        }))
    }

    fn stipends(&self, id: U256) -> Vec<u64> {
        vec![GAS_PER_COLLECTION; self.0.get(id).map_or(0, Vec::len)]
    }

    fn requirements(&self, id: U256, _: Context<'_>) -> Result<Requirements, CallResult> {
        let collections = self.0.require(id)?;
        if collections.is_empty() {
            return Ok(Requirements::always_denied());
        }
        let all = collections.iter().map(SolValue::abi_encode);
        let label = "Hold a token of this ERC-721 collection";
        Ok(Requirements::any_of(ERC721_HOLDING_ID, all, label))
    }

    /// A single collection is stored in the slot itself.
    fn slots(&self) -> Slots {
        let stored = |collections: &Vec<Address>| {
            let count = U256::from(collections.len());
            let word = packed(&[(count, 160), (U256::ONE, 168)]);
            let words = collections
                .iter()
                .map(|collection| collection.into_word().into());
            let words: Vec<U256> = words.collect();
            match words.as_slice() {
                [only] => Stored::Word(word | only),
                _ => with_list(word, words),
            }
        };
        self.0.slots(stored)
    }

    fn view(&self, data: &[u8], _: Context<'_>) -> Option<ModelResult> {
        let (selector, arguments) = Arguments::split(data)?;
        let returned = match selector {
            GAS_PER_COLLECTIONCall::SELECTOR => U256::from(GAS_PER_COLLECTION).abi_encode(),
            MAX_COLLECTIONSCall::SELECTOR => U256::from(MAX_COLLECTIONS).abi_encode(),
            getCollectionsCall::SELECTOR => {
                let found = self.0.get(arguments.number(0)?);
                let collections = found.cloned().unwrap_or_default();
                collections.abi_encode()
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
        let (id, words) = decode::<setCollectionsCall, _>(data, |call| {
            Some((call.number(0)?, call.list(1, 1)?))
        })?;
        require_creator(registry, id, from)?;
        if words.len() > MAX_COLLECTIONS {
            return Err(CallResult::reverts(&TooManyCollections {
                count: U256::from(words.len()),
                max: U256::from(MAX_COLLECTIONS),
            }));
        }
        let clean: Option<Vec<Address>> = words.into_iter().map(clean_address).collect();
        let collections = clean.ok_or_else(CallResult::reverts_without_data)?;
        self.0.insert(id, collections.clone());
        Ok(emits(
            self.0.predicate,
            &CollectionsSet {
                toolId: id,
                collections,
            },
        ))
    }
}
