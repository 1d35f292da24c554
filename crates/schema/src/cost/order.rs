//! What is part of what, sorted from the inside out.

use crate::{
    Error,
    graph::{Graph, Id, Node},
};

/// Things, each after all its parts, as far as there is such an order.
pub(super) struct Order {
    /// Those that have a place in it.
    pub(super) sorted: Vec<usize>,
    /// Of each, how many of its parts have none: it is on a circle, or leads to one.
    pub(super) stuck: Vec<usize>,
}

/// Sorts things by the parts of each.
pub(super) fn innermost_first(parts: &[Vec<usize>]) -> Order {
    let mut wholes = vec![Vec::new(); parts.len()];
    for (whole, parts) in parts.iter().enumerate() {
        for part in parts {
            wholes[*part].push(whole);
        }
    }
    let mut stuck: Vec<usize> = parts.iter().map(Vec::len).collect();
    let mut sorted: Vec<usize> = (0..parts.len())
        .filter(|thing| stuck[*thing] == 0)
        .collect();
    let mut next = 0;
    while let Some(thing) = sorted.get(next).copied() {
        next += 1;
        for whole in &wholes[thing] {
            stuck[*whole] -= 1;
            if stuck[*whole] == 0 {
                sorted.push(*whole);
            }
        }
    }
    Order { sorted, stuck }
}

/// Schemas that look at one place, each after all it hands the place to; or the circle that has no such order.
pub(super) fn of_places(graph: &Graph) -> Result<Vec<Id>, Error> {
    let handed = |node: &Node| node.in_place.iter().map(|(_, inner)| *inner).collect();
    let parts: Vec<Vec<Id>> = graph.nodes.iter().map(handed).collect();
    let Order { sorted, stuck } = innermost_first(&parts);
    match stuck.iter().position(|parts| *parts > 0) {
        None => Ok(sorted),
        Some(first) => Err(Error::EndlessRef {
            pointer: graph.nodes[on_circle(&parts, &stuck, first)]
                .pointer
                .clone(),
        }),
    }
}

/// Whoever is stuck has a part that is; following them ends on a circle.
fn on_circle(parts: &[Vec<Id>], stuck: &[usize], mut id: Id) -> Id {
    let mut seen = vec![false; parts.len()];
    while !seen[id] {
        seen[id] = true;
        let next = parts[id].iter().find(|part| stuck[**part] > 0);
        id = next.copied().unwrap_or(id);
    }
    id
}
