//! Random sequences of steps.

use std::fmt;

use acceptance::form::{Form, any_damaged_form, any_form};
use atr_harness::{Fork, model::tokens::Voice};
use proptest::{collection::vec, option, prelude::*, sample::select, strategy::Union};

use super::{
    data::any_data,
    step::{By, Step, Whom},
};

/// A chain, and a sequence of steps.
#[derive(Clone)]
pub(crate) struct Scenario {
    pub(crate) fork: Fork,
    pub(crate) steps: Vec<(Step, Form)>,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  on {}", self.fork)?;
        for (index, (step, form)) in self.steps.iter().enumerate() {
            writeln!(f, "  {index}. {step:?}{form}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Between one step and `longest`.
pub(crate) fn any_scenario(longest: usize) -> impl Strategy<Value = Scenario> {
    let step = prop_oneof![
        6 => Union::new(ways_to_set_up()),
        1 => composing(),
        3 => tools(),
        6 => Union::new(ways_to_move()),
        1 => (any::<u8>(), voice()).prop_map(|(token, voice)| Step::Voice { token, voice }),
        1 => (0..4_u8).prop_map(|seconds| Step::Wait { seconds }),
        10 => asking(),
    ];
    let later = vec((step, any_form()), 1..=longest);
    (select(Fork::ALL.to_vec()), beginning(), later).prop_map(|(fork, first, later)| {
        let first = first.into_iter().map(|step| (step, Form::default()));
        Scenario {
            fork,
            steps: first.chain(later).collect(),
        }
    })
}

/// Nothing but calls that set predicates up, each damaged.
pub(crate) fn any_damaged_setting_up(longest: usize) -> impl Strategy<Value = Scenario> {
    let steps = vec(
        (Union::new(ways_to_set_up()), any_damaged_form()),
        1..=longest,
    );
    (select(Fork::ALL.to_vec()), steps).prop_map(|(fork, steps)| Scenario { fork, steps })
}

/// Most predicates are set up and most tokens handed out, and most tools are not open, so that there is something to ask
/// about. Each of these steps can be left out, so that what is left when a property fails is short.
fn beginning() -> impl Strategy<Value = Vec<Step>> {
    let gates = vec![gating(), gating(), gating()];
    let again = vec![composing()];
    let steps = [
        ways_to_set_up(),
        again,
        ways_to_move(),
        ways_to_move(),
        gates,
    ]
    .concat();
    let each: Vec<_> = steps
        .into_iter()
        .map(|step| option::weighted(0.9, step))
        .collect();
    each.prop_map(|steps| steps.into_iter().flatten().collect())
}

/// The creator more often than not.
fn by() -> impl Strategy<Value = By> {
    prop_oneof![
        12 => Just(By::Creator),
        1 => Just(By::OtherCreator),
        1 => any::<u8>().prop_map(By::Account),
        1 => Just(By::Registry),
    ]
}

fn voice() -> impl Strategy<Value = Voice> {
    prop_oneof![2 => Just(Voice::Honest), 1 => select(Voice::ALL.to_vec())]
}

fn tools() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => Just(Step::Register),
        2 => (any::<u8>(), by()).prop_map(|(tool, by)| Step::Deregister { tool, by }),
        12 => gating(),
    ]
}

fn gating() -> BoxedStrategy<Step> {
    (any::<(u8, u8)>(), by())
        .prop_map(|((tool, predicate), by)| Step::Gate {
            tool,
            predicate,
            by,
        })
        .boxed()
}

/// Few more often than too many.
fn some<T: fmt::Debug + Clone + 'static>(
    one: impl Strategy<Value = T> + Clone + 'static,
    few: usize,
    too_many: usize,
) -> impl Strategy<Value = Vec<T>> {
    prop_oneof![12 => vec(one.clone(), 0..=few), 1 => vec(one, too_many)]
}

