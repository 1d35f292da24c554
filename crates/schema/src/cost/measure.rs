//! How much of one kind, steps or patterns, schemas take at a place, level by level.

use super::fan::Fan;
use crate::{
    Error, MAX_MERGES_PER_LEVEL,
    graph::{Graph, Id, Node, Passage},
};

/// What each schema takes so many levels below the place it is applied to.
pub(super) struct Measure<'a> {
    graph: &'a Graph,
    order: &'a [Id],
    try_twice: &'a [bool],
    at: Vec<u64>,
    /// What the root takes, as far as it was recorded.
    pub(super) by_level: Vec<u64>,
    /// Once two levels are the same, so are all that follow.
    is_settled: bool,
}

impl<'a> Measure<'a> {
    /// At the place itself, if `own` is a schema's own share.
    pub(super) fn of(
        graph: &'a Graph,
        order: &'a [Id],
        try_twice: &'a [bool],
        own: fn(&Node) -> u64,
    ) -> Self {
        Self {
            graph,
            order,
            try_twice,
            at: here(graph, order, own),
            by_level: Vec::new(),
            is_settled: false,
        }
    }

    /// One level further down.
    pub(super) fn descend(&mut self) {
        if !self.is_settled {
            let above = std::mem::take(&mut self.at);
            self.at = self.below(&above);
            self.is_settled = self.at == above;
        }
    }

    /// What each schema takes one level further down than `above` tells.
    fn below(&self, above: &[u64]) -> Vec<u64> {
        let Self { graph, order, .. } = self;
        let applied = |id: Id, node: &Node| Load {
            here: 0,
            members: Fan::of_members(node, above).with(
                node.unevaluated_properties.filter(|_| self.try_twice[id]),
                above,
            ),
            elements: Fan::of_elements(node, above).with(node.unevaluated_items, above),
        };
        let asked = |_, node: &Node| Load {
            here: 0,
            members: Fan::of_asked(graph, node.unevaluated_properties, above),
            elements: Fan::of_asked(graph, node.unevaluated_items, above)
                .with(node.contains, above),
        };
        let loads = loads(graph, order, applied, asked);
        let most = |load: Load| load.members.most().max(load.elements.most());
        loads.into_iter().map(most).collect()
    }

    /// Whether no schema reaches this deep.
    pub(super) fn is_nothing(&self) -> bool {
        self.at.iter().all(|steps| *steps == 0)
    }

    /// Writes down what the root takes here.
    pub(super) fn record(&mut self) -> u64 {
        self.by_level.push(self.at[0]);
        self.at[0]
    }
}

/// Bounds the work on one level.
pub(super) fn refuse_tangled(graph: &Graph, order: &[Id]) -> Result<(), Error> {
    match merges(graph, order) {
        merges if merges > MAX_MERGES_PER_LEVEL => Err(Error::TooTangled { merges }),
        _ => Ok(()),
    }
}

/// Additions on one level: every schema adds up, name by name, what the schemas it hands its place to do one level down.
fn merges(graph: &Graph, order: &[Id]) -> u64 {
    let indices = graph.nodes.iter().map(|node| node.prefix_items.len());
    let all = (graph.names.len() + indices.max().unwrap_or_default()) as u64;
    let mut listed = vec![0_u64; graph.nodes.len()];
    let mut merges = 0_u64;
    for id in order {
        let node = &graph.nodes[*id];
        let mut names = (node.properties.len() + node.prefix_items.len()) as u64;
        for (_, inner) in &node.in_place {
            // What was added up so far is gone through once more each time.
            names += listed[*inner];
            merges += names + 1;
            names = names.min(all);
        }
        listed[*id] = names.min(all);
    }
    merges
}

/// Which schemas try a member twice on their `unevaluatedProperties`: once to find out whether it counts as evaluated for
/// others, and if it does not match once more. The validator knows better where that does not depend on the call. It never knows
/// for elements.
pub(super) fn try_twice(graph: &Graph, order: &[Id]) -> Vec<bool> {
    let mut is_dynamic = vec![false; graph.nodes.len()];
    let mut try_twice = vec![false; graph.nodes.len()];
    for id in order {
        let node = &graph.nodes[*id];
        let mut inner = node.in_place.iter();
        let depends = node.is_dynamic || inner.any(|(_, inner)| is_dynamic[*inner]);
        try_twice[*id] = depends && node.unevaluated_properties.is_some();
        is_dynamic[*id] = depends || node.asks_evaluated > 0;
    }
    try_twice
}

