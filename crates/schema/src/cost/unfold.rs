//! What the validator makes of a schema while it compiles it.
//!
//! A schema is compiled once, and references lead to what it became. But who asks what was evaluated
//! (`unevaluatedProperties`, `unevaluatedItems`) has everything behind his references compiled again at his own place, and
//! so has whoever asks in there. So there are two ways to compile a schema: to apply it, and to ask it. What each becomes is
//! counted here from the inside out, as if nothing but the first were ever shared.

use super::order::{Order, innermost_first};
use crate::{
    Error, MAX_COMPILED_BYTES, MAX_COMPILING_SCHEMAS, MAX_UNFOLDED_PLACES,
    graph::{Compiled, Graph, Id, Node, Passage},
};

/// References the validator follows at once while it compiles; it puts off the others until the stack is empty again.
const REFERENCES_AT_ONCE: usize = 8;

/// A schema that is compiled to be applied, or to be asked: twice its number, or the odd number after.
type Form = usize;

const fn applied(id: Id) -> Form {
    id * 2
}

const fn asked(id: Id) -> Form {
    id * 2 + 1
}

/// Refuses a schema that would fill the memory or the stack before there is a call.
pub(super) fn check(graph: &Graph) -> Result<(), Error> {
    let forms: Vec<Vec<Form>> = (0..graph.nodes.len() * 2)
        .map(|form| inner(graph, form))
        .collect();
    let order = sorted(graph, &forms)?;
    refuse_large(graph, &sizes(graph, &forms, &order))?;
    match deepest(graph, &forms, &order) {
        schemas if schemas > MAX_COMPILING_SCHEMAS => Err(Error::TooDeepCompiled { schemas }),
        _ => Ok(()),
    }
}

/// The most schemas that are being compiled inside one another. Two bounds, each with its own blind spot: to follow references
/// does not see that one on a circle is followed once only, to add up their targets does not see which can follow which.
fn deepest(graph: &Graph, forms: &[Vec<Form>], order: &[Form]) -> u64 {
    // What is asked counts as part of who asks: it may be that nobody does.
    let most = |paths: &[u64]| paths.iter().step_by(2).copied().max().unwrap_or_default();
    let alone = longest(graph, forms, order, &vec![0; forms.len()]);
    let mut targets: Vec<u64> = graph.targets.iter().map(|id| alone[applied(*id)]).collect();
    targets.sort_unstable_by(|one, other| other.cmp(one));
    let added = most(&alone) + targets.iter().take(REFERENCES_AT_ONCE).sum::<u64>();
    let mut followed = alone;
    for _ in 0..REFERENCES_AT_ONCE {
        followed = longest(graph, forms, order, &followed);
    }
    added.min(most(&followed))
}

/// What is compiled as part of a form.
fn inner(graph: &Graph, form: Form) -> Vec<Form> {
    let id = form / 2;
    let node = &graph.nodes[id];
    let mut inner = Vec::new();
    if form == asked(id) {
        inner.extend(node.recompiled().map(applied));
        for (passage, id) in &node.in_place {
            match passage {
                Passage::Branch => inner.extend([applied(*id), asked(*id)]),
                Passage::Through | Passage::Reference => inner.push(asked(*id)),
                Passage::Negated => {}
            }
        }
    } else {
        let held = node.in_place.iter();
        let held = held.filter(|(passage, _)| *passage != Passage::Reference);
        inner.extend(held.map(|(_, id)| applied(*id)));
        inner.extend(node.below().map(applied));
        inner.extend((0..node.asks_evaluated).map(|_| asked(id)));
    }
    inner
}

impl Node {
    /// Schemas one level down that are compiled again when it is asked. Of `properties` only the names are.
    fn recompiled(&self) -> impl Iterator<Item = Id> {
        let single = [
            self.additional_properties,
            self.unevaluated_properties,
            self.contains,
            self.unevaluated_items,
        ];
        let patterns = self.pattern_properties.iter().copied();
        patterns.chain(single.into_iter().flatten())
    }

    fn pointer_bytes(&self) -> u64 {
        self.pointer.as_str().len() as u64
    }
}

