//! Who takes part.

use std::collections::BTreeMap;

use alloy_primitives::{Address, FixedBytes};
use alloy_sol_types::SolCall;
use atr_bindings::{ACCESS_PREDICATE_ID, ERC165_ID, IAccessPredicate::hasAccessCall};
use atr_harness::{
    CodeSource, Contracts, Fork, Manner, Script, ScriptedPredicate, Transaction, World,
    model::{Answer, Others, ScriptBook},
};

/// Scripted predicates that have code from the start.
const PREDICATES: usize = 5;

/// Addresses that may get code later.
const UNBORN: usize = 2;

/// Both.
pub(super) const SCRIPTED: usize = PREDICATES + UNBORN;

/// The contracts and accounts of a registry's world. The same addresses in every world.
#[derive(Clone, Debug)]
pub struct Cast {
    /// The contracts under test.
    pub contracts: Contracts,
    /// Who registers, changes and asks; the last one has every bit of its address set.
    pub actors: Vec<Address>,
    /// Scripted predicates; of the last two there is no code yet.
    pub scripted: Vec<Address>,
    /// What a tool may be given as predicate: nobody, each of the scripted, a precompile, an actor, the registry itself.
    pub predicates: Vec<Address>,
    book: ScriptBook,
    /// How each of the scripted answers on access.
    manners: BTreeMap<Address, Manner>,
}

impl Cast {
    /// A world with everything in it.
    #[must_use]
    pub fn assemble(fork: Fork, code: &CodeSource) -> (World, Self) {
        let mut world = World::new(fork);
        let cast = Self::install(&mut world, code);
        (world, cast)
    }

    /// Puts everything into a world that has nothing in it yet.
    pub fn install(world: &mut World, code: &CodeSource) -> Self {
        let contracts = Contracts::install(world, code);
        let mut actors = vec![world.actor("alice"), world.actor("bob")];
        actors.push(Address::repeat_byte(0xff));
        world.name(Address::repeat_byte(0xff), "max");

        let mut scripted: Vec<_> = (0..PREDICATES)
            .map(|i| {
                world.deploy(
                    &format!("predicate{i}"),
                    ScriptedPredicate::BYTECODE.clone(),
                )
            })
            .collect();
        scripted.extend((0..UNBORN).map(|i| world.actor(&format!("unborn{i}"))));

        let mut predicates = vec![Address::ZERO];
        predicates.extend(&scripted);
        predicates.extend([Address::with_last_byte(2), actors[0], contracts.registry]);
        world.name(Address::with_last_byte(2), "sha256");

        let mut cast = Self {
            contracts,
            actors,
            scripted,
            predicates,
            book: ScriptBook::default(),
            manners: BTreeMap::new(),
        };
        for index in 0..cast.scripted.len() {
            if index < PREDICATES {
                cast.book.add(cast.scripted[index]);
            }
            // Proper predicates to begin with; all but the first deny, so that a yes is somebody's doing.
            cast.script(world, index, ERC165_ID, Script::returns(1));
            cast.script(world, index, ACCESS_PREDICATE_ID, Script::returns(1));
            let question = hasAccessCall::SELECTOR.into();
            cast.script(
                world,
                index,
                question,
                Script::returns(u64::from(index == 0)),
            );
        }
        cast
    }

    /// Has a scripted predicate answer a question this way, in the world and in the model.
    pub fn script(
        &mut self,
        world: &mut World,
        index: usize,
        question: FixedBytes<4>,
        script: Script,
    ) {
        let account = self.scripted[index];
        self.book.set(account, question, script);
        if question == hasAccessCall::SELECTOR {
            self.manners.insert(account, script.manner);
        }
        // Also where there is no code yet: what it will say is storage, and comes before.
        let is_alive = self.book.has_code(account);
        if !is_alive {
            world.set_code(account, ScriptedPredicate::DEPLOYED_BYTECODE.clone());
        }
        let call = Transaction::call(account, account, &script.set_for(question));
        assert!(world.send(&call).succeeded(), "a script can always be set");
        if !is_alive {
            world.set_code(account, []);
        }
    }

    /// How a scripted predicate answers on access, if it has code.
    #[must_use]
    pub fn manner(&self, account: Address) -> Option<Manner> {
        self.manners.get(&account).copied()
    }

    /// Gives a scripted predicate its code, or takes it away.
    pub fn set_alive(&mut self, world: &mut World, index: usize, alive: bool) {
        let account = self.scripted[index];
        if alive {
            world.set_code(account, ScriptedPredicate::DEPLOYED_BYTECODE.clone());
            self.book.add(account);
        } else {
            world.set_code(account, []);
            self.book.remove(account);
        }
    }
}

impl Others for Cast {
    fn has_code(&self, account: Address) -> bool {
        account == self.contracts.registry || self.book.has_code(account)
    }

    fn claims(&self, account: Address, interface: FixedBytes<4>) -> bool {
        if account == self.contracts.registry {
            return interface == ERC165_ID;
        }
        self.book.claims(account, interface)
    }

    fn answer(&self, account: Address, question: &[u8]) -> Answer {
        // Of those without code, precompiles return what no bool is, and accounts nothing.
        self.book.answer(account, question)
    }

    fn decides_by_its_gas(&self, account: Address) -> bool {
        self.book.decides_by_its_gas(account)
    }
}