/// Each predicate in its turn.
fn ways_to_set_up() -> Vec<BoxedStrategy<Step>> {
    let collections = (any::<u8>(), some(any::<u8>(), 4, 15), by());
    let ids = prop_oneof![15 => vec(any::<u8>(), 1..=2), 1 => Just(Vec::new())];
    let groups = (any::<u8>(), some((any::<u8>(), ids), 3, 20), by());
    let balance = (any::<(u8, u8)>(), 0..9_u8, by());
    let gating = (any::<(u8, u8)>(), 0..4_u8, by());
    let values = some(any::<u8>(), 3, 257);
    let traits = (any::<(u8, u8, u8)>(), values, by());
    vec![
        collections
            .prop_map(|(tool, collections, by)| Step::SetCollections {
                tool,
                collections,
                by,
            })
            .boxed(),
        groups
            .prop_map(|(tool, groups, by)| Step::SetEditions { tool, groups, by })
            .boxed(),
        balance
            .prop_map(|((tool, coin), least, by)| Step::SetBalance {
                tool,
                coin,
                least,
                by,
            })
            .boxed(),
        gating
            .prop_map(|((tool, pass), tier, by)| Step::SetGating {
                tool,
                pass,
                tier,
                by,
            })
            .boxed(),
        traits
            .prop_map(|((tool, collection, traits), values, by)| Step::SetTrait {
                tool,
                collection,
                traits,
                values,
                by,
            })
            .boxed(),
        (any::<(u8, u8)>(), by())
            .prop_map(|((tool, members), by)| Step::SetList { tool, members, by })
            .boxed(),
        composing(),
    ]
}

fn composing() -> BoxedStrategy<Step> {
    let op = prop_oneof![10 => 0..2_u8, 1 => Just(2_u8)];
    let term = (any::<u8>(), prop::bool::weighted(0.25));
    let terms = some(term, 5, 9);
    let edges = vec![7, 8, 40_000, 149_999, 150_000, 150_001];
    let budget = prop_oneof![3 => Just(None), 1 => option::of(select(edges))];
    (any::<(u8, bool)>(), op, terms, budget, by())
        .prop_map(|((tool, inner), op, terms, budget, by)| Step::Compose {
            tool,
            inner,
            op,
            terms,
            budget,
            by,
        })
        .boxed()
}

/// Each kind of token in its turn.
fn ways_to_move() -> Vec<BoxedStrategy<Step>> {
    let four = any::<(u8, u8, u8, u8)>;
    let collectible = (any::<(u8, u8)>(), option::weighted(0.8, any::<u8>()));
    let pass = (any::<(u8, u8, u8, u8)>(), -1..4_i8);
    vec![
        any::<(u8, u8, u8)>()
            .prop_map(|(coin, account, amount)| Step::Pay {
                coin,
                account,
                amount,
            })
            .boxed(),
        four()
            .prop_map(|(coin, from, to, amount)| Step::Transfer {
                coin,
                from,
                to,
                amount,
            })
            .boxed(),
        four()
            .prop_map(|(coin, from, to, amount)| Step::Approve {
                coin,
                from,
                to,
                amount,
            })
            .boxed(),
        collectible
            .prop_map(|((collection, token), to)| Step::GiveCollectible {
                collection,
                token,
                to,
            })
            .boxed(),
        four()
            .prop_map(|(edition, token, to, amount)| Step::GiveEdition {
                edition,
                token,
                to,
                amount,
            })
            .boxed(),
        (four(), any::<(u8, bool)>())
            .prop_map(
                |((edition, token, from, to), (amount, two))| Step::SendEdition {
                    edition,
                    token,
                    from,
                    to,
                    amount,
                    two,
                },
            )
            .boxed(),
        pass.prop_map(
            |((pass, account, token, tier), seconds_left)| Step::Subscribe {
                pass,
                account,
                token,
                seconds_left,
                tier,
            },
        )
        .boxed(),
        any::<(u8, u8)>()
            .prop_map(|(token, value)| Step::PaintRelic { token, value })
            .boxed(),
    ]
}

fn asking() -> impl Strategy<Value = Step> {
    let whom = prop_oneof![
        4 => Just(Whom::Registry),
        1 => Just(Whom::RegistryFolded),
        6 => any::<u8>().prop_map(Whom::Predicate),
    ];
    let access = (whom, any::<(u8, u8)>(), any_data());
    prop_oneof![
        10 => access.prop_map(|(whom, (tool, account), data)| Step::Ask { whom, tool, account, data }),
        1 => any::<(u8, u8)>().prop_map(|(tool, account)| Step::AskStatus { tool, account }),
        2 => any::<(u8, u8)>()
            .prop_map(|(predicate, tool)| Step::AskRequirements { predicate, tool }),
    ]
}