/// The forms, each after all that are part of it. The validator stops where a schema is part of itself, but how late depends on
/// the way there; such a schema is refused.
fn sorted(graph: &Graph, forms: &[Vec<Form>]) -> Result<Vec<Form>, Error> {
    let Order { sorted, stuck } = innermost_first(forms);
    let mut asking = (0..graph.nodes.len()).filter(|id| graph.nodes[*id].asks_evaluated > 0);
    match asking.find(|id| stuck[asked(*id)] > 0) {
        None => Ok(sorted),
        Some(id) => Err(Error::EndlessUnfolding {
            pointer: graph.nodes[id].pointer.clone(),
        }),
    }
}

/// How large each form is, with all that is part of it; pointers counted from where it stands.
fn sizes(graph: &Graph, forms: &[Vec<Form>], order: &[Form]) -> Vec<Compiled> {
    let mut sizes = vec![Compiled::default(); forms.len()];
    for form in order {
        let node = &graph.nodes[form / 2];
        let mut size = node.compiled;
        for inner in &forms[*form] {
            // A reference's target is compiled where the reference stands.
            let place = graph.nodes[inner / 2].pointer_bytes();
            size.add(sizes[*inner], place.saturating_sub(node.pointer_bytes()));
        }
        sizes[*form] = size;
    }
    sizes
}

impl Compiled {
    /// Adds what stands behind a pointer of so many bytes.
    fn add(&mut self, inner: Self, pointer_bytes: u64) {
        let pointers = inner.places.saturating_mul(pointer_bytes);
        self.places = self.places.saturating_add(inner.places);
        self.bytes = self
            .bytes
            .saturating_add(inner.bytes)
            .saturating_add(pointers);
    }
}

fn refuse_large(graph: &Graph, sizes: &[Compiled]) -> Result<(), Error> {
    let (mut once, mut unfolded) = (Compiled::default(), Compiled::default());
    for (id, node) in graph.nodes.iter().enumerate() {
        once.add(node.compiled, node.pointer_bytes());
        for _ in 0..node.asks_evaluated {
            unfolded.add(sizes[asked(id)], node.pointer_bytes());
        }
        if unfolded.places > MAX_UNFOLDED_PLACES {
            return Err(Error::TooUnfolded {
                pointer: node.pointer.clone(),
            });
        }
    }
    match once.bytes.saturating_add(unfolded.bytes) {
        bytes if bytes > MAX_COMPILED_BYTES => Err(Error::TooLargeCompiled { bytes }),
        _ => Ok(()),
    }
}

/// The most schemas that are being compiled inside one another, if `behind` tells it for the targets of references.
fn longest(graph: &Graph, forms: &[Vec<Form>], order: &[Form], behind: &[u64]) -> Vec<u64> {
    let mut paths = vec![0; forms.len()];
    for form in order {
        let id = form / 2;
        let inner = forms[*form].iter().map(|inner| paths[*inner]);
        let references = graph.nodes[id].in_place.iter();
        let references = references
            .filter(|(passage, _)| *form == applied(id) && *passage == Passage::Reference)
            .map(|(_, target)| behind[applied(*target)]);
        paths[*form] = 1 + inner.chain(references).max().unwrap_or_default();
    }
    paths
}

#[cfg(test)]
mod tests {
    use jsonschema::Draft;
    use serde_json::{Value, json};

    use super::*;

    fn graph(schema: &Value) -> Graph {
        Graph::try_new(schema, Draft::Draft202012).unwrap()
    }

    /// How large the root becomes when it is asked, and how many schemas are being compiled at once.
    fn measured(schema: &Value) -> (u64, u64) {
        let graph = graph(schema);
        let forms: Vec<_> = (0..graph.nodes.len() * 2)
            .map(|form| inner(&graph, form))
            .collect();
        let order = sorted(&graph, &forms).unwrap();
        let sizes = sizes(&graph, &forms, &order);
        (sizes[asked(0)].places, deepest(&graph, &forms, &order))
    }

    #[test]
    fn branches_are_compiled_to_be_applied_and_to_be_asked_and_properties_only_named() {
        // Each object is a place, and so is each keyword and each entry.
        let root = 1 + 2 + 1;
        let branch = 1 + 2 + 1;
        let schema = json!({
            "allOf": [{"title": "", "properties": {"a": {"not": {"not": {}}}}}],
            "unevaluatedProperties": false
        });
        let member = (1 + 1) + (1 + 1) + 1;
        let boolean = 1;
        let (places, path) = measured(&schema);
        assert_eq!(places, root + branch + member + branch + boolean);
        // The root, who it asks, and down from its branch.
        assert_eq!(path, 2 + 1 + 3);
    }

