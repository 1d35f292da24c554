//! Grants access to holders of a token of any of the listed ERC-721 collections.

use alloy_primitives::{Address, B256, LogData, U256};
use alloy_sol_types::{SolCall, SolEvent, SolValue};
use atr_bindings::{
    ERC721_HOLDING_ID,
    ERC721OwnerPredicate::{
        CollectionNoCode, CollectionsSet, MAX_COLLECTIONS_PER_TOOLCall, TooManyCollections,
        getCollectionsCall, setCollections_0Call, setCollections_1Call,
    },
};

use super::{
    ModelResult, Requirements,
    stipends::{Stipends, any_grants, valid_stipend},
    stored::{Stored, packed_config, with_list},
    tool_configs::{Setter, ToolConfig, ToolConfigs},
};
use crate::{
    PlainERC721::balanceOfCall,
    model::{
        CallResult, Context,
        calldata::{Arguments, clean_address},
    },
};

const MAX_COLLECTIONS: usize = 10;

/// `ERC721OwnerPredicate`.
pub type Erc721Owner = ToolConfigs<Collections>;

/// The configuration of a tool.
#[derive(Clone, Debug)]
pub struct Collections {
    list: Vec<Address>,
    stipend: u64,
}

impl Collections {
    fn calls(&self) -> u64 {
        self.list.len().max(1) as u64
    }
}

impl ToolConfig for Collections {
    type Input = Vec<B256>;

    const NAME: &'static str = "ERC721OwnerPredicate";

    fn decode(data: &[u8]) -> Option<(U256, Self::Input, Option<U256>)> {
        let Setter { arguments, stipend } =
            Setter::of::<setCollections_1Call, setCollections_0Call>(data, 2)?;
        Some((arguments.number(0)?, arguments.list(1, 1)?, stipend))
    }

    fn validate(
        words: Self::Input,
        stipend: U256,
        context: Context<'_>,
    ) -> Result<Self, CallResult> {
        if words.len() > MAX_COLLECTIONS {
            return Err(CallResult::reverts(&TooManyCollections {
                count: U256::from(words.len()),
                max: U256::from(MAX_COLLECTIONS),
            }));
        }
        let stipend = valid_stipend(stipend, words.len().max(1) as u64)?;
        let list = words.into_iter().map(|word| {
            let collection = clean_address(word).ok_or_else(CallResult::reverts_without_data)?;
            match context.has_code(collection) {
                true => Ok(collection),
                false => Err(CallResult::reverts(&CollectionNoCode { collection })),
            }
        });
        let list = list.collect::<Result<_, _>>()?;
        Ok(Self { list, stipend })
    }

    fn event(&self, id: U256) -> LogData {
        let event = CollectionsSet {
            toolId: id,
            collections: self.list.clone(),
        };
        event.encode_log_data()
    }

    fn has_access(
        &self,
        _: U256,
        account: Address,
        _: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        if account.is_zero() {
            return Ok(false);
        }
        let call = balanceOfCall { owner: account }.abi_encode();
        let stipends = Stipends::of_calls(self.stipend, self.calls());
        let check = |collection: &Address, stipend| {
            let once = Stipends::new(stipend, stipend, stipend);
            let balance = once.call_word(*collection, &call, context).ok()?;
            Some(!balance.is_zero())
        };
        any_grants(&self.list, stipends, context, |at| *at, check)
    }

    fn requirements(&self) -> Requirements {
        let label = "Hold a token of this ERC-721 collection";
        Requirements::any_of(
            ERC721_HOLDING_ID,
            self.list.iter().map(SolValue::abi_encode),
            label,
        )
    }

    fn stipends(&self) -> Option<Stipends> {
        Some(Stipends::of_calls(self.stipend, self.calls()))
    }

    fn gas_needed(&self) -> u64 {
        Stipends::of_calls(self.stipend, self.calls()).gas_needed(self.calls())
    }

    /// A single collection is stored in the slot itself.
    fn stored(&self) -> Vec<(u64, Stored)> {
        let config = |target| packed_config(target, [self.list.len(), 0], self.stipend);
        let stored = match *self.list {
            [only] => Stored::Word(config(only)),
            _ => {
                let words = self.list.iter().map(|at| at.into_word().into());
                with_list(config(Address::ZERO), words.collect())
            }
        };
        vec![(0, stored)]
    }

    fn view(
        configs: &ToolConfigs<Self>,
        selector: [u8; 4],
        arguments: Arguments<'_>,
        _: Context<'_>,
    ) -> Option<ModelResult> {
        let returned = match selector {
            MAX_COLLECTIONS_PER_TOOLCall::SELECTOR => U256::from(MAX_COLLECTIONS).abi_encode(),
            getCollectionsCall::SELECTOR => {
                let found = configs.get(arguments.number(0)?);
                found.map_or(&[][..], |found| &found.list).abi_encode()
            }
            _ => return None,
        };
        Some(Ok(CallResult::returns(returned)))
    }
}
