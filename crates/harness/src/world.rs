//! A chain in memory.

use std::collections::BTreeMap;

use alloy_primitives::{Address, Bytes, U256, address, keccak256};
use alloy_sol_types::SolCall;
use revm::{
    DatabaseRef, ExecuteCommitEvm, ExecuteEvm, InspectEvm, MainBuilder, MainnetEvm,
    bytecode::Bytecode,
    context::{BlockEnv, CfgEnv, Context, TxEnv},
    context_interface::JournalTr,
    database::InMemoryDB,
    handler::MainnetContext,
    primitives::TxKind,
    state::{AccountInfo, EvmState},
};

use crate::{Change, Deed, Fork, Names, Outcome, Receipt, Trace, Transaction, watcher::Watcher};

/// Who deploys, and who asks where it does not matter.
const NOBODY_IN_PARTICULAR: Address = address!("0x000000000000000000000000000000000000dEaD");

/// When a new world begins.
const BEGINNING: u64 = 1_700_000_000;

/// A chain in memory: accounts, contracts, a clock that we hold. A copy is a fork of its own, and keeps no
/// journal.
#[derive(Debug)]
pub struct World {
    evm: MainnetEvm<MainnetContext<InMemoryDB>, Watcher>,
    names: Names,
    journal: Option<Vec<Deed>>,
}

impl Default for World {
    fn default() -> Self {
        Self::new(Fork::default())
    }
}

impl Clone for World {
    fn clone(&self) -> Self {
        let context = self.evm.ctx.clone();
        Self {
            evm: context.build_mainnet_with_inspector(Watcher::default()),
            names: self.names.clone(),
            journal: None,
        }
    }
}

impl World {
    /// An empty chain that runs by the rules of a fork.
    #[must_use]
    pub fn new(fork: Fork) -> Self {
        let mut settings = CfgEnv::new_with_spec(fork.spec());
        // Nobody needs a key, a balance or a nonce here: what the contracts do is in question.
        settings.disable_nonce_check = true;
        settings.disable_balance_check = true;
        settings.disable_base_fee = true;
        settings.disable_eip3607 = true;
        settings.tx_chain_id_check = false;
        let block = BlockEnv {
            timestamp: U256::from(BEGINNING),
            number: U256::from(1),
            gas_limit: u64::MAX,
            ..BlockEnv::default()
        };
        let context: MainnetContext<InMemoryDB> = Context::new(InMemoryDB::default(), fork.spec());
        let context = context.with_cfg(settings).with_block(block);
        Self {
            evm: context.build_mainnet_with_inspector(Watcher::default()),
            names: Names::default(),
            journal: None,
        }
    }

    /* THE CHAIN */

