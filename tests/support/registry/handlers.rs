//! `ToolRegistryHandler.sol` on the chain in memory: the same entries make the same calls, as `tests/differential` shows, and
//! the model says what must come of them.

use alloy_primitives::{Address, B256, FixedBytes, U256};
use alloy_sol_types::{SolCall, SolError};
use atr_bindings::{
    ACCESS_PREDICATE_ID, ERC165_ID, IAccessPredicate,
    IToolRegistry::{
        InvalidAccessPredicate, InvalidManifestHash, InvalidMetadataURI, NotToolCreator,
        ToolIsDeregistered, ToolNotFound, deregisterToolCall, getToolConfigCall, hasAccessCall,
        registerToolCall, setAccessPredicateCall, toolCountCall, tryHasAccessCall,
        updateToolMetadataCall,
    },
    TOOL_REGISTRY,
};
use atr_harness::{
    CodeSource, Deed, ERC165NonPredicate, Manner, NoPredicate, Outcome, Script, ScriptedPredicate,
    Transaction, World,
    model::{self, ScriptBook, Tool},
};

use super::{Dice, machine::with_uri};

/// The handler's entries, as the invariants list them.
#[expect(missing_docs, reason = "each is the Solidity entry of its name")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    RegisterTools,
    UpdateToolMetadata,
    SetAccessPredicate,
    DeregisterTool,
    RepeatConfig,
    ChangeMindOfPredicate,
    RegisterInvalidTool,
    ChangeToolInvalidly,
    ChangeToolAsStranger,
    CallRemovedTool,
    CallUnknownTool,
}

impl Entry {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::RegisterTools,
        Self::UpdateToolMetadata,
        Self::SetAccessPredicate,
        Self::DeregisterTool,
        Self::RepeatConfig,
        Self::ChangeMindOfPredicate,
        Self::RegisterInvalidTool,
        Self::ChangeToolInvalidly,
        Self::ChangeToolAsStranger,
        Self::CallRemovedTool,
        Self::CallUnknownTool,
    ];
}

/// Calls the registry in every way that has a known outcome, and checks that outcome to the byte.
#[derive(Clone, Debug)]
pub struct Handler {
    world: World,
    registry: Address,
    model: model::Registry,
    book: ScriptBook,
    itself: Address,
    stranger: Address,
    refused: Address,
    actors: Vec<Address>,
    predicates: Vec<Address>,
    scripted: Vec<Address>,
    /// Who created each tool, the removed ones too.
    creators: Vec<Address>,
}

impl Handler {
    /// A registry without tools, and everybody the Solidity handler has around it.
    #[must_use]
    pub fn new(code: &CodeSource) -> Self {
        let mut world = World::default();
        let registry = world.deploy("registry", code.creation_of(&TOOL_REGISTRY));
        let refused = world.deploy("refused", ERC165NonPredicate::BYTECODE.clone());
        let no = world.deploy("no", NoPredicate::BYTECODE.clone());
        let mut actors = ["one creator", "another creator"]
            .map(|name| world.actor(name))
            .to_vec();
        actors.push(Address::repeat_byte(0xff));
        let deploy = |_| world.deploy("scripted", ScriptedPredicate::BYTECODE.clone());
        let scripted: Vec<_> = Manner::ALL.iter().map(deploy).collect();
        let mut predicates = vec![actors[0], Address::with_last_byte(2), no];
        predicates.extend(&scripted);

        let mut handler = Self {
            model: model::Registry::new(registry),
            book: ScriptBook::default(),
            itself: world.actor("handler"),
            stranger: world.actor("stranger"),
            creators: Vec::new(),
            world,
            registry,
            refused,
            actors,
            predicates,
            scripted,
        };
        // These three always say the same: to the model they are scripts that never change.
        for (account, is_predicate) in [(registry, 0), (refused, 0), (no, 1)] {
            handler.book.add(account);
            let book = &mut handler.book;
            book.set(account, ERC165_ID, Script::returns(1));
            book.set(account, ACCESS_PREDICATE_ID, Script::returns(is_predicate));
            book.set(account, access_question(), Script::returns(0));
        }
        for index in 0..handler.scripted.len() {
            let account = handler.scripted[index];
            handler.book.add(account);
            handler.script(account, ERC165_ID, Script::returns(1));
            let manner = Manner::ALL[index];
            let script = Script {
                manner,
                ..Script::returns(1)
            };
            handler.script(account, access_question(), script);
        }
        handler.set_claims(1);
        handler
    }

