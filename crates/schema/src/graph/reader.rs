//! Finds the schemas in a schema, and what each does with the others.

use std::collections::HashMap;

use atr_manifest::Pointer;
use jsonschema::Draft;
use serde_json::{Map, Value};

use super::{
    Graph, Id, Node, Passage,
    keyword::{DECLARED, DYNAMIC, Form, IN_PLACE},
    measure,
    reference::{REFERENCES, References},
};
use crate::{Error, MAX_COMPILED_BYTES, pattern::Patterns};

/// Reads schemas, each when another has led to it.
pub(super) struct Reader<'a> {
    references: References<'a>,
    patterns: Patterns<'a>,
    /// Which schema has which number. One object is one schema, however it is reached.
    ids: HashMap<*const Map<String, Value>, Id>,
    names: HashMap<&'a str, u32>,
    targets: HashMap<&'a str, Id>,
    /// In the order of their numbers.
    found: Vec<(&'a Map<String, Value>, Pointer)>,
    pointer_bytes: u64,
    /// Stands for the boolean schemas, which are no objects.
    empty: &'a Map<String, Value>,
    boolean: Option<Id>,
}

impl<'a> Reader<'a> {
    /// With the root found, and nothing read. `empty` stands for the boolean schemas.
    pub(super) fn new(root: &'a Value, draft: Draft, empty: &'a Map<String, Value>) -> Self {
        let mut reader = Self {
            references: References::of(root, draft),
            patterns: Patterns::default(),
            ids: HashMap::new(),
            names: HashMap::new(),
            targets: HashMap::new(),
            found: Vec::new(),
            pointer_bytes: 0,
            empty,
            boolean: None,
        };
        reader.id(root, Pointer::root);
        reader
    }

    pub(super) fn read_all(mut self) -> Result<Graph, Error> {
        let mut nodes = Vec::new();
        while let Some((schema, pointer)) = self.found.get(nodes.len()).cloned() {
            nodes.push(self.read(schema, pointer)?);
            self.refuse_long_names()?;
        }
        let names = self.names.into_iter();
        let names = names.map(|(name, number)| (name.to_owned(), number));
        Ok(Graph {
            nodes,
            boolean: self.boolean,
            targets: self.targets.into_values().collect(),
            names: names.collect(),
            patterns: self.patterns.count(),
        })
    }

    /// The number of a schema; none for a boolean, or for what is no schema. Its pointer is made only when it is needed: names in
    /// it may be long, and there may be many booleans.
    fn id(&mut self, value: &'a Value, pointer: impl FnOnce() -> Pointer) -> Option<Id> {
        let schema = value.as_object()?;
        let next = self.found.len();
        let id = *self.ids.entry(std::ptr::from_ref(schema)).or_insert(next);
        if id == next && self.pointer_bytes <= MAX_COMPILED_BYTES {
            let pointer = pointer();
            self.pointer_bytes += pointer.as_str().len() as u64;
            self.found.push((schema, pointer));
        }
        Some(id)
    }

    fn refuse_long_names(&self) -> Result<(), Error> {
        match self.pointer_bytes {
            bytes if bytes > MAX_COMPILED_BYTES => Err(Error::TooLargeCompiled { bytes }),
            _ => Ok(()),
        }
    }

    /// The number of the boolean schemas.
    fn boolean(&mut self) -> Id {
        let next = self.found.len();
        let id = *self.boolean.get_or_insert(next);
        if id == next {
            self.found.push((self.empty, Pointer::root()));
        }
        id
    }

    fn name(&mut self, name: &'a str) -> u32 {
        let next = self.names.len() as u32;
        *self.names.entry(name).or_insert(next)
    }

    fn read(&mut self, schema: &'a Map<String, Value>, pointer: Pointer) -> Result<Node, Error> {
        if pointer != Pointer::root() {
            self.references.refuse_own_base(schema, &pointer)?;
        }
        let mut node = Node {
            steps: measure::steps(schema),
            reads: measure::reads(schema),
            compiled: measure::compiled(schema),
            pattern_kilobytes: self.pattern_kilobytes(schema, &pointer)?,
            ..Node::default()
        };
        for (keyword, passage, form) in IN_PLACE {
            for id in self.under(schema, &pointer, keyword, *form) {
                node.in_place.push((*passage, id));
            }
        }
        // Not applied anywhere by themselves, but read, so that a reference out of them is found.
        for (keyword, form) in DECLARED {
            self.under(schema, &pointer, keyword, *form);
        }
        self.read_references(schema, &pointer, &mut node)?;
        self.read_members(schema, &pointer, &mut node);
        self.read_elements(schema, &pointer, &mut node);
        let asking = ["unevaluatedProperties", "unevaluatedItems"].into_iter();
        let asking = asking.filter(|keyword| schema.contains_key(*keyword));
        node.asks_evaluated = asking.count() as u64;
        node.is_dynamic = DYNAMIC.iter().any(|keyword| schema.contains_key(*keyword));
        if node.asks_evaluated > 0 {
            // Whoever is asked goes through all members or elements.
            self.boolean();
        }
        node.pointer = pointer;
        Ok(node)
    }