    /// The time of the current block, in seconds.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.evm.ctx.block.timestamp.saturating_to()
    }

    /// Sets the clock, forwards or back.
    pub fn set_time(&mut self, seconds: u64) {
        self.evm.ctx.block.timestamp = U256::from(seconds);
        self.note(|| Deed::TimeSet(seconds));
    }

    /// The id of the chain.
    #[must_use]
    pub const fn chain_id(&self) -> u64 {
        self.evm.ctx.cfg.chain_id
    }

    /// Makes it another chain.
    pub fn set_chain_id(&mut self, chain_id: u64) {
        self.evm.ctx.cfg.chain_id = chain_id;
        self.note(|| Deed::ChainIdSet(chain_id));
    }

    /* ACCOUNTS */

    /// The account of this name; the same in every world.
    pub fn actor(&mut self, name: &str) -> Address {
        let account = Address::from_word(keccak256(name));
        self.names.give(account, name);
        account
    }

    /// Calls an account by this name in traces.
    pub fn name(&mut self, account: Address, name: &str) {
        self.names.give(account, name);
    }

    /// What accounts are called.
    #[must_use]
    pub const fn names(&self) -> &Names {
        &self.names
    }

    /// Every account that was ever looked at.
    pub fn accounts(&self) -> impl Iterator<Item = Address> {
        let accounts = &self.evm.ctx.journaled_state.db().cache.accounts;
        accounts.keys().copied()
    }

    /// The code of an account; empty if it has none.
    ///
    /// # Panics
    ///
    /// Never: memory can always be read.
    #[must_use]
    pub fn code(&self, account: Address) -> Bytes {
        let database = self.evm.ctx.journaled_state.db();
        let info = database
            .basic_ref(account)
            .expect("memory can be read")
            .unwrap_or_default();
        let code = info.code.unwrap_or_else(|| {
            database
                .code_by_hash_ref(info.code_hash)
                .expect("memory can be read")
        });
        code.original_bytes()
    }

    /// Gives an account other code, or takes it away. Its storage stays.
    pub fn set_code(&mut self, account: Address, code: impl Into<Bytes>) {
        let code = code.into();
        self.note(|| Deed::CodeSet(account, code.clone()));
        let database = self.evm.ctx.journaled_state.db_mut();
        let old = database.load_account(account).expect("memory can be read");
        let nonce = old.info.nonce;
        let balance = old.info.balance;
        let code = Bytecode::new_raw(code);
        database.insert_account_info(
            account,
            AccountInfo {
                nonce,
                balance,
                code_hash: code.hash_slow(),
                code: Some(code),
                ..AccountInfo::default()
            },
        );
    }

    /// Everything an account has stored that is not zero.
    #[must_use]
    pub fn storage(&self, account: Address) -> BTreeMap<U256, U256> {
        let accounts = &self.evm.ctx.journaled_state.db().cache.accounts;
        accounts.get(&account).map_or_else(BTreeMap::new, |found| {
            let set = found.storage.iter().filter(|(_, value)| !value.is_zero());
            set.map(|(slot, value)| (*slot, *value)).collect()
        })
    }

    /// Writes into an account's storage behind its back.
    pub fn set_storage(&mut self, account: Address, slot: U256, value: U256) {
        let database = self.evm.ctx.journaled_state.db_mut();
        database
            .insert_account_storage(account, slot, value)
            .expect("memory can be written");
        self.note(|| Deed::StorageSet(account, slot, value));
    }

    /* JOURNAL */

    /// Writes down from now on what is done.
    pub fn keep_journal(&mut self) {
        self.journal.get_or_insert_default();
    }

    /// What was done since the journal was begun or last taken.
    pub fn take_journal(&mut self) -> Vec<Deed> {
        self.journal
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Nothing is copied where nobody writes it down.
    fn note(&mut self, deed: impl FnOnce() -> Deed) {
        if let Some(journal) = &mut self.journal {
            journal.push(deed());
        }
    }

    /* TRANSACTIONS */

    /// Creates a contract and gives it a name.
    ///
    /// # Panics
    ///
    /// When its constructor fails.
    pub fn deploy(&mut self, name: &str, creation: impl Into<Bytes>) -> Address {
        let receipt = self.send(&Transaction::create(NOBODY_IN_PARTICULAR, creation));
        let Outcome::Created(address) = receipt.outcome else {
            panic!("{name} could not be deployed: {:?}", receipt.outcome);
        };
        self.names.give(address, name);
        address
    }

    /// Makes a call that must succeed, and keeps what it did.
    ///
    /// # Panics
    ///
    /// When it does not.
    pub fn call<C: SolCall>(&mut self, from: Address, to: Address, call: &C) -> C::Return {
        let transaction = Transaction::call(from, to, call);
        let receipt = self.send(&transaction);
        // A call that fails leaves everything as it was, so it can be traced afterwards.
        receipt
            .returned::<C>()
            .unwrap_or_else(|| panic!("{} failed:\n{}", C::SIGNATURE, self.trace(&transaction)))
    }

    /// Runs a transaction and keeps what it did, if it succeeded.
    pub fn send(&mut self, transaction: &Transaction) -> Receipt {
        let (receipt, state) = self.run(transaction);
        self.evm.commit(state);
        self.note(|| Deed::Sent(transaction.clone(), receipt.clone()));
        receipt
    }

    /// Runs a transaction and forgets what it did.
    pub fn try_out(&mut self, transaction: &Transaction) -> Receipt {
        let (receipt, _) = self.run(transaction);
        self.note(|| Deed::TriedOut(transaction.clone(), receipt.clone()));
        receipt
    }

    fn run(&mut self, transaction: &Transaction) -> (Receipt, EvmState) {
        let ran = self
            .evm
            .transact(environment(transaction))
            .expect("no rule about accounts is in force");
        let changes = Change::all(&ran.state, transaction.from);
        (Receipt::of(ran.result, changes, transaction), ran.state)
    }

    /// Asks without changing anything.
    pub fn ask<C: SolCall>(&mut self, to: Address, call: &C) -> Receipt {
        self.try_out(&Transaction::call(NOBODY_IN_PARTICULAR, to, call))
    }

    /// Asks a question that must be answered.
    ///
    /// # Panics
    ///
    /// When it is not.
    pub fn read<C: SolCall>(&mut self, to: Address, call: &C) -> C::Return {
        let transaction = Transaction::call(NOBODY_IN_PARTICULAR, to, call);
        self.try_out(&transaction)
            .returned::<C>()
            .unwrap_or_else(|| panic!("{} failed:\n{}", C::SIGNATURE, self.trace(&transaction)))
    }

    /// What a transaction would do now, call by call.
    #[must_use]
    pub fn trace(&self, transaction: &Transaction) -> Trace {
        let mut copy = self.clone();
        copy.evm.inspector = Watcher::default();
        let ran = copy
            .evm
            .inspect_tx(environment(transaction))
            .expect("no rule about accounts is in force");
        let changes = Change::all(&ran.state, transaction.from);
        Trace::new(
            copy.evm.inspector.frames,
            Receipt::of(ran.result, changes, transaction),
            copy.names,
        )
    }
}

fn environment(transaction: &Transaction) -> TxEnv {
    TxEnv {
        caller: transaction.from,
        kind: match transaction.to {
            Some(to) => TxKind::Call(to),
            None => TxKind::Create,
        },
        data: transaction.data.clone(),
        gas_limit: transaction.gas,
        value: transaction.value,
        ..TxEnv::default()
    }
}
