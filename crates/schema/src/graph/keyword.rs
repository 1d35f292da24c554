//! Keywords that hold schemas, of all drafts.

use super::Passage;

/// What a keyword holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// A schema.
    One,
    /// Schemas in a list.
    List,
    /// Schemas by name.
    Map,
}

/// Keywords whose schemas look at the same place.
pub(super) const IN_PLACE: &[(&str, Passage, Form)] = &[
    ("allOf", Passage::Branch, Form::List),
    ("anyOf", Passage::Branch, Form::List),
    ("oneOf", Passage::Branch, Form::List),
    ("if", Passage::Branch, Form::One),
    ("then", Passage::Through, Form::One),
    ("else", Passage::Through, Form::One),
    ("not", Passage::Negated, Form::One),
    ("dependentSchemas", Passage::Through, Form::Map),
    ("dependencies", Passage::Through, Form::Map),
];

/// Keywords whose schemas look at nothing until somebody refers to them.
pub(super) const DECLARED: &[(&str, Form)] = &[
    ("$defs", Form::Map),
    ("definitions", Form::Map),
    ("contentSchema", Form::One),
];

/// Keywords whose schemas look one level down. Each has a field of its own in the graph.
pub(super) const DOWN: [&str; 10] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "prefixItems",
    "items",
    "additionalItems",
    "contains",
    "unevaluatedItems",
];

/// Keywords that make it depend on the call which members are evaluated.
pub(super) const DYNAMIC: [&str; 6] = [
    "anyOf",
    "oneOf",
    "if",
    "dependentSchemas",
    "$dynamicRef",
    "$recursiveRef",
];