    /// Patterns of a schema of its own: for its string, and for names of members.
    fn pattern_kilobytes(
        &mut self,
        schema: &'a Map<String, Value>,
        at: &Pointer,
    ) -> Result<u64, Error> {
        let mut kilobytes = 0;
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
            let at = || at.clone().member("pattern");
            kilobytes += self.patterns.kilobytes(pattern, at)?;
        }
        let names = schema.get("patternProperties").and_then(Value::as_object);
        for (pattern, _) in names.into_iter().flatten() {
            let at = || at.clone().member("patternProperties").member(pattern);
            kilobytes += self.patterns.kilobytes(pattern, at)?;
        }
        Ok(kilobytes)
    }

    fn read_references(
        &mut self,
        schema: &'a Map<String, Value>,
        pointer: &Pointer,
        node: &mut Node,
    ) -> Result<(), Error> {
        for keyword in REFERENCES {
            let Some(reference) = schema.get(keyword).and_then(Value::as_str) else {
                continue;
            };
            let at = pointer.clone().member(keyword);
            let (target, pointer) = self.references.target(reference, at)?;
            if let Some(id) = self.id(target, || pointer) {
                node.in_place.push((Passage::Reference, id));
                self.targets.insert(reference, id);
            }
        }
        Ok(())
    }

    fn read_members(&mut self, schema: &'a Map<String, Value>, at: &Pointer, node: &mut Node) {
        let at_properties = at.clone().member("properties");
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, value) in properties.into_iter().flatten() {
            if let Some(id) = self.id(value, || at_properties.clone().member(name)) {
                node.properties.push((self.name(name), id));
            }
        }
        node.properties.sort_unstable();
        node.pattern_properties = self.under(schema, at, "patternProperties", Form::Map);
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let booleans = patterns.into_iter().flatten();
        for _ in booleans.filter(|(_, value)| value.is_boolean()) {
            node.pattern_properties.push(self.boolean());
        }
        node.additional_properties = self.one_under(schema, at, "additionalProperties");
        node.unevaluated_properties = self.one_under(schema, at, "unevaluatedProperties");
        node.property_names = self.one_under(schema, at, "propertyNames");
    }

    fn read_elements(&mut self, schema: &'a Map<String, Value>, at: &Pointer, node: &mut Node) {
        // Before 2020-12 a list under `items` is what `prefixItems` is now.
        for keyword in ["prefixItems", "items"] {
            let at_list = at.clone().member(keyword);
            let list = schema.get(keyword).and_then(Value::as_array);
            for (index, value) in list.into_iter().flatten().enumerate() {
                let id = self.id(value, || at_list.clone().element(index));
                node.prefix_items.extend(id.map(|id| (index as u32, id)));
            }
        }
        node.prefix_items.sort_unstable();
        for keyword in ["items", "additionalItems"] {
            node.items.extend(self.one_under(schema, at, keyword));
        }
        node.contains = self.one_under(schema, at, "contains");
        node.unevaluated_items = self.one_under(schema, at, "unevaluatedItems");
    }

    /// The schema under a keyword that goes through members or elements.
    fn one_under(
        &mut self,
        schema: &'a Map<String, Value>,
        at: &Pointer,
        keyword: &str,
    ) -> Option<Id> {
        match schema.get(keyword)? {
            Value::Bool(_) => Some(self.boolean()),
            value => self.id(value, || at.clone().member(keyword)),
        }
    }

    /// The schemas under a keyword.
    fn under(
        &mut self,
        schema: &'a Map<String, Value>,
        at: &Pointer,
        keyword: &str,
        form: Form,
    ) -> Vec<Id> {
        let Some(value) = schema.get(keyword) else {
            return Vec::new();
        };
        let at = at.clone().member(keyword);
        let mut ids = Vec::new();
        match (form, value) {
            (Form::One, one) => ids.extend(self.id(one, || at)),
            (Form::List, Value::Array(list)) => {
                for (index, one) in list.iter().enumerate() {
                    ids.extend(self.id(one, || at.clone().element(index)));
                }
            }
            (Form::Map, Value::Object(map)) => {
                for (name, one) in map {
                    ids.extend(self.id(one, || at.clone().member(name)));
                }
            }
            // The draft's own schema refuses it.
            _ => {}
        }
        ids
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pointers_are_taken_up_to_the_bound() {
        let (root, empty) = (json!({}), Map::new());
        let mut reader = Reader::new(&root, Draft::Draft202012, &empty);
        reader.pointer_bytes = MAX_COMPILED_BYTES;
        assert_eq!(reader.refuse_long_names(), Ok(()));
        let bytes = MAX_COMPILED_BYTES + 1;
        reader.pointer_bytes = bytes;
        assert_eq!(
            reader.refuse_long_names(),
            Err(Error::TooLargeCompiled { bytes })
        );
    }
}
