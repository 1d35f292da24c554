//! What random sequences came to see.

use std::collections::BTreeMap;

use acceptance::form::Form;
use alloy_primitives::Address;
use atr_bindings::IToolRegistry::tryHasAccessCall;
use atr_harness::{Names, Outcome, Receipt, model::Answer};

use super::cast::Cast;

/// How often each thing was seen, told in words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach(BTreeMap<String, u32>);

impl Reach {
    /// It was seen once more.
    pub(crate) fn note(&mut self, what: String) {
        *self.0.entry(what).or_default() += 1;
    }

    /// A predicate that was asked directly gave this answer.
    pub(crate) fn note_answer(&mut self, names: &Names, predicate: Address, answer: Answer) {
        self.note(said(names, predicate, answer));
    }

    /// The registry, asked about a tool with this predicate, told this.
    pub(crate) fn note_told(&mut self, names: &Names, predicate: Address, receipt: &Receipt) {
        let told = receipt.returned::<tryHasAccessCall>();
        if let Some(told) = told.filter(|_| !predicate.is_zero()) {
            let answer = match (told.ok, told.granted) {
                (true, granted) => Answer::from(granted),
                (false, _) => Answer::Unknown,
            };
            self.note(told_of(names, predicate, answer));
        }
    }

    /// A call to a contract ended this way, in this form.
    pub(crate) fn note_call(&mut self, names: &Names, to: Address, form: &Form, receipt: &Receipt) {
        let ending = ending(names, receipt);
        match form {
            Form { damage, .. } if !damage.is_empty() => self.note(format!("damaged: {ending}")),
            Form { ether: 1.., .. } => self.note(format!("with ether: {ending}")),
            Form { gas: Some(_), .. } => self.note(format!("with chosen gas: {ending}")),
            _ => self.note(called(names, to, &ending)),
        }
    }

    /// All that was seen here too.
    pub(crate) fn add(&mut self, other: Self) {
        for (what, times) in other.0 {
            *self.0.entry(what).or_default() += times;
        }
    }

    /// What was not seen `times` times.
    pub(crate) fn missing<'a>(&self, expected: &'a [String], times: u32) -> Vec<&'a String> {
        let is_missing = |what: &&String| self.0.get(*what).is_none_or(|seen| *seen < times);
        expected.iter().filter(is_missing).collect()
    }

    /// Whether it was never seen.
    pub(crate) fn lacks(&self, what: &str) -> bool {
        !self.0.contains_key(what)
    }
}

fn said(names: &Names, predicate: Address, answer: Answer) -> String {
    format!("{} says {answer:?}", names.of(predicate))
}

fn told_of(names: &Names, predicate: Address, answer: Answer) -> String {
    let name = names.of(predicate);
    format!("the registry says {answer:?} for {name}")
}

/// A call had gas that somebody chose, and enough of it.
pub(crate) fn must_obey(names: &Names, to: Address, function: &str) -> String {
    let name = names.of(to);
    format!("{function} of {name} must do as the model with chosen gas")
}

fn called(names: &Names, to: Address, ending: &str) -> String {
    format!("{}: {ending}", names.of(to))
}

/// The name of an error, or what else it came to.
fn ending(names: &Names, receipt: &Receipt) -> String {
    match &receipt.outcome {
        Outcome::Returned(_) => "done".into(),
        Outcome::Reverted(data) if data.is_empty() => "refused without a word".into(),
        Outcome::Reverted(data) => {
            let told = names.error(data);
            let name = told.split([' ', '(']).next().unwrap_or_default();
            name.to_owned()
        }
        Outcome::Halted(_) => "out of gas".into(),
        Outcome::Created(_) => "created".into(),
    }
}

/// Everything there is to see, in words; and what must never be.
pub(crate) fn expected(cast: &Cast) -> (Vec<String>, Vec<String>) {
    let (names, at) = (cast.world.names(), cast.contracts);
    let (mut must, mut never) = (Vec::new(), Vec::new());
    for predicate in cast.predicates() {
        for answer in [Answer::No, Answer::Unknown, Answer::Yes] {
            let is_possible = predicate != at.always_deny || answer == Answer::No;
            let side = if is_possible { &mut must } else { &mut never };
            side.push(said(names, predicate, answer));
            // With little gas even who always denies may not get to say so.
            if is_possible || answer == Answer::Yes {
                side.push(told_of(names, predicate, answer));
            }
        }
    }
    let everywhere = [
        "done",
        "CallerIsNotToolCreator",
        "ToolNotFound",
        "ToolIsDeregistered",
    ];
    let own: [(Address, &[&str]); 9] = [
        (at.erc721_owner, &["TooManyCollections"]),
        (at.erc1155_owner, &["NoTokenIds", "TooManyTokens"]),
        (at.erc20_balance, &["MinBalanceIsZero"]),
        (at.subscription, &[]),
        (at.trait_gated, &["TooManyValues"]),
        (at.merkle_allowlist, &[]),
        (at.composite, &COMPOSING),
        (cast.inner, &COMPOSING),
        (at.registry, &["NotToolCreator", "InvalidAccessPredicate"]),
    ];
    for (to, errors) in own {
        let all = everywhere.iter().chain(errors);
        let all = all.filter(|error| to != at.registry || **error != "CallerIsNotToolCreator");
        must.extend(all.map(|ending| called(names, to, ending)));
    }
    let silent = "refused without a word";
    must.push(format!("with ether: {silent}"));
    never.push("with ether: done".into());
    let damaged = [silent, "done", "CallerIsNotToolCreator", "InvalidTerm"];
    must.extend(damaged.map(|ending| format!("damaged: {ending}")));
    let starved = [
        silent,
        "done",
        "out of gas",
        "NotEnoughGas",
        "CodeStoreFailed",
        "InvalidTerm",
    ];
    must.extend(starved.map(|ending| format!("with chosen gas: {ending}")));
    must.extend(
        [
            "nobody lacks gas",
            "a term may lack gas",
            "the call may lack gas",
        ]
        .map(Into::into),
    );
    must.extend(obedient(cast));
    must.push("three terms or more must answer as the model".into());
    for told in [
        "must be told whole if there is gas",
        "may lack gas to be told",
    ] {
        must.push(format!("a composite in another {told}"));
    }
    (must, never)
}

/// Every call that is made with chosen gas has had enough of it.
fn obedient(cast: &Cast) -> Vec<String> {
    let (names, at) = (cast.world.names(), cast.contracts);
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
        (at.composite, "setComposition"),
        (cast.inner, "setComposition"),
    ];
    for predicate in cast.predicates() {
        calls.extend([(predicate, "hasAccess"), (predicate, "getRequirements")]);
    }
    let told = calls
        .into_iter()
        .map(|(to, function)| must_obey(names, to, function));
    told.collect()
}

const COMPOSING: [&str; 5] = [
    "InvalidOperator",
    "TooManyTerms",
    "InvalidBudget",
    "InvalidTerm",
    "CannotNegate",
];
