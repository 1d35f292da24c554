//! Steps one level down: for each member or element that schemas name, and for all others.

use crate::graph::{Graph, Id, Node};

/// Steps by name or index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fan {
    /// Where no schema names the member or element.
    other: u64,
    /// By number, in ascending order; the whole sum, not what is added to `other`.
    listed: Vec<(u32, u64)>,
}

impl Fan {
    /// The same everywhere.
    pub(super) const fn all(steps: u64) -> Self {
        Self {
            other: steps,
            listed: Vec::new(),
        }
    }

    /// What a schema does to the members of an object.
    pub(super) fn of_members(node: &Node, steps: &[u64]) -> Self {
        let name = of(node.property_names, steps);
        let patterns = sum(&node.pattern_properties, steps).saturating_add(name);
        let additional = of(node.additional_properties, steps).saturating_add(name);
        Self {
            // Additional members are those that match no pattern.
            other: patterns.max(additional),
            listed: listed(&node.properties, steps, |own| own.saturating_add(patterns)),
        }
    }

    /// What a schema does to the elements of an array.
    pub(super) fn of_elements(node: &Node, steps: &[u64]) -> Self {
        let contains = of(node.contains, steps);
        let items = node.items.iter().map(|id| steps[*id]);
        let items = items.max().unwrap_or_default();
        Self {
            other: items.saturating_add(contains),
            // In some drafts `items` holds for all elements, in others for those after the listed ones.
            listed: listed(&node.prefix_items, steps, |own| {
                own.max(items).saturating_add(contains)
            }),
        }
    }

    /// What is done to members or elements to find out whether they were evaluated: they are gone through, and tried on the
    /// schema for those that were not.
    pub(super) fn of_asked(graph: &Graph, unevaluated: Option<Id>, steps: &[u64]) -> Self {
        Self::all(of(graph.boolean, steps)).with(unevaluated, steps)
    }

    /// With a schema that is applied everywhere.
    pub(super) fn with(mut self, everywhere: Option<Id>, steps: &[u64]) -> Self {
        self.add(&Self::all(of(everywhere, steps)));
        self
    }

    /// Both.
    pub(super) fn add(&mut self, more: &Self) {
        if more.listed.is_empty() {
            if more.other == 0 {
                return;
            }
            for (_, steps) in &mut self.listed {
                *steps = steps.saturating_add(more.other);
            }
        } else {
            self.listed = self.merged(more);
        }
        self.other = self.other.saturating_add(more.other);
    }

    fn merged(&self, more: &Self) -> Vec<(u32, u64)> {
        let mut merged = Vec::with_capacity(self.listed.len() + more.listed.len());
        let mut ours = self.listed.iter().copied().peekable();
        let mut theirs = more.listed.iter().copied().peekable();
        loop {
            let key = match (ours.peek(), theirs.peek()) {
                (Some((our, _)), Some((their, _))) => *our.min(their),
                (Some((key, _)), None) | (None, Some((key, _))) => *key,
                (None, None) => return merged,
            };
            let our = ours.next_if(|(listed, _)| *listed == key);
            let their = theirs.next_if(|(listed, _)| *listed == key);
            let our = our.map_or(self.other, |(_, steps)| steps);
            let their = their.map_or(more.other, |(_, steps)| steps);
            merged.push((key, our.saturating_add(their)));
        }
    }

    /// The most anywhere.
    pub(super) fn most(&self) -> u64 {
        let listed = self.listed.iter().map(|(_, steps)| *steps);
        listed.fold(self.other, u64::max)
    }
}

fn of(id: Option<Id>, steps: &[u64]) -> u64 {
    id.map_or(0, |id| steps[id])
}

fn sum(ids: &[Id], steps: &[u64]) -> u64 {
    let steps = ids.iter().map(|id| steps[*id]);
    steps.fold(0, u64::saturating_add)
}

/// In ascending order, once each: two lists may name one index, and then both count.
fn listed(entries: &[(u32, Id)], steps: &[u64], whole: impl Fn(u64) -> u64) -> Vec<(u32, u64)> {
    let own = entries.iter().map(|(key, id)| (*key, steps[*id]));
    let mut sums: Vec<(u32, u64)> = own.collect();
    sums.sort_unstable_by_key(|(key, _)| *key);
    sums.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 = kept.1.saturating_add(next.1);
        }
        is_same
    });
    for (_, steps) in &mut sums {
        *steps = whole(*steps);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fan(other: u64, listed: &[(u32, u64)]) -> Fan {
        Fan {
            other,
            listed: listed.to_vec(),
        }
    }

    #[test]
    fn what_one_fan_does_not_list_counts_as_its_other() {
        let mut sum = fan(1, &[(1, 10), (3, 30)]);
        sum.add(&fan(2, &[(2, 20), (3, 40)]));
        assert_eq!(sum, fan(3, &[(1, 12), (2, 21), (3, 70)]));
        sum.add(&Fan::all(5));
        assert_eq!(sum, fan(8, &[(1, 17), (2, 26), (3, 75)]));
        assert_eq!(sum.most(), 75);
        assert_eq!(Fan::all(7).most(), 7);
    }

    #[test]
    fn additional_members_and_patterns_are_never_both() {
        let node = Node {
            properties: vec![(4, 0)],
            pattern_properties: vec![1, 1],
            additional_properties: Some(2),
            ..Node::default()
        };
        assert_eq!(Fan::of_members(&node, &[1, 10, 100]), fan(100, &[(4, 21)]));
    }
}
