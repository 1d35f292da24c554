//! Who holds a token of any of some collections.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, SolInterface, SolValue};
use atr_bindings::{
    ERC721_HOLDING_ID,
    ERC721OwnerPredicate::{
        CollectionsSet, ERC721OwnerPredicateCalls as Calls, TooManyCollections,
    },
};

use super::{
    Ended, Predicate, Requirements,
    predicate::{logs, no_answer},
    settings::{Settings, require_creator},
};
use crate::{
    PlainERC721::balanceOfCall,
    model::{Around, Registry, Reply},
};

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

    fn requirements(&self, id: U256, _: Around<'_>) -> Result<Requirements, Reply> {
        let collections = self.0.require(id)?;
        if collections.is_empty() {
            return Ok(Requirements::nobody());
        }
        let all = collections.iter().map(SolValue::abi_encode);
        let label = "Hold a token of this ERC-721 collection";
        Ok(Requirements::any_of(ERC721_HOLDING_ID, all, label))
    }

    fn view(&self, data: &[u8], _: Around<'_>) -> Option<Ended> {
        let returned = match Calls::abi_decode_validate(data).ok()? {
            Calls::GAS_PER_COLLECTION(_) => U256::from(10_000).abi_encode(),
            Calls::MAX_COLLECTIONS(_) => U256::from(MAX_COLLECTIONS).abi_encode(),
            Calls::getCollections(asked) => {
                let collections = self.0.find(asked.toolId).cloned().unwrap_or_default();
                collections.abi_encode()
            }
            _ => return None,
        };
        Some(Ok(Reply::returns(returned)))
    }

    fn set(&mut self, from: Address, data: &[u8], registry: &Registry, _: Around<'_>) -> Ended {
        let Ok(Calls::setCollections(call)) = Calls::abi_decode_validate(data) else {
            return Err(Reply::reverts_silently());
        };
        let (id, collections) = (call.toolId, call.collections);
        require_creator(registry, id, from)?;
        if collections.len() > MAX_COLLECTIONS {
            return Err(Reply::reverts(&TooManyCollections {
                count: U256::from(collections.len()),
                max: U256::from(MAX_COLLECTIONS),
            }));
        }
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
