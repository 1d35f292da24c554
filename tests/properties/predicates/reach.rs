//! Counts the outcomes that random scenarios reach.

use std::collections::BTreeMap;

use acceptance::variation::Variation;
use alloy_primitives::Address;
use atr_bindings::IToolRegistry::tryHasAccessCall;
use atr_harness::{Names, Outcome, Receipt, model::Access};

use super::actors::Actors;

/// The number of occurrences by description.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach(BTreeMap<String, u32>);

impl Reach {
    pub(crate) fn record(&mut self, event: String) {
        *self.0.entry(event).or_default() += 1;
    }

    /// The result of a direct access check.
    pub(crate) fn record_access(&mut self, names: &Names, predicate: Address, access: Access) {
        self.record(direct(names, predicate, access));
    }

    /// The result of an access check through the registry.
    pub(crate) fn record_registry(&mut self, names: &Names, predicate: Address, receipt: &Receipt) {
        let pair = receipt.returned::<tryHasAccessCall>();
        if let Some(pair) = pair.filter(|_| !predicate.is_zero()) {
            let access = match (pair.ok, pair.granted) {
                (true, granted) => Access::from(granted),
                (false, _) => Access::Unknown,
            };
            self.record(via_registry(names, predicate, access));
        }
    }

    /// The outcome of a call with a variation.
    pub(crate) fn record_call(
        &mut self,
        names: &Names,
        to: Address,
        variation: &Variation,
        receipt: &Receipt,
    ) {
        let outcome = outcome(names, receipt);
        match variation {
            Variation { mutations, .. } if !mutations.is_empty() => {
                self.record(format!("mutated: {outcome}"));
            }
            Variation { value: 1.., .. } => self.record(format!("with value: {outcome}")),
            Variation { gas: Some(_), .. } => self.record(format!("with limited gas: {outcome}")),
            _ => self.record(called(names, to, &outcome)),
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for (event, times) in other.0 {
            *self.0.entry(event).or_default() += times;
        }
    }

    /// The events that occurred fewer than `times` times.
    pub(crate) fn missing<'a>(&self, expected: &'a [String], times: u32) -> Vec<&'a String> {
        let is_missing = |event: &&String| self.0.get(*event).is_none_or(|seen| *seen < times);
        expected.iter().filter(is_missing).collect()
    }

    pub(crate) fn contains(&self, event: &str) -> bool {
        self.0.contains_key(event)
    }
}

fn direct(names: &Names, predicate: Address, access: Access) -> String {
    format!("{}: {access:?}", names.of(predicate))
}

fn via_registry(names: &Names, predicate: Address, access: Access) -> String {
    let name = names.of(predicate);
    format!("registry with {name}: {access:?}")
}

/// A call with limited gas had enough of it.
pub(crate) fn must_match(names: &Names, to: Address, function: &str) -> String {
    let name = names.of(to);
    format!("{function} of {name} with limited gas must match")
}

fn called(names: &Names, to: Address, outcome: &str) -> String {
    format!("{}: {outcome}", names.of(to))
}

/// The name of the error, or the kind of the outcome.
fn outcome(names: &Names, receipt: &Receipt) -> String {
    match &receipt.outcome {
        Outcome::Returned(_) => "ok".into(),
        Outcome::Reverted(data) if data.is_empty() => "revert without data".into(),
        Outcome::Reverted(data) => {
            let error = names.error(data);
            let name = error.split([' ', '(']).next().unwrap_or_default();
            name.to_owned()
        }
        Outcome::Halted(_) => "out of gas".into(),
        Outcome::Created(_) => "created".into(),
    }
}

