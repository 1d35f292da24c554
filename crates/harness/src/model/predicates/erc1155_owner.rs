//! Grants access to holders of any of the listed ERC-1155 tokens.

use alloy_primitives::{Address, LogData, U256};
use alloy_sol_types::{SolCall, SolEvent, SolValue};
use atr_bindings::{
    ERC1155_HOLDING_ID,
    ERC1155OwnerPredicate::{
        CollectionNoCode, CollectionTokens, CollectionTokensSet, EmptyTokenIds, MAX_UNITSCall,
        TooManyTokens, getCollectionTokensCall, setCollectionTokens_0Call,
        setCollectionTokens_1Call,
    },
};

use super::{
    ModelResult, Requirements,
    stipends::{
        OVERHEAD, OVERHEAD_PER_CALL, RETRY_BUDGET, STORE, Stipends, any_grants, gas_required,
        in_range, max_stipend_besides,
    },
    stored::{Stored, packed, packed_config, with_list},
    tool_configs::{Setter, ToolConfig, ToolConfigs},
};
use crate::{
    PlainERC1155::balanceOfBatchCall,
    model::{
        CallResult, Context,
        calldata::{Arguments, Group, clean_address},
    },
};

const MAX_UNITS: u64 = 50;
const UNITS_PER_CALL: u64 = 4;
const FIRST: u64 = 2_800;
const MIN: u64 = 500;
const OVERHEAD_PER_TOKEN: u64 = 120;

/// `ERC1155OwnerPredicate`.
pub type Erc1155Owner = ToolConfigs<Groups>;

/// The configuration of a tool.
#[derive(Clone, Debug)]
pub struct Groups {
    list: Vec<CollectionTokens>,
    /// Per unit.
    stipend: u64,
}

/// A collection has 4 units, and one per id.
fn units(group: &CollectionTokens) -> u64 {
    UNITS_PER_CALL + group.tokenIds.len() as u64
}

impl Groups {
    fn units(&self) -> u64 {
        self.list.iter().map(units).sum()
    }

    /// The largest stipend per unit that fits after failed calls that used `used` gas.
    fn max_stipend(&self, failed: u64, used: u64) -> u64 {
        let (calls, units) = (self.list.len() as u64, self.units());
        max_stipend_besides(calls + failed, units * OVERHEAD_PER_TOKEN + used) / units.max(1)
    }

    /// Per unit. The repeated calls must fit after a first call that used its full stipend, as if the other collections had one
    /// id each.
    fn per_unit(&self) -> Stipends {
        let others = self.list.len().saturating_sub(1) as u64;
        let largest = self.units() - others * (UNITS_PER_CALL + 1);
        let retry = match self.list.len() {
            0 => FIRST,
            _ => RETRY_BUDGET / self.units(),
        };
        let max = self.max_stipend(1, FIRST * largest);
        Stipends::new(self.stipend, FIRST, retry.min(max).max(FIRST))
    }

    /// Per collection one word with its address and number of ids, then the ids.
    fn words(&self) -> Vec<U256> {
        let words = self.list.iter().flat_map(|group| {
            let count = U256::from(group.tokenIds.len());
            let head = packed(&[(group.collection.into_word().into(), 0), (count, 160)]);
            [vec![head], group.tokenIds.clone()].concat()
        });
        words.collect()
    }
}

fn valid_group(
    index: usize,
    group: Option<Group>,
    context: Context<'_>,
) -> Result<CollectionTokens, CallResult> {
    let group = group.ok_or_else(CallResult::reverts_without_data)?;
    if group.numbers.is_empty() {
        let index = U256::from(index);
        return Err(CallResult::reverts(&EmptyTokenIds { index }));
    }
    let collection = clean_address(group.address).ok_or_else(CallResult::reverts_without_data)?;
    if !context.has_code(collection) {
        return Err(CallResult::reverts(&CollectionNoCode { collection }));
    }
    Ok(CollectionTokens {
        collection,
        tokenIds: group.numbers,
    })
}

