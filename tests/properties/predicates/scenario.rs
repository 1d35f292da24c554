//! Generators of scenarios.

use std::fmt;

use acceptance::variation::{Variation, any_mutated_variation, any_variation};
use atr_harness::{Fork, model::tokens::TokenBehavior};
use proptest::{collection::vec, option, prelude::*, sample::select, strategy::Union};

use super::{
    data::any_data,
    step::{AccessTarget, Caller, Step, TermGas, Terms},
};

/// A fork and a sequence of steps.
#[derive(Clone)]
pub(crate) struct Scenario {
    pub(crate) fork: Fork,
    pub(crate) steps: Vec<(Step, Variation)>,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  on {}", self.fork)?;
        for (index, (step, variation)) in self.steps.iter().enumerate() {
            writeln!(f, "  {index}. {step:?}{variation}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One to `longest` steps after the first ones.
pub(crate) fn any_scenario(longest: usize) -> impl Strategy<Value = Scenario> {
    let step = prop_oneof![
        6 => Union::new(configurations()),
        1 => composition(),
        3 => tools(),
        6 => Union::new(token_transfers()),
        1 => (any::<u8>(), token_behavior()).prop_map(|(token, behavior)| Step::SetTokenBehavior { token, behavior }),
        1 => (0..4_u8).prop_map(|seconds| Step::AdvanceTime { seconds }),
        10 => view_calls(),
    ];
    let later = vec((step, any_variation()), 1..=longest);
    (select(Fork::ALL.to_vec()), first_steps(), later).prop_map(|(fork, first, later)| {
        let first = first.into_iter().map(|step| (step, Variation::default()));
        Scenario {
            fork,
            steps: first.chain(later).collect(),
        }
    })
}

/// Only configuration calls with mutated calldata.
pub(crate) fn any_mutated_configuration(longest: usize) -> impl Strategy<Value = Scenario> {
    let steps = vec(
        (Union::new(configurations()), any_mutated_variation()),
        1..=longest,
    );
    (select(Fork::ALL.to_vec()), steps).prop_map(|(fork, steps)| Scenario { fork, steps })
}

/// Configures most predicates, distributes most tokens and gates most tools, so that later calls do more than fail. Each step is
/// optional, so that a counterexample shrinks.
fn first_steps() -> impl Strategy<Value = Vec<Step>> {
    let gates = vec![gate(), gate(), gate()];
    let again = vec![composition()];
    let steps = [
        configurations(),
        again,
        token_transfers(),
        token_transfers(),
        gates,
    ]
    .concat();
    let each: Vec<_> = steps
        .into_iter()
        .map(|step| option::weighted(0.9, step))
        .collect();
    each.prop_map(|steps| steps.into_iter().flatten().collect())
}

/// Most often the creator.
fn caller() -> impl Strategy<Value = Caller> {
    prop_oneof![
        12 => Just(Caller::Creator),
        1 => Just(Caller::OtherCreator),
        1 => any::<u8>().prop_map(Caller::Account),
        1 => Just(Caller::Registry),
    ]
}

fn token_behavior() -> impl Strategy<Value = TokenBehavior> {
    let needs_gas = select(vec![20_000, 25_000, 100_000]).prop_map(TokenBehavior::NeedsGas);
    prop_oneof![
        4 => Just(TokenBehavior::Honest),
        2 => select(TokenBehavior::ALL.to_vec()),
        1 => needs_gas,
    ]
}

fn tools() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => Just(Step::Register),
        2 => (any::<u8>(), caller()).prop_map(|(tool, by)| Step::Deregister { tool, by }),
        12 => gate(),
    ]
}

fn gate() -> BoxedStrategy<Step> {
    (any::<(u8, u8)>(), caller())
        .prop_map(|((tool, predicate), by)| Step::SetAccessPredicate {
            tool,
            predicate,
            by,
        })
        .boxed()
}

/// Most often a short list, sometimes one that is too long.
fn list<T: fmt::Debug + Clone + 'static>(
    element: impl Strategy<Value = T> + Clone + 'static,
    few: usize,
    too_many: usize,
) -> impl Strategy<Value = Vec<T>> {
    prop_oneof![12 => vec(element.clone(), 0..=few), 1 => vec(element, too_many)]
}

/// Most often the default; otherwise at and around the limits, and what some tokens need.
fn stipend() -> impl Strategy<Value = Option<u32>> + Clone {
    let chosen = vec![
        0, 499, 500, 2_000, 2_299, 2_300, 5_000, 9_000, 12_000, 24_999, 25_000, 60_000, 300_000,
    ];
    option::weighted(0.3, select(chosen))
}