    #[test]
    fn a_plain_reference_is_compiled_where_it_leads() {
        let inner = json!({"additionalProperties": {"additionalProperties": {"type": "string"}}});
        let (plain, _) = measured(&json!({
            "additionalProperties": {"$ref": "#/$defs/a"}, "$defs": {"a": inner}
        }));
        let (beside, _) = measured(&json!({"$ref": "#/$defs/a", "$defs": {"a": inner}}));
        assert_eq!(plain, (1 + 2) + (1 + 1));
        assert_eq!(beside, (1 + 2) + (1 + 1) + (1 + 1) + (1 + 1));
    }

    #[test]
    fn a_circle_is_gone_through_once_for_each_reference_on_it() {
        let (_, path) = measured(&json!({"properties": {"a": {"items": {"$ref": "#"}}}}));
        assert_eq!(path, 2 * 3);
        let (_, path) = measured(&json!({"properties": {
            "a": {"items": {"$ref": "#"}}, "b": {"items": {"$ref": "#/properties/b"}}
        }}));
        assert_eq!(path, 3 + 3 + 2);
    }

    #[test]
    fn who_asks_for_what_leads_back_to_him_is_named() {
        let ask = json!({"$ref": "#/$defs/d", "unevaluatedItems": false});
        let schema = json!({"$ref": "#/$defs/d", "$defs": {"d": {"contains": ask}}});
        let expected = Error::EndlessUnfolding {
            pointer: crate::message::pointer("/$defs/d/contains"),
        };
        assert_eq!(check(&graph(&schema)), Err(expected));
    }
    #[test]
    fn schemas_are_compiled_inside_one_another_up_to_the_bound() {
        let nested = |levels: u64| (1..levels).fold(json!({}), |inner, _| json!({"not": inner}));
        assert_eq!(check(&graph(&nested(MAX_COMPILING_SCHEMAS))), Ok(()));
        let schemas = MAX_COMPILING_SCHEMAS + 1;
        assert_eq!(
            check(&graph(&nested(schemas))),
            Err(Error::TooDeepCompiled { schemas })
        );
    }
    #[test]
    fn what_is_compiled_again_is_taken_up_to_the_bounds() {
        let graph = graph(&json!({"unevaluatedProperties": false}));
        let mut once = Compiled::default();
        for node in &graph.nodes {
            once.add(node.compiled, node.pointer_bytes());
        }
        let of = |places: u64, bytes: u64| {
            let mut sizes = vec![Compiled::default(); graph.nodes.len() * 2];
            sizes[asked(0)] = Compiled { places, bytes };
            refuse_large(&graph, &sizes)
        };
        let room = MAX_COMPILED_BYTES - once.bytes;
        assert_eq!(of(MAX_UNFOLDED_PLACES, room), Ok(()));
        let pointer = crate::message::pointer("");
        assert_eq!(
            of(MAX_UNFOLDED_PLACES + 1, 0),
            Err(Error::TooUnfolded { pointer })
        );
        let bytes = MAX_COMPILED_BYTES + 1;
        assert_eq!(of(0, room + 1), Err(Error::TooLargeCompiled { bytes }));
    }

    #[test]
    fn pointers_count_from_where_a_schema_stands() {
        let graph = graph(&json!({
            "allOf": [{"unevaluatedItems": {"patternProperties": {"abc": {"type": "null"}}}}],
            "unevaluatedItems": false
        }));
        let forms: Vec<_> = (0..graph.nodes.len() * 2)
            .map(|form| inner(&graph, form))
            .collect();
        let order = sorted(&graph, &forms).unwrap();
        let sizes = sizes(&graph, &forms, &order);
        // A value takes 32 bytes, and each place the pointer to it.
        let member = 32 + 4 + (32 + 4);
        let items = 32 + 17 + 3 + member + 2 * "/patternProperties/abc".len() as u64;
        let branch = 32 + 16 + items + 5 * "/unevaluatedItems".len() as u64;
        let bytes = |id: Id| sizes[asked(id)].bytes;
        assert_eq!([bytes(4), bytes(3), bytes(1)], [member, items, branch]);
    }

    #[test]
    fn who_is_asked_through_a_reference_is_not_compiled_to_be_applied() {
        let (_, path) = measured(&json!({
            "$ref": "#/$defs/a", "unevaluatedProperties": false,
            "$defs": {"a": {"properties": {"x": {"not": {"not": {}}}}}}
        }));
        // The root, and the four behind its reference.
        assert_eq!(path, 1 + 4);
    }
}
