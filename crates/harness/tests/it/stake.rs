//! The example of `contracts/README.md`: a predicate that is not one of the nine, its model, and a property of both.

use std::collections::BTreeMap;

use StakePredicate::{
    CallFailed, CallerIsNotToolCreator, MinStakeIsZero, NotConfigured, StakeSet, constructorCall,
    setStakeCall,
};
use alloy_primitives::{Address, Bytes, U256, aliases::U96, keccak256};
use alloy_sol_types::{SolCall, SolConstructor, SolEvent, SolValue, sol};
use atr_bindings::IAccessPredicate::hasAccessCall;
use atr_harness::{
    Lockstep,
    PresetResponseToken::{self, setResponseCall},
    Transaction,
    model::{
        CallResult, Context, Registry,
        predicates::{ModelResult, Predicate, Requirements},
        tokens::TokenState,
    },
};
use proptest::{prelude::*, test_runner::RngSeed};

sol!(
    #[sol(all_derives)]
    StakePredicate,
    "artifacts/StakePredicate.json"
);

sol! {
    function stakeOf(address account) external view returns (uint256);
}

/// Model of `StakePredicate`: a vault and a minimum stake per tool.
#[derive(Clone, Debug)]
struct Stakes {
    address: Address,
    registry: Address,
    by_tool: BTreeMap<U256, (Address, U96)>,
}

impl Stakes {
    const fn new(address: Address, registry: Address) -> Self {
        Self {
            address,
            registry,
            by_tool: BTreeMap::new(),
        }
    }

    fn require(&self, id: U256) -> Result<(Address, U96), CallResult> {
        let not_configured = || CallResult::reverts(&NotConfigured { toolId: id });
        self.by_tool.get(&id).copied().ok_or_else(not_configured)
    }
}

impl Predicate for Stakes {
    fn name(&self) -> &'static str {
        "StakePredicate"
    }

    fn registry(&self) -> Option<Address> {
        Some(self.registry)
    }

    fn has_access(
        &self,
        id: U256,
        account: Address,
        _: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        let (vault, min_stake) = self.require(id)?;
        if !context.has_code(vault) {
            return Ok(false);
        }
        let stake = context.call_word(vault, &stakeOfCall { account }.abi_encode());
        let stake = stake.ok_or_else(|| CallResult::reverts(&CallFailed { target: vault }))?;
        Ok(stake >= U256::from(min_stake))
    }

    fn requirements(&self, id: U256, _: Context<'_>) -> Result<Requirements, CallResult> {
        let (vault, min_stake) = self.require(id)?;
        let kind = keccak256("staked()")[..4].try_into().expect("four bytes");
        let data = (vault, U256::from(min_stake)).abi_encode();
        Ok(Requirements::only(kind, data, "Stake in this vault"))
    }

    fn configure(
        &mut self,
        from: Address,
        data: &[u8],
        registry: &Registry,
        _: Context<'_>,
    ) -> ModelResult {
        let call =
            setStakeCall::abi_decode(data).map_err(|_| CallResult::reverts_without_data())?;
        let (id, vault, min_stake) = (call.toolId, call.vault, call.minStake);
        if registry.tool(id)?.creator != from {
            return Err(CallResult::reverts(&CallerIsNotToolCreator {
                toolId: id,
                caller: from,
            }));
        }
        if min_stake.is_zero() {
            return Err(CallResult::reverts(&MinStakeIsZero {}));
        }
        self.by_tool.insert(id, (vault, min_stake));
        let set = StakeSet {
            toolId: id,
            vault,
            minStake: min_stake,
        };
        let log = set.encode_log_data();
        let topics = log.topics().to_vec();
        Ok(CallResult::returns_with_log(
            [],
            self.address,
            topics,
            log.data,
        ))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(0x8257), ..ProptestConfig::default() })]

    #[test]
    fn the_stake_predicate_matches_its_model(staked in 0..9_u64, length in 31..33_usize, min in 0..9) {
        let mut lockstep = Lockstep::default();
        let (ann, bob) = (lockstep.world.actor("ann"), lockstep.world.actor("bob"));
        let (tool, registry) = (lockstep.register_tool(ann).unwrap(), lockstep.contracts.registry);
        let code = [&StakePredicate::BYTECODE[..], &constructorCall { registry }.abi_encode()].concat();
        let predicate = lockstep.world.deploy("stake", code);
        lockstep.model.add(predicate, Stakes::new(predicate, registry));
        // A vault in the world and in the model that returns 32 or 31 bytes.
        let vault = lockstep.world.deploy("vault", PresetResponseToken::BYTECODE.clone());
        let response = Bytes::from(U256::from(staked).abi_encode()[..length].to_vec());
        lockstep.tokens().add(vault, TokenState::FixedReturns([(stakeOfCall::SELECTOR, response.clone())].into()));
        let selector = stakeOfCall::SELECTOR.into();
        lockstep.world.call(ann, vault, &setResponseCall { selector, success: true, returndata: response });
        // Every call must have the same return data, errors and logs on both sides.
        let set = setStakeCall { toolId: tool, vault, minStake: U96::from(min) }.abi_encode();
        let check = hasAccessCall { toolId: tool, account: bob, data: Bytes::new() }.abi_encode();
        for (from, data) in [(bob, &set), (bob, &check), (ann, &set), (ann, &check)] {
            lockstep.send(&Transaction::raw(from, predicate, data.clone())).map_err(TestCaseError::fail)?;
        }
    }
}

#[test]
fn the_readme_shows_this_property() {
    let property: Vec<_> = include_str!("stake.rs")
        .lines()
        .skip_while(|line| !line.starts_with("    fn the_stake_predicate"))
        .map_while(|line| line.strip_prefix("    "))
        .collect();
    let shown = format!("```ignore\n{}\n```\n", property.join("\n"));
    assert!(include_str!("../../README.md").contains(&shown), "{shown}");
}