impl ToolConfig for Groups {
    type Input = Vec<Option<Group>>;

    const NAME: &'static str = "ERC1155OwnerPredicate";

    fn decode(data: &[u8]) -> Option<(U256, Self::Input, Option<U256>)> {
        let Setter { arguments, stipend } =
            Setter::of::<setCollectionTokens_0Call, setCollectionTokens_1Call>(data, 2)?;
        Some((arguments.number(0)?, arguments.groups(1)?, stipend))
    }

    fn validate(
        groups: Self::Input,
        stipend: U256,
        context: Context<'_>,
    ) -> Result<Self, CallResult> {
        let each = groups.into_iter().enumerate();
        let list = each.map(|(index, group)| valid_group(index, group, context));
        let mut set = Self {
            list: list.collect::<Result<_, _>>()?,
            stipend: 0,
        };
        let units = set.units();
        if units > MAX_UNITS {
            return Err(CallResult::reverts(&TooManyTokens {
                units: U256::from(units),
                max: U256::from(MAX_UNITS),
            }));
        }
        set.stipend = in_range(stipend, MIN, set.max_stipend(0, 0))?;
        Ok(set)
    }

    fn event(&self, id: U256) -> LogData {
        let event = CollectionTokensSet {
            toolId: id,
            tokens: self.list.clone(),
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
        let check = |group: &CollectionTokens, per_unit| {
            let call = balanceOfBatchCall {
                accounts: vec![account; group.tokenIds.len()],
                ids: group.tokenIds.clone(),
            };
            let stipend = per_unit * units(group);
            let returned = context.call_token(group.collection, stipend, &call.abi_encode());
            let balances = balances(&returned.ok()?, group.tokenIds.len())?;
            Some(balances.iter().any(|balance| !balance.is_zero()))
        };
        let contract = |group: &CollectionTokens| group.collection;
        any_grants(&self.list, self.per_unit(), context, contract, check)
    }

    fn requirements(&self) -> Requirements {
        let all = self.list.iter().flat_map(|group| {
            let ids = group.tokenIds.iter();
            ids.map(|token| (group.collection, *token).abi_encode())
        });
        Requirements::any_of(ERC1155_HOLDING_ID, all, "Hold this ERC-1155 token")
    }

    fn stipends(&self) -> Option<Stipends> {
        Some(self.per_unit())
    }

    fn gas_needed(&self) -> u64 {
        let calls = self.list.len() as u64;
        let own = OVERHEAD + STORE + calls * OVERHEAD_PER_CALL;
        let tokens = self.words().len() as u64 * OVERHEAD_PER_TOKEN;
        gas_required(self.per_unit().first * self.units()) + own + tokens
    }

    fn stored(&self) -> Vec<(u64, Stored)> {
        let words = self.words();
        let numbers = [words.len(), self.units() as usize];
        let config = packed_config(Address::ZERO, numbers, self.stipend);
        vec![(0, with_list(config, words))]
    }

    fn view(
        configs: &ToolConfigs<Self>,
        selector: [u8; 4],
        arguments: Arguments<'_>,
        _: Context<'_>,
    ) -> Option<ModelResult> {
        let returned = match selector {
            MAX_UNITSCall::SELECTOR => U256::from(MAX_UNITS).abi_encode(),
            getCollectionTokensCall::SELECTOR => {
                let found = configs.get(arguments.number(0)?);
                found.map_or(&[][..], |found| &found.list).abi_encode()
            }
            _ => return None,
        };
        Some(Ok(CallResult::returns(returned)))
    }
}

/// Decodes `abi.encode(uint256[])` of `count` elements; ignores trailing bytes.
fn balances(returned: &[u8], count: usize) -> Option<Vec<U256>> {
    let words = returned.chunks_exact(32).map(U256::from_be_slice);
    let words: Vec<U256> = words.collect();
    let is_array =
        words.len() >= 2 + count && words[0] == U256::from(32) && words[1] == U256::from(count);
    is_array.then(|| words[2..2 + count].to_vec())
}
