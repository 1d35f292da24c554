//! Which schemas are applied at all. What only stands in `$defs` was read for its references; no call meets it, so nothing
//! more is to be found out about it.

use super::{Graph, Id, Node};

impl Graph {
    /// Without the schemas that are never applied.
    pub(super) fn applied(self) -> Self {
        let mut is_applied = vec![false; self.nodes.len()];
        let mut waiting: Vec<Id> = (0..self.nodes.len().min(1)).collect();
        while let Some(id) = waiting.pop() {
            if std::mem::replace(&mut is_applied[id], true) {
                continue;
            }
            let node = &self.nodes[id];
            waiting.extend(node.in_place.iter().map(|(_, inner)| *inner));
            waiting.extend(node.below());
            waiting.extend(self.boolean.filter(|_| node.asks_evaluated > 0));
        }
        let mut numbers = Vec::with_capacity(is_applied.len());
        let mut next = 0;
        for is_applied in &is_applied {
            numbers.push(next);
            next += usize::from(*is_applied);
        }
        let targets = self.targets.iter().filter(|id| is_applied[**id]);
        let nodes = self.nodes.into_iter().zip(&is_applied);
        let nodes = nodes.filter(|(_, is_applied)| **is_applied);
        Self {
            targets: targets.map(|id| numbers[*id]).collect(),
            nodes: nodes.map(|(node, _)| node.renumbered(&numbers)).collect(),
            boolean: self
                .boolean
                .filter(|id| is_applied[*id])
                .map(|id| numbers[id]),
            ..self
        }
    }
}

impl Node {
    /// All schemas it applies one level down.
    pub(crate) fn below(&self) -> impl Iterator<Item = Id> {
        let listed = self.properties.iter().chain(&self.prefix_items);
        let single = [
            self.additional_properties,
            self.property_names,
            self.contains,
            self.unevaluated_properties,
            self.unevaluated_items,
        ];
        let several = self.pattern_properties.iter().chain(&self.items);
        listed
            .map(|(_, id)| *id)
            .chain(several.copied())
            .chain(single.into_iter().flatten())
    }

    fn renumbered(mut self, numbers: &[Id]) -> Self {
        let in_place = self.in_place.iter_mut().map(|(_, id)| id);
        let listed = self.properties.iter_mut().chain(&mut self.prefix_items);
        let several = self.pattern_properties.iter_mut().chain(&mut self.items);
        let single = [
            &mut self.additional_properties,
            &mut self.property_names,
            &mut self.contains,
            &mut self.unevaluated_properties,
            &mut self.unevaluated_items,
        ];
        let ids = in_place
            .chain(listed.map(|(_, id)| id))
            .chain(several)
            .chain(single.into_iter().flatten());
        for id in ids {
            *id = numbers[*id];
        }
        self
    }
}
