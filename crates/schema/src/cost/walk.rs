//! The bill of a call, place by place. For calls that look too dear level by level: there the longest text of a level counts as
//! if it stood under the largest pattern.
//!
//! The walk itself may take as many steps as the call. A call has at most 128 levels, which bounds the calls below.

use std::{collections::HashMap, rc::Rc};

use serde_json::Value;

use super::{
    Cost,
    bill::Bill,
    here::{Entries, Here},
    weight,
};
use crate::MAX_STEPS_PER_CALL;

/// Sets of schemas that are kept for the next place they apply to. Elements of one array mostly share theirs.
const MAX_KEPT: usize = 1_024;

/// Steps it takes to put a schema among those that look at a place.
const STEPS_TO_A_SCHEMA: u64 = 4;

pub(super) struct Walk<'a> {
    cost: &'a Cost,
    bill: Bill,
    /// A bill beyond it is of no use.
    limit: fn(&Bill) -> bool,
    /// Steps of the walk itself.
    taken: u64,
    kept: HashMap<Entries, Rc<Here<'a>>>,
}

impl<'a> Walk<'a> {
    /// What the schema takes for a call; none where that came to be beyond the limit, or the walk itself too long.
    pub(super) fn bill(cost: &'a Cost, call: &Value, limit: fn(&Bill) -> bool) -> Option<Bill> {
        let mut walk = Self {
            cost,
            bill: Bill::default(),
            limit,
            taken: 0,
            kept: HashMap::new(),
        };
        // A boolean schema has no root.
        let root = cost.order.first().map(|_| (0, 1));
        walk.place(call, root.into_iter().collect(), 0);
        walk.goes_on().then_some(walk.bill)
    }

    fn goes_on(&self) -> bool {
        (self.limit)(&self.bill) && self.taken <= MAX_STEPS_PER_CALL
    }

    fn place(&mut self, value: &Value, entries: Entries, path_bytes: u64) {
        if entries.is_empty() || !self.goes_on() {
            return;
        }
        let here = self.here(entries);
        self.bill
            .add(here.steps, here.kilobytes, text_bytes(value), path_bytes);
        if here.reads > 0 {
            self.bill.read(here.reads, weight_below(value));
        }
        match value {
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    if !self.goes_on() {
                        break;
                    }
                    let (entries, looked_at) = here.element(index);
                    self.taken += looked_at;
                    self.place(element, entries, path_bytes + 8);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    if !self.goes_on() {
                        break;
                    }
                    let at = path_bytes + 1 + name.len() as u64;
                    self.name(name, &here.names, at);
                    let number = self.cost.graph.names.get(name).copied();
                    let (entries, looked_at) = here.member(number);
                    self.taken += looked_at;
                    self.place(member, entries, at);
                }
            }
            _ => {}
        }
    }

    /// A name of a member, as the value it is for `propertyNames`.
    fn name(&mut self, name: &str, entries: &Entries, path_bytes: u64) {
        if !entries.is_empty() && self.goes_on() {
            let here = self.here(entries.clone());
            let bytes = name.len() as u64;
            self.bill.add(here.steps, here.kilobytes, bytes, path_bytes);
        }
    }

    fn here(&mut self, entries: Entries) -> Rc<Here<'a>> {
        if let Some(here) = self.kept.get(&entries) {
            return Rc::clone(here);
        }
        let here = Rc::new(Here::of(self.cost, &entries));
        self.taken += here.schemas * STEPS_TO_A_SCHEMA;
        if self.kept.len() < MAX_KEPT {
            self.kept.insert(entries, Rc::clone(&here));
        }
        here
    }
}

/// Text that patterns are tried on at a place: the string, or the names of the members.
fn text_bytes(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64,
        Value::Object(members) => members.keys().map(|name| name.len() as u64).sum(),
        _ => 0,
    }
}

/// What all values below a value weigh, and the names of members.
fn weight_below(value: &Value) -> u64 {
    let with_all = |value: &Value| match value {
        Value::String(text) => weight(text.len() as u64),
        other => 1 + weight_below(other),
    };
    match value {
        Value::Array(elements) => elements.iter().map(with_all).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| weight(name.len() as u64) + with_all(member))
            .sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use jsonschema::Draft;
    use serde_json::json;

    use super::*;
    use crate::graph::Graph;

    fn taken(schema: &Value, call: &Value) -> u64 {
        let cost = Cost::try_of(Graph::try_new(schema, Draft::Draft202012).unwrap()).unwrap();
        let mut walk = Walk {
            cost: &cost,
            bill: Bill::default(),
            limit: |_| true,
            taken: 0,
            kept: HashMap::new(),
        };
        walk.place(call, vec![(0, 1)], 0);
        walk.taken
    }

    #[test]
    fn the_walk_counts_its_own_steps() {
        let schema = json!({
            "allOf": [{"properties": {"a": {}, "b": {}}}, {"additionalProperties": {}}, {}],
            "items": {"type": "null"}
        });
        // Four for each of the four schemas at the root.
        assert_eq!(taken(&schema, &json!(0)), 16);
        // The three that say something of members or elements are looked through; two apply, and are put together.
        assert_eq!(taken(&schema, &json!({"b": 0})), 16 + 3 + 2 + 8);
        // What applies to all other names, and to all elements, is known.
        assert_eq!(taken(&schema, &json!({"c": 0})), 16 + 1 + 4);
        assert_eq!(taken(&schema, &json!([0, 0])), 16 + 2 + 4);
        // What applies to nothing is not put together.
        let schema = json!({"additionalProperties": false, "items": {}});
        assert_eq!(taken(&schema, &json!([0])), 4 + 1 + 4);
    }

    #[test]
    fn the_walk_ends_where_the_bill_is_of_no_use() {
        let graph = Graph::try_new(&json!({"items": {}}), Draft::Draft202012).unwrap();
        let cost = Cost::try_of(graph).unwrap();
        let call = json!([0, 0, 0]);
        assert_eq!(Walk::bill(&cost, &call, |_| false), None);
        assert_eq!(Walk::bill(&cost, &call, |bill| bill.steps < 4), None);
        let whole = Walk::bill(&cost, &call, |_| true).unwrap();
        assert_eq!(whole.steps, 2 + 3);
    }
}