/// A configuration of each predicate.
fn configurations() -> Vec<BoxedStrategy<Step>> {
    let collections = (any::<u8>(), list(any::<u8>(), 4, 11), stipend(), caller());
    let ids = prop_oneof![15 => vec(any::<u8>(), 1..=2), 1 => Just(Vec::new())];
    let groups = list((any::<u8>(), ids), 3, 11);
    let groups = (any::<u8>(), groups, stipend(), caller());
    let balance = (any::<(u8, u8)>(), 0..9_u8, stipend(), caller());
    let subscription = (any::<(u8, u8)>(), 0..4_u8, stipend(), caller());
    let values = list(any::<u8>(), 3, 124);
    let traits = (any::<(u8, u8, u8)>(), values, stipend(), caller());
    vec![
        collections
            .prop_map(|(tool, collections, stipend, by)| Step::SetCollections {
                tool,
                collections,
                stipend,
                by,
            })
            .boxed(),
        groups
            .prop_map(|(tool, groups, stipend, by)| Step::SetCollectionTokens {
                tool,
                groups,
                stipend,
                by,
            })
            .boxed(),
        balance
            .prop_map(
                |((tool, token), min_balance, stipend, by)| Step::ConfigureErc20 {
                    tool,
                    token,
                    min_balance,
                    stipend,
                    by,
                },
            )
            .boxed(),
        subscription
            .prop_map(
                |((tool, token), tier, stipend, by)| Step::ConfigureSubscription {
                    tool,
                    token,
                    tier,
                    stipend,
                    by,
                },
            )
            .boxed(),
        traits
            .prop_map(
                |((tool, collection, traits), values, stipend, by)| Step::ConfigureTrait {
                    tool,
                    collection,
                    traits,
                    values,
                    stipend,
                    by,
                },
            )
            .boxed(),
        (any::<(u8, u8)>(), caller())
            .prop_map(|((tool, members), by)| Step::SetAllowlist { tool, members, by })
            .boxed(),
        (any::<u8>(), stipend(), caller())
            .prop_map(|(tool, stipend, by)| Step::SetProofStipend {
                tool,
                stipend: stipend.unwrap_or_default(),
                by,
            })
            .boxed(),
        composition(),
    ]
}

fn composition() -> BoxedStrategy<Step> {
    let op = prop_oneof![10 => 0..2_u8, 1 => Just(2_u8)];
    let term = (any::<u8>(), prop::bool::weighted(0.25));
    let clause = prop_oneof![20 => vec(term, 1..=3), 1 => Just(Vec::new())];
    let edges = vec![2_999, 3_000, 10_000, 20_000, 40_000, 80_000, 156_001];
    let gas = prop_oneof![
        8 => Just(TermGas::Default),
        6 => select(edges).prop_map(TermGas::Each),
        1 => Just(TermGas::WrongNumber),
    ];
    let terms = prop_oneof![
        1 => list(term, 5, 9).prop_map(Terms::Flat),
        1 => (vec(clause, 0..=3), gas).prop_map(|(clauses, gas)| Terms::Clauses(clauses, gas)),
    ];
    (any::<(u8, bool)>(), op, terms, caller())
        .prop_map(|((tool, inner), op, terms, by)| Step::SetComposition {
            tool,
            inner,
            op,
            terms,
            by,
        })
        .boxed()
}

/// A transfer of each kind of token.
fn token_transfers() -> Vec<BoxedStrategy<Step>> {
    let four = any::<(u8, u8, u8, u8)>;
    let erc721 = (any::<(u8, u8)>(), option::weighted(0.8, any::<u8>()));
    let subscription = (any::<(u8, u8, u8, u8)>(), -1..4_i8);
    vec![
        any::<(u8, u8, u8)>()
            .prop_map(|(token, account, amount)| Step::SetErc20Balance {
                token,
                account,
                amount,
            })
            .boxed(),
        four()
            .prop_map(|(token, from, to, amount)| Step::TransferErc20 {
                token,
                from,
                to,
                amount,
            })
            .boxed(),
        four()
            .prop_map(|(token, from, to, amount)| Step::ApproveErc20 {
                token,
                from,
                to,
                amount,
            })
            .boxed(),
        erc721
            .prop_map(|((collection, token), to)| Step::SetErc721Owner {
                collection,
                token,
                to,
            })
            .boxed(),
        four()
            .prop_map(|(token, id, to, amount)| Step::SetErc1155Balance {
                token,
                id,
                to,
                amount,
            })
            .boxed(),
        (four(), any::<(u8, bool)>())
            .prop_map(
                |((token, id, from, to), (amount, two))| Step::TransferErc1155 {
                    token,
                    id,
                    from,
                    to,
                    amount,
                    two,
                },
            )
            .boxed(),
        subscription
            .prop_map(
                |((collection, account, token, tier), seconds_left)| Step::Subscribe {
                    collection,
                    account,
                    token,
                    seconds_left,
                    tier,
                },
            )
            .boxed(),
        any::<(u8, u8)>()
            .prop_map(|(token, value)| Step::SetTraitValue { token, value })
            .boxed(),
    ]
}

fn view_calls() -> impl Strategy<Value = Step> {
    let target = prop_oneof![
        4 => Just(AccessTarget::TryHasAccess),
        1 => Just(AccessTarget::HasAccess),
        6 => any::<u8>().prop_map(AccessTarget::Predicate),
    ];
    let check = (target, any::<(u8, u8)>(), any_data());
    prop_oneof![
        10 => check.prop_map(|(target, (tool, account), data)| Step::CheckAccess { target, tool, account, data }),
        1 => any::<(u8, u8)>().prop_map(|(tool, account)| Step::GetSubscriptionStatus { tool, account }),
        2 => any::<(u8, u8)>()
            .prop_map(|(predicate, tool)| Step::GetRequirements { predicate, tool }),
    ]
}
