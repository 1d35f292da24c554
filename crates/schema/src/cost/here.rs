//! The schemas that come to look at one place of a call.

use std::collections::BTreeMap;

use super::Cost;
use crate::graph::{Id, Node, Passage};

/// How often a schema is applied to a place, and how often it is asked there what it evaluated.
#[derive(Clone, Copy, Default)]
struct Uses {
    applied: u64,
    asked: u64,
    /// Whether members are tried twice on its `unevaluatedProperties`.
    tries_twice: bool,
}

impl Uses {
    fn add(&mut self, applied: u64, asked: u64) {
        self.applied = self.applied.saturating_add(applied);
        self.asked = self.asked.saturating_add(asked);
    }
}

/// The schemas that are applied to a place from above, and how often. Each once, in ascending order.
pub(super) type Entries = Vec<(Id, u64)>;

/// All schemas that come to look at a place, and what they take there together.
pub(super) struct Here<'a> {
    /// Those that have something to do one level down.
    uses: Vec<(&'a Node, Uses)>,
    boolean: Option<Id>,
    pub(super) steps: u64,
    pub(super) reads: u64,
    pub(super) kilobytes: u64,
    /// How many there are.
    pub(super) schemas: u64,
    /// What is applied to each name of a member.
    pub(super) names: Entries,
    members: Below,
    elements: Below,
}

/// What is applied one level down.
#[derive(Default)]
struct Below {
    /// Names or indices that some schema lists, in ascending order.
    listed: Vec<u32>,
    /// What is applied to all others.
    others: Entries,
}

impl<'a> Here<'a> {
    pub(super) fn of(cost: &'a Cost, entries: &Entries) -> Self {
        let Cost {
            graph,
            order,
            ranks,
            try_twice,
            ..
        } = cost;
        let mut here = Self {
            uses: Vec::new(),
            boolean: graph.boolean,
            steps: 0,
            reads: 0,
            kilobytes: 0,
            schemas: 0,
            names: Vec::new(),
            members: Below::default(),
            elements: Below::default(),
        };
        let mut waiting: BTreeMap<usize, Uses> = BTreeMap::new();
        for (id, count) in entries {
            waiting.entry(ranks[*id]).or_default().add(*count, 0);
        }
        // A schema hands its place to schemas of lower rank only.
        while let Some((rank, mut uses)) = waiting.pop_last() {
            let node = &graph.nodes[order[rank]];
            if node.asks_evaluated > 0 {
                uses.add(0, uses.applied);
            }
            for (passage, inner) in &node.in_place {
                let (again, asked) = match passage {
                    Passage::Branch => (uses.asked, uses.asked),
                    Passage::Through | Passage::Reference => (0, uses.asked),
                    Passage::Negated => (0, 0),
                };
                let inner = waiting.entry(ranks[*inner]).or_default();
                inner.add(uses.applied.saturating_add(again), asked);
            }
            uses.tries_twice = try_twice[order[rank]];
            here.add(node, uses);
        }
        here.names = here.all(|node, uses, entries| {
            entries.extend(node.property_names.map(|id| (id, uses.applied)));
        });
        here.members = Below {
            listed: here.listed(|node| &node.properties),
            others: here.members(None),
        };
        here.elements = Below {
            listed: here.listed(|node| &node.prefix_items),
            others: here.elements(None),
        };
        here
    }

    fn add(&mut self, node: &'a Node, uses: Uses) {
        let times = uses.applied.saturating_add(uses.asked);
        let add = |sum: &mut u64, each: u64| *sum = sum.saturating_add(times.saturating_mul(each));
        add(&mut self.steps, node.steps);
        add(&mut self.reads, node.reads);
        add(&mut self.kilobytes, node.pattern_kilobytes);
        self.schemas += 1;
        if uses.asked > 0 || node.below().next().is_some() {
            self.uses.push((node, uses));
        }
    }

    /// What is applied to a member, by the number of its name, and how many schemas were looked at to know.
    pub(super) fn member(&self, name: Option<u32>) -> (Entries, u64) {
        self.one(&self.members, name, Self::members)
    }

    /// What is applied to an element, and how many schemas were looked at to know.
    pub(super) fn element(&self, index: usize) -> (Entries, u64) {
        self.one(&self.elements, u32::try_from(index).ok(), Self::elements)
    }

    fn one(
        &self,
        below: &Below,
        number: Option<u32>,
        find: fn(&Self, Option<u32>) -> Entries,
    ) -> (Entries, u64) {
        let number = number.filter(|number| below.listed.binary_search(number).is_ok());
        let (entries, looked_at) = match number {
            Some(_) => (find(self, number), self.uses.len()),
            None => (below.others.clone(), 0),
        };
        let looked_at = (looked_at + entries.len()) as u64;
        (entries, looked_at)
    }

    fn listed(&self, of: fn(&Node) -> &Vec<(u32, Id)>) -> Vec<u32> {
        let nodes = self.uses.iter().flat_map(|(node, _)| of(node));
        let mut numbers: Vec<u32> = nodes.map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// What `add` tells of each schema, put together.
    fn all(&self, add: impl Fn(&Node, Uses, &mut Entries)) -> Entries {
        let mut entries = Vec::new();
        for (node, uses) in &self.uses {
            add(node, *uses, &mut entries);
        }
        entries.retain(|(_, count)| *count > 0);
        entries.sort_unstable();
        entries.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            is_same
        });
        entries
    }

    fn members(&self, name: Option<u32>) -> Entries {
        self.all(|node, uses, entries| {
            let own = under(&node.properties, name);
            let additional = node.additional_properties.filter(|_| own.is_empty());
            let patterns = node.pattern_properties.iter().copied();
            let applied = own.iter().map(|(_, id)| *id).chain(patterns);
            let again = node.unevaluated_properties.filter(|_| uses.tries_twice);
            let applied = applied.chain(additional).chain(again);
            entries.extend(applied.map(|id| (id, uses.applied)));
            let asked = node.unevaluated_properties.into_iter().chain(self.boolean);
            entries.extend(asked.map(|id| (id, uses.asked)));
        })
    }

    fn elements(&self, index: Option<u32>) -> Entries {
        self.all(|node, uses, entries| {
            let own = under(&node.prefix_items, index).iter().map(|(_, id)| *id);
            let items = node.items.iter().copied();
            let again = node.unevaluated_items;
            let applied = own.chain(items).chain(node.contains).chain(again);
            entries.extend(applied.map(|id| (id, uses.applied)));
            let asked = node.contains.into_iter().chain(node.unevaluated_items);
            let asked = asked.chain(self.boolean);
            entries.extend(asked.map(|id| (id, uses.asked)));
        })
    }
}

/// What stands under a number, in a list that ascends.
fn under(entries: &[(u32, Id)], number: Option<u32>) -> &[(u32, Id)] {
    let Some(number) = number else { return &[] };
    let start = entries.partition_point(|(listed, _)| *listed < number);
    let end = entries.partition_point(|(listed, _)| *listed <= number);
    &entries[start..end]
}
