//! Where it is played: a twin, and tokens that move in the world and in the model alike.

use std::collections::BTreeMap;

use acceptance::form::Form;
use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_bindings::{
    IAccessPredicate::hasAccessCall,
    IToolRegistry::{setAccessPredicateCall, tryHasAccessCall},
};
use atr_harness::{
    Twin, World,
    model::{
        Answer,
        predicates::Composite,
        tokens::{Knowledge, Voice},
    },
};

use super::{cast::Cast, play::answer_of, reach::Reach};

/// One try.
#[derive(Debug)]
pub(crate) struct Stage<'a> {
    pub(crate) cast: &'a Cast,
    pub(crate) twin: Twin,
    /// Which accounts were last put on the list of a tool.
    pub(crate) lists: BTreeMap<U256, Vec<Address>>,
    /// How calls are made in the step that is being played.
    pub(crate) form: Form,
    /// What was seen so far.
    pub(crate) reach: Reach,
    /// What predicates have stored.
    pub(crate) kept: BTreeMap<Address, BTreeMap<U256, U256>>,
    /// How tokens speak that do not, or no longer, speak honestly.
    pub(crate) voices: BTreeMap<Address, Voice>,
}

impl<'a> Stage<'a> {
    /// With two tools, open and not set up for any predicate.
    pub(crate) fn open(cast: &'a Cast) -> Self {
        Self::open_in(cast.world.clone(), cast)
    }

    /// In a copy of the cast's world.
    pub(crate) fn open_in(world: World, cast: &'a Cast) -> Self {
        let mut twin = Twin::new(world, cast.contracts);
        let inner = Composite::new(cast.inner, cast.contracts.registry);
        twin.model.add(cast.inner, inner);
        let tokens = twin.tokens();
        for coin in cast.coins {
            tokens.add(coin, Knowledge::Balances(BTreeMap::new()));
        }
        for collection in cast.collections {
            tokens.add(collection, Knowledge::Owners(BTreeMap::new()));
        }
        tokens.add(
            cast.relics,
            Knowledge::Traits(BTreeMap::new(), BTreeMap::new()),
        );
        for edition in cast.editions {
            tokens.add(edition, Knowledge::Holdings(BTreeMap::new()));
        }
        for pass in cast.passes {
            tokens.add(pass, Knowledge::Passes(BTreeMap::new(), BTreeMap::new()));
        }
        tokens.add(cast.wallet, Knowledge::Wallet(cast.signers[0].address));
        let mut stage = Self {
            cast,
            twin,
            lists: BTreeMap::new(),
            form: Form::default(),
            reach: Reach::default(),
            kept: BTreeMap::new(),
            voices: BTreeMap::new(),
        };
        for _ in 0..2 {
            stage.register().expect("a tool can be registered");
        }
        stage
    }

    /* TOOLS */

    /// One more tool, of the creator whose turn it is.
    pub(crate) fn register(&mut self) -> Result<(), String> {
        let creator = self.creator(U256::from(self.twin.model.registry.count() + 1));
        self.twin.register_tool(creator).map(drop)
    }

    /// Whoever creates a tool of this id.
    pub(crate) fn creator(&self, id: U256) -> Address {
        self.cast.creators[usize::from(!id.bit(0))]
    }

    /// Makes a call as the creator of a tool.
    pub(crate) fn set_up(
        &mut self,
        id: U256,
        at: Address,
        call: &impl SolCall,
    ) -> Result<(), String> {
        self.twin.call(self.creator(id), at, call).map(drop)
    }

    /* ANSWERS */

    /// What a predicate says, asked directly and through the registry: both as the model, and both the same.
    pub(crate) fn answer(
        &mut self,
        predicate: Address,
        id: U256,
        account: Address,
        data: impl Into<Bytes>,
    ) -> Result<Answer, String> {
        let (data, registry) = (data.into(), self.cast.contracts.registry);
        let gate = setAccessPredicateCall {
            toolId: id,
            newPredicate: predicate,
        };
        self.set_up(id, registry, &gate)?;
        let call = hasAccessCall {
            toolId: id,
            account,
            data: data.clone(),
        };
        let answer = answer_of(&self.twin.call(self.cast.nowhere, predicate, &call)?);
        let call = tryHasAccessCall {
            toolId: id,
            account,
            data,
        };
        let told = self.twin.call(self.cast.nowhere, registry, &call)?;
        let pair = told.returned::<tryHasAccessCall>();
        match pair.map(|pair| (pair.ok, pair.granted)) {
            Some(pair) if pair == answer.as_pair() => Ok(answer),
            other => Err(format!(
                "the predicate says {answer:?}, the registry {other:?}"
            )),
        }
    }

    /// The same, and it must be this.
    pub(crate) fn expect(
        &mut self,
        expected: Answer,
        (predicate, id, account): (Address, U256, Address),
        data: impl Into<Bytes>,
    ) -> Result<(), String> {
        match self.answer(predicate, id, account, data)? {
            answer if answer == expected => Ok(()),
            other => Err(format!("{other:?} instead of {expected:?}")),
        }
    }
}
