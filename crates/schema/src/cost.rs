//! What a schema can cost, found before any call: the most steps at one place, level by level, and the most schemas inside one
//! another.
//!
//! Steps at a place are the schemas that look at it, each as often as it is applied. One level down it is the same question
//! for the schemas the first ones apply there: members of one name get what all of them say about that name, which is why
//! two branches that recurse through different members do not multiply and two that recurse through the same one do.
//! A call has at most 128 levels, so 128 rounds answer it for every call. What a round takes is known before the first.

mod bill;
mod fan;
mod here;
mod measure;
mod order;
mod unfold;
mod walk;

use atr_manifest::MAX_DEPTH;
use serde_json::Value;

pub(crate) use self::bill::{Bill, weight};
use self::{measure::Measure, walk::Walk};
use crate::{
    Error, MAX_NESTED_SCHEMAS, MAX_STEPS_PER_PLACE,
    graph::{Graph, Id},
    tree::Shape,
};

/// What a schema takes.
#[derive(Debug)]
pub(crate) struct Cost {
    graph: Graph,
    /// All schemas, each after those it hands its place to.
    order: Vec<Id>,
    /// Where each stands in the order.
    ranks: Vec<usize>,
    /// Which try members twice on their `unevaluatedProperties`.
    try_twice: Vec<bool>,
    /// The most at one place of a call, by its level.
    steps: Vec<u64>,
    reads: Vec<u64>,
    pattern_kilobytes: Vec<u64>,
}

impl Cost {
    /// Measures a schema, or refuses it.
    pub(crate) fn try_of(graph: Graph) -> Result<Self, Error> {
        let order = order::of_places(&graph)?;
        measure::refuse_tangled(&graph, &order)?;
        let mut ranks = vec![0; order.len()];
        for (rank, id) in order.iter().enumerate() {
            ranks[*id] = rank;
        }
        let try_twice = measure::try_twice(&graph, &order);
        let mut steps = Measure::of(&graph, &order, &try_twice, |node| node.steps);
        let mut reads = Measure::of(&graph, &order, &try_twice, |node| node.reads);
        let mut kilobytes = Measure::of(&graph, &order, &try_twice, |node| node.pattern_kilobytes);
        let mut nested = nested(&graph, &order, &vec![0; graph.nodes.len()]);
        for levels in 0..=MAX_DEPTH {
            if levels > 0 {
                for measure in [&mut steps, &mut reads, &mut kilobytes] {
                    measure.descend();
                }
                nested = self::nested(&graph, &order, &nested);
            }
            if steps.is_nothing() {
                break;
            }
            refuse(levels, steps.record(), nested[0])?;
            reads.record();
            kilobytes.record();
        }
        unfold::check(&graph)?;
        let by_level = [steps, reads, kilobytes].map(|measure| measure.by_level);
        let [steps, reads, pattern_kilobytes] = by_level;
        Ok(Self {
            graph,
            order,
            ranks,
            try_twice,
            steps,
            reads,
            pattern_kilobytes,
        })
    }

    /// How many different patterns the schema has.
    pub(crate) const fn patterns(&self) -> usize {
        self.graph.patterns
    }

    /// What a call takes, level by level.
    pub(crate) fn estimate(&self, shape: &Shape) -> Bill {
        let steps = product(&self.steps, &shape.places);
        Bill {
            steps: steps.saturating_add(product(&self.reads, &shape.below())),
            matching: product(&self.pattern_kilobytes, &shape.text_bytes),
            reporting: product(&self.steps, &shape.pointers),
        }
    }

    /// What a call takes, place by place, if that is less than the estimate. Both are upper bounds, each with its own blind
    /// spot: the walk takes every pattern for one that matches. Not further than the limit.
    pub(crate) fn refined(&self, estimate: Bill, call: &Value, limit: fn(&Bill) -> bool) -> Bill {
        Walk::bill(self, call, limit).map_or(estimate, |exact| exact.least(estimate))
    }
}

fn product(each: &[u64], counts: &[u64]) -> u64 {
    let levels = each.iter().zip(counts);
    levels.fold(0, |sum, (each, count)| {
        sum.saturating_add(each.saturating_mul(*count))
    })
}

fn refuse(levels: usize, steps: u64, schemas: u64) -> Result<(), Error> {
    if steps > MAX_STEPS_PER_PLACE {
        return Err(Error::TooCostly { levels, steps });
    }
    if schemas > MAX_NESTED_SCHEMAS {
        return Err(Error::TooNested { levels, schemas });
    }
    Ok(())
}

/// Schemas inside one another when each is applied, if the schemas one level down have `below` inside them.
fn nested(graph: &Graph, order: &[Id], below: &[u64]) -> Vec<u64> {
    let mut nested = vec![0; graph.nodes.len()];
    for id in order {
        let node = &graph.nodes[*id];
        let here = node.in_place.iter().map(|(_, inner)| nested[*inner]);
        let down = node.below().map(|inner| below[inner]);
        nested[*id] = 1 + here.chain(down).max().unwrap_or_default();
    }
    nested
}

#[cfg(test)]
mod tests;
