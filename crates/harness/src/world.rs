//! An in-memory chain.

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

use crate::{
    Change, Fork, JournalEntry, Names, Outcome, Receipt, Trace, Transaction, tracer::CallTracer,
};

/// Deploys contracts and makes view calls.
const DEFAULT_SENDER: Address = address!("0x000000000000000000000000000000000000dEaD");

/// The timestamp of a new world.
const GENESIS_TIME: u64 = 1_700_000_000;

/// An in-memory chain with a settable clock. A clone is independent and has no journal.
#[derive(Debug)]
pub struct World {
    evm: MainnetEvm<MainnetContext<InMemoryDB>, CallTracer>,
    names: Names,
    journal: Option<Vec<JournalEntry>>,
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
            evm: context.build_mainnet_with_inspector(CallTracer::default()),
            names: self.names.clone(),
            journal: None,
        }
    }
}

impl World {
    /// An empty chain under the rules of a fork.
    #[must_use]
    pub fn new(fork: Fork) -> Self {
        let mut settings = CfgEnv::new_with_spec(fork.spec());
        settings.set_gas_params(fork.prices());
        // Only contract code is under test: no nonces, balances or fees.
        settings.disable_nonce_check = true;
        settings.disable_balance_check = true;
        settings.disable_base_fee = true;
        settings.disable_eip3607 = true;
        settings.tx_chain_id_check = false;
        let block = BlockEnv {
            timestamp: U256::from(GENESIS_TIME),
            number: U256::from(1),
            gas_limit: u64::MAX,
            ..BlockEnv::default()
        };
        let context: MainnetContext<InMemoryDB> = Context::new(InMemoryDB::default(), fork.spec());
        let context = context.with_cfg(settings).with_block(block);
        Self {
            evm: context.build_mainnet_with_inspector(CallTracer::default()),
            names: Names::default(),
            journal: None,
        }
    }

    /* BLOCK */

