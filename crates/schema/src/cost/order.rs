//! Schemas that look at one place, sorted so that a schema comes after all it hands the place to.

use crate::{
    Error,
    graph::{Graph, Id},
};

/// The order, or the circle that has none.
pub(super) fn innermost_first(graph: &Graph) -> Result<Vec<Id>, Error> {
    let count = graph.nodes.len();
    let mut outer = vec![Vec::new(); count];
    let mut waiting: Vec<usize> = Vec::with_capacity(count);
    for (id, node) in graph.nodes.iter().enumerate() {
        waiting.push(node.in_place.len());
        for (_, inner) in &node.in_place {
            outer[*inner].push(id);
        }
    }
    let mut order: Vec<Id> = (0..count).filter(|id| waiting[*id] == 0).collect();
    let mut next = 0;
    while let Some(id) = order.get(next).copied() {
        next += 1;
        for outer in &outer[id] {
            waiting[*outer] -= 1;
            if waiting[*outer] == 0 {
                order.push(*outer);
            }
        }
    }
    match (0..count).find(|id| waiting[*id] > 0) {
        None => Ok(order),
        Some(stuck) => Err(Error::EndlessRef {
            pointer: graph.nodes[on_circle(graph, &waiting, stuck)]
                .pointer
                .clone(),
        }),
    }
}

/// Whoever waits, waits for another that does; following them ends on a circle.
fn on_circle(graph: &Graph, waiting: &[usize], mut id: Id) -> Id {
    let mut seen = vec![false; graph.nodes.len()];
    while !seen[id] {
        seen[id] = true;
        let mut inner = graph.nodes[id].in_place.iter();
        id = inner
            .find(|(_, inner)| waiting[*inner] > 0)
            .map_or(id, |(_, inner)| *inner);
    }
    id
}
