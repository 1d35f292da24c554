//! One run of a scenario: contracts, models and tokens in lockstep.

use std::collections::BTreeMap;

use acceptance::{gas::GasUse, variation::Variation};
use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    IAccessPredicate::hasAccessCall,
    IToolRegistry::{setAccessPredicateCall, tryHasAccessCall},
};
use atr_harness::{
    Lockstep, World,
    model::{
        Access, Registry,
        predicates::Composite,
        tokens::{TokenBehavior, TokenState},
    },
};

use super::{actors::Actors, execute::access_of, reach::Reach};

/// One run of a scenario.
#[derive(Debug)]
pub(crate) struct Fixture<'a> {
    pub(crate) actors: &'a Actors,
    pub(crate) lockstep: Lockstep,
    /// The accounts of the allowlist of each tool.
    pub(crate) allowlists: BTreeMap<U256, Vec<Address>>,
    /// The variation of the current step.
    pub(crate) variation: Variation,
    pub(crate) reach: Reach,
    pub(crate) gas_use: GasUse,
    /// Whether calls without variation have exactly the gas of their ceiling, which is that of the committed bytecode.
    pub(crate) limits_gas: bool,
    /// The storage of each predicate after its last configuration.
    pub(crate) stored: BTreeMap<Address, BTreeMap<U256, U256>>,
    /// The behavior of tokens that were changed.
    pub(crate) behaviors: BTreeMap<Address, TokenBehavior>,
}

impl<'a> Fixture<'a> {
    /// With two open tools and no configuration.
    pub(crate) fn new(actors: &'a Actors) -> Self {
        Self::new_in(actors.world.clone(), actors)
    }

    /// In a copy of the actors' world.
    pub(crate) fn new_in(world: World, actors: &'a Actors) -> Self {
        let mut lockstep = Lockstep::new(world, actors.contracts);
        lockstep.model.registry =
            Registry::after_deregistrations(actors.contracts.registry, actors.deregistered);
        // Without the optimizer, the contracts use up to twice the gas.
        lockstep.model.environment.gas_slack = if actors.is_shipped { 0 } else { 3_000 };
        let inner = Composite::new(actors.inner, actors.contracts.registry);
        lockstep.model.add(actors.inner, inner);
        let tokens = lockstep.tokens();
        for token in actors.erc20s {
            tokens.add(token, TokenState::Balances(BTreeMap::new()));
        }
        for collection in actors.erc721s {
            tokens.add(collection, TokenState::Owners(BTreeMap::new()));
        }
        tokens.add(
            actors.erc7496,
            TokenState::Traits(BTreeMap::new(), BTreeMap::new()),
        );
        for token in actors.erc1155s {
            tokens.add(token, TokenState::Erc1155Balances(BTreeMap::new()));
        }
        for token in actors.subscriptions {
            tokens.add(
                token,
                TokenState::Subscriptions(BTreeMap::new(), BTreeMap::new()),
            );
        }
        tokens.add(actors.wallet, TokenState::Wallet(actors.signers[0].address));
        let mut fixture = Self {
            actors,
            lockstep,
            allowlists: BTreeMap::new(),
            variation: Variation::default(),
            reach: Reach::default(),
            gas_use: GasUse::default(),
            limits_gas: actors.is_shipped,
            stored: BTreeMap::new(),
            behaviors: BTreeMap::new(),
        };
        for _ in 0..2 {
            fixture.register().expect("registration succeeds");
        }
        fixture
    }

    /* TOOLS */

    /// Registers a tool.
    pub(crate) fn register(&mut self) -> Result<(), String> {
        let creator = self.creator(U256::from(self.lockstep.model.registry.count() + 1));
        self.lockstep.register_tool(creator).map(drop)
    }

    /// The creator of the tool with this id: two accounts take turns.
    pub(crate) fn creator(&self, id: U256) -> Address {
        self.actors.creators[usize::from(!id.bit(0))]
    }

    /// Makes a call as the creator of a tool.
    pub(crate) fn call_as_creator(
        &mut self,
        id: U256,
        at: Address,
        call: &impl SolCall,
    ) -> Result<(), String> {
        self.lockstep.call(self.creator(id), at, call).map(drop)
    }

    /* ACCESS */

    /// The result of an access check, directly and through the registry. Both must match the model and each other.
    pub(crate) fn check_access(
        &mut self,
        predicate: Address,
        id: U256,
        account: Address,
        data: impl Into<Bytes>,
    ) -> Result<Access, String> {
        let (data, registry) = (data.into(), self.actors.contracts.registry);
        let gate = setAccessPredicateCall {
            toolId: id,
            newPredicate: predicate,
        };
        self.call_as_creator(id, registry, &gate)?;
        let call = hasAccessCall {
            toolId: id,
            account,
            data: data.clone(),
        };
        let access = access_of(&self.lockstep.call(self.actors.eoa, predicate, &call)?);
        let call = tryHasAccessCall {
            toolId: id,
            account,
            data,
        };
        let receipt = self.lockstep.call(self.actors.eoa, registry, &call)?;
        let pair = receipt.returned::<tryHasAccessCall>();
        match pair.map(|pair| (pair.ok, pair.granted)) {
            Some(pair) if pair == access.as_pair() => Ok(access),
            other => Err(format!(
                "the predicate returns {access:?}, the registry {other:?}"
            )),
        }
    }

    /// Checks access and compares the result.
    pub(crate) fn expect_access(
        &mut self,
        expected: Access,
        (predicate, id, account): (Address, U256, Address),
        data: impl Into<Bytes>,
    ) -> Result<(), String> {
        match self.check_access(predicate, id, account, data)? {
            access if access == expected => Ok(()),
            other => Err(format!("{other:?} instead of {expected:?}")),
        }
    }
}