/// What a schema takes when it is applied once.
#[derive(Clone, Debug, Default)]
struct Load {
    here: u64,
    members: Fan,
    elements: Fan,
}

impl Load {
    fn add(&mut self, other: &Self) {
        self.here = self.here.saturating_add(other.here);
        self.members.add(&other.members);
        self.elements.add(&other.elements);
    }
}

/// What each schema takes at the place it is applied to, if `own` is its own share.
fn here(graph: &Graph, order: &[Id], own: fn(&Node) -> u64) -> Vec<u64> {
    let own = |_, node: &Node| Load {
        here: own(node),
        ..Load::default()
    };
    let loads = loads(graph, order, own, own);
    loads.into_iter().map(|load| load.here).collect()
}

/// Adds up what schemas at one place take together. `applied` is a schema's own share when it is applied, `asked` when it is
/// asked what it evaluated: `unevaluatedProperties` and `unevaluatedItems` make the validator go through all branches again.
fn loads(
    graph: &Graph,
    order: &[Id],
    applied: impl Fn(Id, &Node) -> Load,
    asked: impl Fn(Id, &Node) -> Load,
) -> Vec<Load> {
    let is_asked = graph.nodes.iter().any(|node| node.asks_evaluated > 0);
    let mut all_applied = vec![Load::default(); graph.nodes.len()];
    let mut all_asked = vec![Load::default(); graph.nodes.len()];
    for id in order {
        let node = &graph.nodes[*id];
        if is_asked {
            let mut load = asked(*id, node);
            for (passage, inner) in &node.in_place {
                if *passage == Passage::Branch {
                    load.add(&all_applied[*inner]);
                }
                if *passage != Passage::Negated {
                    load.add(&all_asked[*inner]);
                }
            }
            all_asked[*id] = load;
        }
        let mut load = applied(*id, node);
        for (_, inner) in &node.in_place {
            load.add(&all_applied[*inner]);
        }
        // Who asks about members and about elements asks at a place about one of them.
        if node.asks_evaluated > 0 {
            load.add(&all_asked[*id]);
        }
        all_applied[*id] = load;
    }
    all_applied
}

#[cfg(test)]
mod tests {
    use jsonschema::Draft;
    use serde_json::{Value, json};

    use super::*;
    use crate::cost::order::of_places;

    fn graph(schema: &Value) -> (Graph, Vec<Id>) {
        let graph = Graph::try_new(schema, Draft::Draft202012).unwrap();
        let order = of_places(&graph).unwrap();
        (graph, order)
    }

    #[test]
    fn names_are_added_up_once_for_each_who_hands_his_place_on() {
        let (graph, order) = graph(&json!({
            "properties": {"a": {}, "b": {}},
            "prefixItems": [{}],
            "allOf": [{"properties": {"a": {}}}, {"prefixItems": [{}]}]
        }));
        // Three of its own and one of the first branch, and the branch; three there are, and one of the second.
        assert_eq!(merges(&graph, &order), (3 + 1 + 1) + (3 + 1 + 1));
    }

    #[test]
    fn a_schema_with_many_names_and_two_ways_to_them_is_refused() {
        let tangle = |names: usize| {
            let names: Value = (0..names)
                .map(|name| (name.to_string(), json!({})))
                .collect();
            let way = json!({"$ref": "#/$defs/names"});
            graph(&json!({"allOf": [way, way], "$defs": {"names": {"properties": names}}}))
        };
        let (graph, order) = tangle(52_428);
        assert_eq!(merges(&graph, &order), MAX_MERGES_PER_LEVEL);
        assert_eq!(refuse_tangled(&graph, &order), Ok(()));
        let (graph, order) = tangle(52_429);
        let merges = merges(&graph, &order);
        assert_eq!(
            refuse_tangled(&graph, &order),
            Err(Error::TooTangled { merges })
        );
    }
}
