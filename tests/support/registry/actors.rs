//! Contracts and accounts of the registry's scenarios.

use std::collections::BTreeMap;

use alloy_primitives::{Address, FixedBytes};
use alloy_sol_types::SolCall;
use atr_bindings::{ACCESS_PREDICATE_ID, ERC165_ID, IAccessPredicate::hasAccessCall};
use atr_harness::{
    Behavior, CodeSource, Contracts, Fork, Script, ScriptedPredicate, Transaction, World,
    model::{Access, ExternalContracts, Scripts},
};

/// Scripted predicates with code.
const PREDICATES: usize = 5;

/// Addresses of scripted predicates without code.
const CODELESS: usize = 2;

/// All scripted predicates.
pub(super) const SCRIPTED: usize = PREDICATES + CODELESS;

/// The contracts and accounts of a world, at the same addresses in every world.
#[derive(Clone, Debug)]
pub struct Actors {
    /// Deployed contracts.
    pub contracts: Contracts,
    /// Senders. The last address has all bits set.
    pub accounts: Vec<Address>,
    /// Scripted predicates; the last two have no code at first.
    pub scripted: Vec<Address>,
    /// Choices for a tool's predicate: zero, the scripted ones, a precompile, an EOA, the registry.
    pub predicates: Vec<Address>,
    scripts: Scripts,
    /// The `hasAccess` behavior of each scripted predicate.
    behaviors: BTreeMap<Address, Behavior>,
}

impl Actors {
    /// A world with all contracts and accounts.
    #[must_use]
    pub fn deploy(fork: Fork, code: &CodeSource) -> (World, Self) {
        let mut world = World::new(fork);
        let actors = Self::deploy_in(&mut world, code);
        (world, actors)
    }

    /// Deploys everything in an empty world.
    pub fn deploy_in(world: &mut World, code: &CodeSource) -> Self {
        let contracts = Contracts::deploy(world, code);
        let mut accounts = vec![world.actor("alice"), world.actor("bob")];
        accounts.push(Address::repeat_byte(0xff));
        world.name(Address::repeat_byte(0xff), "max");

        let mut scripted: Vec<_> = (0..PREDICATES)
            .map(|i| {
                world.deploy(
                    &format!("predicate{i}"),
                    ScriptedPredicate::BYTECODE.clone(),
                )
            })
            .collect();
        scripted.extend((0..CODELESS).map(|i| world.actor(&format!("codeless{i}"))));

        let mut predicates = vec![Address::ZERO];
        predicates.extend(&scripted);
        predicates.extend([Address::with_last_byte(2), accounts[0], contracts.registry]);
        world.name(Address::with_last_byte(2), "sha256");

        let mut deployed = Self {
            contracts,
            accounts,
            scripted,
            predicates,
            scripts: Scripts::default(),
            behaviors: BTreeMap::new(),
        };
        for index in 0..deployed.scripted.len() {
            if index < PREDICATES {
                deployed.scripts.add(deployed.scripted[index]);
            }
            // Valid predicates at first. All but the first deny, so that scenarios must cause a grant.
            deployed.script(world, index, ERC165_ID, Script::returns(1));
            deployed.script(world, index, ACCESS_PREDICATE_ID, Script::returns(1));
            let key = hasAccessCall::SELECTOR.into();
            deployed.script(world, index, key, Script::returns(u64::from(index == 0)));
        }
        deployed
    }

    /// Installs a script in the world and in the model.
    pub fn script(&mut self, world: &mut World, index: usize, key: FixedBytes<4>, script: Script) {
        let account = self.scripted[index];
        self.scripts.set(account, key, script);
        if key == hasAccessCall::SELECTOR {
            self.behaviors.insert(account, script.behavior);
        }
        // The script is storage, so it can be written before the predicate has code.
        let has_code = self.scripts.has_code(account);
        if !has_code {
            world.set_code(account, ScriptedPredicate::DEPLOYED_BYTECODE.clone());
        }
        let call = Transaction::call(account, account, &script.setter(key));
        assert!(world.send(&call).succeeded(), "setScript succeeds");
        if !has_code {
            world.set_code(account, []);
        }
    }

    /// The `hasAccess` behavior of a scripted predicate.
    #[must_use]
    pub fn behavior(&self, account: Address) -> Option<Behavior> {
        self.behaviors.get(&account).copied()
    }

    /// Sets or removes the code of a scripted predicate.
    pub fn set_code(&mut self, world: &mut World, index: usize, has_code: bool) {
        let account = self.scripted[index];
        if has_code {
            world.set_code(account, ScriptedPredicate::DEPLOYED_BYTECODE.clone());
            self.scripts.add(account);
        } else {
            world.set_code(account, []);
            self.scripts.remove(account);
        }
    }
}

impl ExternalContracts for Actors {
    fn has_code(&self, account: Address) -> bool {
        account == self.contracts.registry || self.scripts.has_code(account)
    }

    fn supports(&self, account: Address, interface: FixedBytes<4>) -> bool {
        if account == self.contracts.registry {
            return interface == ERC165_ID;
        }
        self.scripts.supports(account, interface)
    }

    fn access(&self, account: Address, calldata: &[u8]) -> Access {
        // Without code: precompiles return data that is not a bool, EOAs return no data.
        self.scripts.access(account, calldata)
    }

    fn depends_on_gas(&self, account: Address) -> bool {
        self.scripts.depends_on_gas(account)
    }
}