    /// The block timestamp in seconds.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.evm.ctx.block.timestamp.saturating_to()
    }

    /// Sets the block timestamp, forwards or backwards.
    pub fn set_time(&mut self, seconds: u64) {
        self.evm.ctx.block.timestamp = U256::from(seconds);
        self.record(|| JournalEntry::TimeSet(seconds));
    }

    /// Changes the rules and gas prices, and keeps the state.
    pub fn set_fork(&mut self, fork: Fork) {
        let mut context = self.evm.ctx.clone();
        context.modify_cfg(|settings| {
            settings.set_spec_and_mainnet_gas_params(fork.spec());
            settings.set_gas_params(fork.prices());
        });
        self.evm = context.build_mainnet_with_inspector(CallTracer::default());
    }

    /// The chain id.
    #[must_use]
    pub const fn chain_id(&self) -> u64 {
        self.evm.ctx.cfg.chain_id
    }

    /// Sets the chain id.
    pub fn set_chain_id(&mut self, chain_id: u64) {
        self.evm.ctx.cfg.chain_id = chain_id;
        self.record(|| JournalEntry::ChainIdSet(chain_id));
    }

    /* ACCOUNTS */

    /// The account with this name; the same address in every world.
    pub fn actor(&mut self, name: &str) -> Address {
        let account = Address::from_word(keccak256(name));
        self.names.insert(account, name);
        account
    }

    /// Sets the name of an account in traces.
    pub fn name(&mut self, account: Address, name: &str) {
        self.names.insert(account, name);
    }

    /// The names of accounts.
    #[must_use]
    pub const fn names(&self) -> &Names {
        &self.names
    }

    /// Every account that was ever loaded.
    pub fn accounts(&self) -> impl Iterator<Item = Address> {
        let accounts = &self.evm.ctx.journaled_state.db().cache.accounts;
        accounts.keys().copied()
    }

    /// The code of an account, empty if it has none.
    ///
    /// # Panics
    ///
    /// Never: reading memory cannot fail.
    #[must_use]
    pub fn code(&self, account: Address) -> Bytes {
        let database = self.evm.ctx.journaled_state.db();
        let info = database
            .basic_ref(account)
            .expect("reading memory cannot fail")
            .unwrap_or_default();
        let code = info.code.unwrap_or_else(|| {
            database
                .code_by_hash_ref(info.code_hash)
                .expect("reading memory cannot fail")
        });
        code.original_bytes()
    }

    /// Replaces the code of an account and keeps its storage.
    pub fn set_code(&mut self, account: Address, code: impl Into<Bytes>) {
        let code = code.into();
        self.record(|| JournalEntry::CodeSet(account, code.clone()));
        let database = self.evm.ctx.journaled_state.db_mut();
        let old = database
            .load_account(account)
            .expect("reading memory cannot fail");
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

    /// The non-zero storage slots of an account.
    #[must_use]
    pub fn storage(&self, account: Address) -> BTreeMap<U256, U256> {
        let accounts = &self.evm.ctx.journaled_state.db().cache.accounts;
        accounts.get(&account).map_or_else(BTreeMap::new, |found| {
            let set = found.storage.iter().filter(|(_, value)| !value.is_zero());
            set.map(|(slot, value)| (*slot, *value)).collect()
        })
    }

    /// Writes a storage slot directly.
    pub fn set_storage(&mut self, account: Address, slot: U256, value: U256) {
        let database = self.evm.ctx.journaled_state.db_mut();
        database
            .insert_account_storage(account, slot, value)
            .expect("writing memory cannot fail");
        self.record(|| JournalEntry::StorageSet(account, slot, value));
    }

    /* JOURNAL */

    /// Starts recording.
    pub fn start_journal(&mut self) {
        self.journal.get_or_insert_default();
    }

    /// Returns and clears the recorded entries.
    pub fn take_journal(&mut self) -> Vec<JournalEntry> {
        self.journal
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Takes a closure so that nothing is cloned while the journal is off.
    fn record(&mut self, entry: impl FnOnce() -> JournalEntry) {
        if let Some(journal) = &mut self.journal {
            journal.push(entry());
        }
    }

    /* TRANSACTIONS */

    /// Deploys and names a contract.
    ///
    /// # Panics
    ///
    /// When the constructor fails.
    pub fn deploy(&mut self, name: &str, creation: impl Into<Bytes>) -> Address {
        let receipt = self.send(&Transaction::create(DEFAULT_SENDER, creation));
        let Outcome::Created(address) = receipt.outcome else {
            panic!("deployment of {name} failed: {:?}", receipt.outcome);
        };
        self.names.insert(address, name);
        address
    }

    /// Makes a call that must succeed, and commits it.
    ///
    /// # Panics
    ///
    /// When the call fails.
    pub fn call<C: SolCall>(&mut self, from: Address, to: Address, call: &C) -> C::Return {
        let transaction = Transaction::call(from, to, call);
        let receipt = self.send(&transaction);
        // A failed call changes no state, so it can be traced afterwards.
        receipt
            .returned::<C>()
            .unwrap_or_else(|| panic!("{} failed:\n{}", C::SIGNATURE, self.trace(&transaction)))
    }

    /// Executes and commits a transaction.
    pub fn send(&mut self, transaction: &Transaction) -> Receipt {
        let (receipt, state) = self.run(transaction);
        self.evm.commit(state);
        self.record(|| JournalEntry::Sent(transaction.clone(), receipt.clone()));
        receipt
    }

    /// Executes a transaction without committing it.
    pub fn simulate(&mut self, transaction: &Transaction) -> Receipt {
        let (receipt, _) = self.run(transaction);
        self.record(|| JournalEntry::Simulated(transaction.clone(), receipt.clone()));
        receipt
    }

    fn run(&mut self, transaction: &Transaction) -> (Receipt, EvmState) {
        let ran = self
            .evm
            .transact(environment(transaction))
            .expect("account checks are disabled");
        let changes = Change::all(&ran.state, transaction.from);
        (Receipt::new(ran.result, changes, transaction), ran.state)
    }

    /// Simulates a call from a default sender.
    pub fn view<C: SolCall>(&mut self, to: Address, call: &C) -> Receipt {
        self.simulate(&Transaction::call(DEFAULT_SENDER, to, call))
    }

    /// Simulates a call that must succeed, and decodes its result.
    ///
    /// # Panics
    ///
    /// When the call fails.
    pub fn read<C: SolCall>(&mut self, to: Address, call: &C) -> C::Return {
        let transaction = Transaction::call(DEFAULT_SENDER, to, call);
        self.simulate(&transaction)
            .returned::<C>()
            .unwrap_or_else(|| panic!("{} failed:\n{}", C::SIGNATURE, self.trace(&transaction)))
    }

    /// Simulates a transaction and returns its call tree.
    #[must_use]
    pub fn trace(&self, transaction: &Transaction) -> Trace {
        let mut copy = self.clone();
        copy.evm.inspector = CallTracer::default();
        let ran = copy
            .evm
            .inspect_tx(environment(transaction))
            .expect("account checks are disabled");
        let changes = Change::all(&ran.state, transaction.from);
        Trace::new(
            copy.evm.inspector.frames,
            Receipt::new(ran.result, changes, transaction),
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