    /// Does what the entry does with this seed.
    ///
    /// # Errors
    ///
    /// What the registry did that the model, or the entry itself, does not say.
    pub fn enter(&mut self, entry: Entry, seed: U256) -> Result<(), String> {
        let before = self.count()?;
        let dice = &mut Dice::new(seed);
        match entry {
            Entry::RegisterTools => {
                for _ in 0..=dice.roll(3) {
                    self.register(dice)?;
                }
            }
            Entry::UpdateToolMetadata => self.update(dice)?,
            Entry::SetAccessPredicate => {
                let (id, tool) = self.live_tool(dice)?;
                let predicate = self.predicate(dice);
                self.accepted(tool.creator, set_predicate(id, predicate))?;
            }
            Entry::DeregisterTool => {
                let (id, tool) = self.live_tool(dice)?;
                self.accepted(tool.creator, deregister(id))?;
            }
            Entry::RepeatConfig => self.repeat_config(dice)?,
            Entry::ChangeMindOfPredicate => {
                let account = dice.pick(&self.scripted);
                self.script(account, access_question(), access_script(dice));
            }
            Entry::RegisterInvalidTool => self.register_invalid(dice)?,
            Entry::ChangeToolInvalidly => self.change_invalidly(dice)?,
            Entry::ChangeToolAsStranger => self.change_as_stranger(dice)?,
            Entry::CallRemovedTool => self.call_removed(dice)?,
            Entry::CallUnknownTool => self.call_unknown(dice)?,
        }
        if self.count()? < before {
            return Err("the count fell".to_owned());
        }
        Ok(())
    }

    /// Everyone in a call, in the order of the Solidity handler.
    #[must_use]
    pub fn cast(&self) -> Vec<Address> {
        let mut everyone = vec![self.registry, self.itself, self.refused, self.stranger];
        everyone.extend(&self.actors);
        everyone.extend(&self.predicates);
        everyone
    }

    /// What an entry calls, in order, but for questions.
    ///
    /// # Errors
    ///
    /// As [`Handler::enter`].
    pub fn calls(&mut self, entry: Entry, seed: U256) -> Result<Vec<Transaction>, String> {
        self.world.keep_journal();
        self.enter(entry, seed)?;
        let journal = self.world.take_journal().into_iter();
        let calls = journal.filter_map(|deed| match deed {
            Deed::Sent(call, _) => Some(call),
            _ => None,
        });
        Ok(calls.collect())
    }

    /// All of the registry's storage is what the model lays out.
    ///
    /// # Errors
    ///
    /// That it is not.
    pub fn compare_storage(&self) -> Result<(), String> {
        if model::layout::storage(&self.model) == self.world.storage(self.registry) {
            return Ok(());
        }
        Err("the storage is not as the model lays it out".to_owned())
    }

    /* ACCEPTED */

    fn register(&mut self, dice: &mut Dice) -> Result<(), String> {
        let creator = self.actor(dice);
        let (uri, hash) = (dice.valid_uri(), dice.word());
        let predicate = self.predicate(dice);
        self.accepted(creator, register(&uri, hash, predicate))?;
        self.creators.push(creator);
        Ok(())
    }

    fn update(&mut self, dice: &mut Dice) -> Result<(), String> {
        let (id, tool) = self.live_tool(dice)?;
        let uri = if dice.one_in(3) {
            tool.uri
        } else {
            dice.valid_uri()
        };
        let hash = if dice.one_in(3) {
            tool.hash
        } else {
            dice.word()
        };
        self.accepted(tool.creator, update(id, &uri, hash))
    }

    /// No predicate would be accepted now, but none is looked at.
    fn repeat_config(&mut self, dice: &mut Dice) -> Result<(), String> {
        let (id, tool) = self.live_tool(dice)?;
        self.set_claims(0);
        self.accepted(tool.creator, update(id, &tool.uri, tool.hash))?;
        self.accepted(tool.creator, set_predicate(id, tool.predicate))?;
        self.set_claims(1);
        Ok(())
    }

    /* REFUSED */

