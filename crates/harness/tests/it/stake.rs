//! The worked example of `contracts/README.md`: a predicate that is not one of the nine, its model, and a property of both.

use std::collections::BTreeMap;

use StakePredicate::{
    CallerIsNotToolCreator, MinStakeIsZero, NoAnswer, NotConfigured, StakeSet, constructorCall,
    setStakeCall,
};
use alloy_primitives::{Address, Bytes, U256, aliases::U96, keccak256};
use alloy_sol_types::{SolCall, SolConstructor, SolEvent, SolValue, sol};
use atr_bindings::IAccessPredicate::hasAccessCall;
use atr_harness::{
    PresetResponseToken::{self, setResponseCall},
    Transaction, Twin,
    model::{
        Around, Registry, Reply,
        predicates::{Ended, Predicate, Requirements},
        tokens::Knowledge,
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

/// What `StakePredicate` must do: for each tool the vault, and the least stake in it.
#[derive(Clone, Debug)]
struct Stakes {
    itself: Address,
    registry: Address,
    of_tools: BTreeMap<U256, (Address, U96)>,
}

impl Stakes {
    const fn new(itself: Address, registry: Address) -> Self {
        Self {
            itself,
            registry,
            of_tools: BTreeMap::new(),
        }
    }

    fn of(&self, id: U256) -> Result<(Address, U96), Reply> {
        let not_configured = || Reply::reverts(&NotConfigured { toolId: id });
        self.of_tools.get(&id).copied().ok_or_else(not_configured)
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
        around: Around<'_>,
    ) -> Result<bool, Reply> {
        let (vault, least) = self.of(id)?;
        if !around.has_code(vault) {
            return Ok(false);
        }
        let stake = around.ask_word(vault, &stakeOfCall { account }.abi_encode());
        let stake = stake.ok_or_else(|| Reply::reverts(&NoAnswer { target: vault }))?;
        Ok(stake >= U256::from(least))
    }

    fn requirements(&self, id: U256, _: Around<'_>) -> Result<Requirements, Reply> {
        let (vault, least) = self.of(id)?;
        let kind = keccak256("staked()")[..4].try_into().expect("four bytes");
        let data = (vault, U256::from(least)).abi_encode();
        Ok(Requirements::only(kind, data, "Stake in this vault"))
    }

    fn set(&mut self, from: Address, data: &[u8], registry: &Registry, _: Around<'_>) -> Ended {
        let call = setStakeCall::abi_decode(data).map_err(|_| Reply::reverts_silently())?;
        let (id, vault, least) = (call.toolId, call.vault, call.minStake);
        if registry.tool(id)?.creator != from {
            return Err(Reply::reverts(&CallerIsNotToolCreator {
                toolId: id,
                caller: from,
            }));
        }
        if least.is_zero() {
            return Err(Reply::reverts(&MinStakeIsZero {}));
        }
        self.of_tools.insert(id, (vault, least));
        let set = StakeSet {
            toolId: id,
            vault,
            minStake: least,
        };
        let log = set.encode_log_data();
        let topics = log.topics().to_vec();
        Ok(Reply::returns_after([], self.itself, topics, log.data))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(0x8257), ..ProptestConfig::default() })]

    #[test]
    fn the_worked_example_does_as_its_model(staked in 0..9_u64, length in 31..33_usize, least in 0..9) {
        let mut twin = Twin::default();
        let (ann, bob) = (twin.world.actor("ann"), twin.world.actor("bob"));
        let (tool, registry) = (twin.register_tool(ann).unwrap(), twin.contracts.registry);
        let code = [&StakePredicate::BYTECODE[..], &constructorCall { registry }.abi_encode()].concat();
        let stakes = twin.world.deploy("stakes", code);
        twin.model.add(stakes, Stakes::new(stakes, registry));
        // A vault in the world, and what it knows in the model: a word, or a little less.
        let vault = twin.world.deploy("vault", PresetResponseToken::BYTECODE.clone());
        let text = Bytes::from(U256::from(staked).abi_encode()[..length].to_vec());
        twin.tokens().add(vault, Knowledge::Recital([(stakeOfCall::SELECTOR, text.clone())].into()));
        let selector = stakeOfCall::SELECTOR.into();
        twin.world.call(ann, vault, &setResponseCall { selector, success: true, returndata: text });
        // Setter and question: the same bytes, errors and logs on both sides, or a failure with a trace.
        let set = setStakeCall { toolId: tool, vault, minStake: U96::from(least) }.abi_encode();
        let ask = hasAccessCall { toolId: tool, account: bob, data: Bytes::new() }.abi_encode();
        for (from, data) in [(bob, &set), (bob, &ask), (ann, &set), (ann, &ask)] {
            twin.send(&Transaction::raw(from, stakes, data.clone())).map_err(TestCaseError::fail)?;
        }
    }
}

#[test]
fn the_readme_shows_this_property_and_it_has_twenty_lines() {
    let property: Vec<_> = include_str!("stake.rs")
        .lines()
        .skip_while(|line| !line.starts_with("    fn the_worked_example"))
        .map_while(|line| line.strip_prefix("    "))
        .collect();
    assert_eq!(property.len(), 20, "{property:?}");
    let shown = format!("```ignore\n{}\n```\n", property.join("\n"));
    assert!(include_str!("../../README.md").contains(&shown), "{shown}");
}
