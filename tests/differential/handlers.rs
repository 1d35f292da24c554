//! The handlers of the forge invariants and those on revm: the same entry with the same seed makes the same calls.

use std::{collections::BTreeMap, process::Command};

use acceptance::{
    registry::{Entry, Handler},
    report,
    repository::Repository,
    surroundings,
};
use alloy_primitives::{Address, Bytes, U256, hex};
use alloy_sol_types::SolValue;
use atr_harness::CodeSource;

const TEST: &str = "contracts/test/invariant/ToolRegistry.t.sol";
const TELLING: &str = "test_HandlerTellsItsCalls";

/// Caller, target, value and data.
type Call = (Address, Address, U256, Bytes);

#[test]
fn the_handlers_in_solidity_and_in_rust_make_the_same_calls() {
    let mut told = tell().into_iter();
    let cast = told.next().expect("who is there comes first");
    let cast = Vec::<Address>::abi_decode(&cast).expect("a list of accounts");
    let mut handler = Handler::new(&CodeSource::Committed);
    let ours = handler.cast();
    assert_eq!(ours.len(), cast.len(), "not the same cast");
    let place: BTreeMap<_, _> = cast.into_iter().zip(ours).collect();

    let (mut entries, mut calls) = (0, 0);
    for (seed, told) in told.enumerate() {
        let entry = Entry::ALL[seed % Entry::ALL.len()];
        let told = Vec::<Bytes>::abi_decode(&told).expect("a list of calls");
        let read = |call: &Bytes| Call::abi_decode_params(call).expect("a call");
        let told: Vec<_> = told
            .iter()
            .map(read)
            .map(|call| moved(call, &place))
            .collect();
        let made = handler.calls(entry, U256::from(seed)).unwrap();
        let made: Vec<Call> = made
            .into_iter()
            .map(|call| {
                (
                    call.from,
                    call.to.unwrap_or_default(),
                    call.value,
                    call.data,
                )
            })
            .collect();
        assert_eq!(told, made, "{entry:?} with seed {seed}");
        entries += 1;
        calls += made.len();
    }
    assert_eq!(entries, 20 * Entry::ALL.len(), "entries are missing");
    report(&format!(
        "handlers: {calls} calls of {entries} entries compared"
    ));
}

/// The call as it would be made among ours: every word that is one of theirs becomes our account of the same part.
fn moved((from, to, value, data): Call, place: &BTreeMap<Address, Address>) -> Call {
    let at = |account: Address| place.get(&account).copied().unwrap_or(account);
    let mut data = data.to_vec();
    for word in data[4..].chunks_exact_mut(32) {
        if word[..12] == [0; 12] {
            let account = at(Address::from_slice(&word[12..]));
            word[12..].copy_from_slice(account.as_slice());
        }
    }
    (at(from), at(to), value, data.into())
}

/// What the Solidity handler logs: its cast, then the calls of each entry.
fn tell() -> Vec<Vec<u8>> {
    let repository = Repository::here();
    let output = Command::new(repository.program(&surroundings::forge()))
        .args(["test", "-vv", "--match-path", TEST, "--match-test", TELLING])
        .current_dir(repository.root())
        // Apart from other builds: what is compiled here is not all there is.
        .env("FOUNDRY_OUT", "target/differential/handlers/out")
        .env("FOUNDRY_CACHE_PATH", "target/differential/handlers/cache")
        .output()
        .expect("forge starts: run `make deps`");
    let printed = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}\n{error}");
    let logs = printed
        .lines()
        .filter_map(|line| line.trim().strip_prefix("0x"));
    logs.map(|log| hex::decode(log).expect("bytes")).collect()
}