/// The events that must occur, and those that must not.
pub(crate) fn expected(actors: &Actors) -> (Vec<String>, Vec<String>) {
    let (names, at) = (actors.world.names(), actors.contracts);
    let (mut must, mut never) = (Vec::new(), Vec::new());
    for predicate in actors.predicates() {
        for access in Access::ALL {
            let is_possible = predicate != at.always_deny || access == Access::Denied;
            let list = if is_possible { &mut must } else { &mut never };
            list.push(direct(names, predicate, access));
            // With little gas even `AlwaysDenyPredicate` is unknown to the registry.
            if is_possible || access == Access::Granted {
                list.push(via_registry(names, predicate, access));
            }
        }
    }
    let common = [
        "ok",
        "CallerIsNotToolCreator",
        "ToolNotFound",
        "ToolIsDeregistered",
    ];
    let own: [(Address, &[&str]); 10] = [
        (
            at.erc721_owner,
            &["TooManyCollections", "CollectionNoCode", "InvalidStipend"],
        ),
        (
            at.erc1155_owner,
            &[
                "EmptyTokenIds",
                "TooManyTokens",
                "CollectionNoCode",
                "InvalidStipend",
            ],
        ),
        (
            at.erc20_balance,
            &[
                "ZeroToken",
                "TokenNoCode",
                "ZeroMinBalance",
                "InvalidStipend",
            ],
        ),
        (
            at.subscription,
            &["ZeroCollection", "CollectionNotAContract", "InvalidStipend"],
        ),
        (at.trait_gated, &CONFIGURE_TRAIT),
        (at.merkle_allowlist, &[]),
        (at.access_proof, &["InvalidStipend"]),
        (at.composite, &SET_COMPOSITION),
        (actors.inner, &SET_COMPOSITION),
        (at.registry, &["NotToolCreator", "InvalidAccessPredicate"]),
    ];
    for (to, errors) in own {
        let all = common.iter().chain(errors);
        let all = all.filter(|error| to != at.registry || **error != "CallerIsNotToolCreator");
        must.extend(all.map(|outcome| called(names, to, outcome)));
    }
    let no_data = "revert without data";
    must.push(format!("with value: {no_data}"));
    never.push("with value: ok".into());
    let mutated = [no_data, "ok", "CallerIsNotToolCreator", "InvalidStipend"];
    must.extend(mutated.map(|outcome| format!("mutated: {outcome}")));
    let limited = [no_data, "ok", "out of gas", "NotEnoughGas", "InvalidTerm"];
    must.extend(limited.map(|outcome| format!("with limited gas: {outcome}")));
    must.extend(
        [
            "no shortage of gas",
            "shortage of a stipend",
            "shortage of the call",
        ]
        .map(Into::into),
    );
    must.extend(with_enough_gas(actors));
    must.push("composite of three terms must match".into());
    must.push("composite with clauses must match".into());
    must.push("nested composite must be described".into());
    (must, never)
}

/// Every function was called with limited gas that was enough.
fn with_enough_gas(actors: &Actors) -> Vec<String> {
    let (names, at) = (actors.world.names(), actors.contracts);
    let mut calls = vec![
        (at.registry, "registerTool"),
        (at.registry, "deregisterTool"),
        (at.registry, "setAccessPredicate"),
        (at.registry, "hasAccess"),
        (at.registry, "tryHasAccess"),
        (at.subscription, "getSubscriptionStatus"),
        (at.erc721_owner, "setCollections"),
        (at.erc1155_owner, "setCollectionTokens"),
        (at.erc20_balance, "configureToolERC20"),
        (at.subscription, "configureToolGating"),
        (at.trait_gated, "configureToolTrait"),
        (at.merkle_allowlist, "setAllowlistRoot"),
        (at.access_proof, "setStipend"),
        (at.composite, "setComposition"),
        (actors.inner, "setComposition"),
        (at.composite, "setClauses"),
        (actors.inner, "setClauses"),
    ];
    for predicate in actors.predicates() {
        calls.extend([(predicate, "hasAccess"), (predicate, "getRequirements")]);
    }
    let events = calls
        .into_iter()
        .map(|(to, function)| must_match(names, to, function));
    events.collect()
}

const SET_COMPOSITION: [&str; 9] = [
    "InvalidOperator",
    "TooManyTerms",
    "EmptyClause",
    "WrongNumberOfStipends",
    "InvalidTerm",
    "InvalidAccessPredicate",
    "CannotNegate",
    "TermGasTooLow",
    "InvalidBudget",
];

const CONFIGURE_TRAIT: [&str; 8] = [
    "ZeroCollection",
    "ZeroTraitsContract",
    "CollectionNoCode",
    "TraitsContractNoCode",
    "EmptyAllowedValues",
    "TooManyAllowedValues",
    "ZeroValueInAllowedValues",
    "InvalidStipend",
];