    fn register_invalid(&mut self, dice: &mut Dice) -> Result<(), String> {
        let (mut uri, mut hash) = (dice.valid_uri(), dice.word());
        let mut predicate = Address::ZERO;
        let refusal = match dice.roll(3) {
            0 => {
                uri = if dice.one_in(2) {
                    Vec::new()
                } else {
                    dice.too_long_uri()
                };
                InvalidMetadataURI {}.abi_encode()
            }
            1 => {
                hash = B256::ZERO;
                InvalidManifestHash {}.abi_encode()
            }
            _ => {
                predicate = if dice.one_in(2) {
                    self.refused
                } else {
                    self.registry
                };
                InvalidAccessPredicate { predicate }.abi_encode()
            }
        };
        let caller = self.actor(dice);
        self.refused(caller, register(&uri, hash, predicate), &refusal)
    }

    fn change_invalidly(&mut self, dice: &mut Dice) -> Result<(), String> {
        let (id, tool) = self.live_tool(dice)?;
        let creator = tool.creator;
        let predicate = self.refused;
        let invalid_uri = InvalidMetadataURI {}.abi_encode();
        let too_long = update(id, &dice.too_long_uri(), dice.word());
        self.refused(creator, update(id, &[], tool.hash), &invalid_uri)?;
        self.refused(creator, too_long, &invalid_uri)?;
        let invalid_hash = InvalidManifestHash {}.abi_encode();
        self.refused(creator, update(id, &tool.uri, B256::ZERO), &invalid_hash)?;
        let refusal = InvalidAccessPredicate { predicate }.abi_encode();
        self.refused(creator, set_predicate(id, predicate), &refusal)
    }

    /// Who decides on access has no say either.
    fn change_as_stranger(&mut self, dice: &mut Dice) -> Result<(), String> {
        let (id, tool) = self.live_tool(dice)?;
        let mut caller = self.actor(dice);
        if dice.one_in(2) {
            caller = tool.predicate;
        }
        if caller == tool.creator || caller.is_zero() {
            caller = self.stranger;
        }
        let refusal = NotToolCreator { toolId: id, caller }.abi_encode();
        let [first, second, third, ..] = self.every_call_on(id, dice);
        for data in [first, second, third] {
            self.refused(caller, data, &refusal)?;
        }
        Ok(())
    }

    fn call_removed(&mut self, dice: &mut Dice) -> Result<(), String> {
        let count = self.model.tools().len();
        let mut index = dice.roll(1 + count);
        if !matches!(self.model.tools().get(index), Some(None)) {
            let (id, tool) = self.live_tool(dice)?;
            self.accepted(tool.creator, deregister(id))?;
            index = id.to::<usize>() - 1;
        }
        let id = U256::from(index + 1);
        let refusal = ToolIsDeregistered { toolId: id }.abi_encode();
        let every = self.every_call_on(id, dice);
        let caller = if dice.one_in(2) {
            self.creators[index]
        } else {
            self.actor(dice)
        };
        for data in every {
            self.refused(caller, data, &refusal)?;
        }
        Ok(())
    }

    fn call_unknown(&mut self, dice: &mut Dice) -> Result<(), String> {
        let count = self.model.tools().len();
        let existing = U256::from(1 + dice.roll(count + 1));
        let high = U256::from(1) << (64 + dice.roll(192));
        let id = dice.pick(&[U256::ZERO, U256::from(count + 1), high, high + existing]);
        let refusal = ToolNotFound { toolId: id }.abi_encode();
        for data in self.every_call_on(id, dice) {
            let caller = self.actor(dice);
            self.refused(caller, data, &refusal)?;
        }
        Ok(())
    }

    /* PARTS */

    /// The call must do what the model says, and that must be no refusal.
    fn accepted(&mut self, from: Address, data: Vec<u8>) -> Result<(), String> {
        match self.send(from, data)? {
            Outcome::Returned(_) => Ok(()),
            other => Err(format!("refused: {other:?}")),
        }
    }

    /// The call must do what the model says, and that must be this refusal.
    fn refused(&mut self, from: Address, data: Vec<u8>, refusal: &[u8]) -> Result<(), String> {
        match self.send(from, data)? {
            Outcome::Reverted(data) if *data == *refusal => Ok(()),
            other => Err(format!("another end: {other:?}")),
        }
    }

    fn send(&mut self, from: Address, data: Vec<u8>) -> Result<Outcome, String> {
        let transaction = Transaction::raw(from, self.registry, data);
        let expected = self
            .model
            .call(from, U256::ZERO, &transaction.data, &self.book);
        let receipt = self.world.send(&transaction);
        if expected.outcome == receipt.outcome && expected.logs == receipt.logs {
            return Ok(receipt.outcome);
        }
        Err(format!(
            "the model says {expected:?}\n  the registry   {receipt:?}"
        ))
    }

    fn count(&mut self) -> Result<u64, String> {
        let asked = self.world.ask(self.registry, &toolCountCall {});
        let count = asked.returned::<toolCountCall>().unwrap_or_default().to();
        if count != self.model.count() {
            return Err(format!(
                "{count} tools, the model has {}",
                self.model.count()
            ));
        }
        Ok(count)
    }

    fn script(&mut self, account: Address, question: FixedBytes<4>, script: Script) {
        self.book.set(account, question, script);
        let call = Transaction::call(self.itself, account, &script.set_for(question));
        assert!(
            self.world.send(&call).succeeded(),
            "a script can always be set"
        );
    }

    /// Has the predicates say whether they are predicates: 1 or 0.
    fn set_claims(&mut self, answer: u64) {
        for index in 0..self.scripted.len() {
            self.script(
                self.scripted[index],
                ACCESS_PREDICATE_ID,
                Script::returns(answer),
            );
        }
    }

    /// Any live tool. There is one afterwards if there was none before.
    fn live_tool(&mut self, dice: &mut Dice) -> Result<(U256, Tool), String> {
        let count = self.model.tools().len();
        let start = dice.roll(count + 1);
        for offset in 0..count {
            let index = (start + offset) % count;
            if let Some(tool) = &self.model.tools()[index] {
                return Ok((U256::from(index + 1), tool.clone()));
            }
        }
        self.register(dice)?;
        let newest = self.model.tools().last().cloned().flatten();
        let tool = newest.ok_or("a registered tool is not there")?;
        Ok((U256::from(self.model.count()), tool))
    }

    /// All functions that take an id, the three that change a tool first.
    fn every_call_on(&self, id: U256, dice: &mut Dice) -> [Vec<u8>; 6] {
        let uri = if dice.one_in(2) {
            Vec::new()
        } else {
            dice.valid_uri()
        };
        let hash = dice.word();
        let predicate = if dice.one_in(2) {
            self.refused
        } else {
            Address::ZERO
        };
        let data = alloy_primitives::Bytes::new();
        [
            update(id, &uri, hash),
            set_predicate(id, predicate),
            deregister(id),
            getToolConfigCall { toolId: id }.abi_encode(),
            hasAccessCall {
                toolId: id,
                account: self.actor(dice),
                data: data.clone(),
            }
            .abi_encode(),
            tryHasAccessCall {
                toolId: id,
                account: self.actor(dice),
                data,
            }
            .abi_encode(),
        ]
    }

    fn predicate(&self, dice: &mut Dice) -> Address {
        if dice.one_in(3) {
            Address::ZERO
        } else {
            dice.pick(&self.predicates)
        }
    }

    fn actor(&self, dice: &mut Dice) -> Address {
        dice.pick(&self.actors)
    }
}

fn access_question() -> FixedBytes<4> {
    IAccessPredicate::hasAccessCall::SELECTOR.into()
}

/// What a predicate shall say to `hasAccess`. Yes is the usual answer.
fn access_script(dice: &mut Dice) -> Script {
    if dice.one_in(2) {
        return Script::returns(1);
    }
    let manner = dice.pick(&Manner::ALL);
    match manner {
        Manner::CountsGas => Script {
            manner,
            ..Script::returns(200_000)
        },
        Manner::ReadsQuestion => Script {
            manner,
            ..Script::returns(0)
        },
        _ => Script {
            manner,
            length: dice.pick(&[32, 32, 32, 0, 1, 31, 33, 64, 200_000]),
            word: dice.pick(&[
                U256::ZERO,
                U256::from(1),
                U256::from(2),
                U256::from(1) << 255,
                U256::MAX,
            ]),
        },
    }
}

fn register(uri: &[u8], hash: B256, predicate: Address) -> Vec<u8> {
    let call = registerToolCall {
        metadataURI: String::new(),
        manifestHash: hash,
        accessPredicate: predicate,
    };
    with_uri(call.abi_encode(), uri)
}

fn update(id: U256, uri: &[u8], hash: B256) -> Vec<u8> {
    let call = updateToolMetadataCall {
        toolId: id,
        newURI: String::new(),
        newHash: hash,
    };
    with_uri(call.abi_encode(), uri)
}

fn set_predicate(id: U256, predicate: Address) -> Vec<u8> {
    setAccessPredicateCall {
        toolId: id,
        newPredicate: predicate,
    }
    .abi_encode()
}

fn deregister(id: U256) -> Vec<u8> {
    deregisterToolCall { toolId: id }.abi_encode()
}
