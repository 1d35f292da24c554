//! A schema as a graph: which schemas look at the same place of a call, and which at the places one level down.
//!
//! Keywords of all drafts count together, so what one draft ignores is counted too. That errs to the safe side.

mod keyword;
mod measure;
mod reach;
mod reader;
mod reference;

use std::collections::HashMap;

use atr_manifest::Pointer;
use jsonschema::Draft;
use serde_json::{Map, Value};

pub(crate) use self::measure::Compiled;
use self::reader::Reader;
use crate::Error;

/// A schema of the graph, by its number.
pub(crate) type Id = usize;

/// How a schema hands the place it looks at to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// `allOf`, `anyOf`, `oneOf`, `if`: whoever wants to know what was evaluated has to look again.
    Branch,
    /// `then`, `else`, dependencies: what was evaluated is asked without looking again.
    Through,
    /// `$ref` and its kin: the same, but the schema stands elsewhere.
    Reference,
    /// `not`: evaluates nothing.
    Negated,
}

/// One schema object. Boolean schemas have no node where the keyword that holds them counts its entries; where it goes through
/// members or elements they are all one node, which counts a step for each.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) pointer: Pointer,
    /// Its own keywords and the entries of their lists.
    pub(crate) steps: u64,
    /// How often it reads all there is below its place.
    pub(crate) reads: u64,
    /// Itself when compiled.
    pub(crate) compiled: Compiled,
    /// Kilobytes of its patterns when compiled.
    pub(crate) pattern_kilobytes: u64,
    pub(crate) in_place: Vec<(Passage, Id)>,
    /// By the number of the member's name, in ascending order.
    pub(crate) properties: Vec<(u32, Id)>,
    pub(crate) pattern_properties: Vec<Id>,
    pub(crate) additional_properties: Option<Id>,
    pub(crate) property_names: Option<Id>,
    /// By index, in ascending order.
    pub(crate) prefix_items: Vec<(u32, Id)>,
    /// `items` or `additionalItems`, or both.
    pub(crate) items: Vec<Id>,
    pub(crate) contains: Option<Id>,
    pub(crate) unevaluated_properties: Option<Id>,
    pub(crate) unevaluated_items: Option<Id>,
    /// How many of its keywords ask what others evaluated. A boolean asks as well.
    pub(crate) asks_evaluated: u64,
    /// Whether what it evaluates depends on the call, as far as its own keywords go.
    pub(crate) is_dynamic: bool,
}

/// All schemas that are applied to some place of some call. The root is number 0.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// What goes through members or elements and applies no schema to them.
    pub(crate) boolean: Option<Id>,
    /// Where references lead, once for each way to write one.
    pub(crate) targets: Vec<Id>,
    /// Names of members that schemas list, and their numbers.
    pub(crate) names: HashMap<String, u32>,
    /// How many different patterns there are, in schemas that are not applied as well.
    pub(crate) patterns: usize,
}

impl Graph {
    /// Reads a schema. Whatever leads out of it, or nowhere, is an error.
    pub(crate) fn try_new(root: &Value, draft: Draft) -> Result<Self, Error> {
        let empty = Map::new();
        let graph = Reader::new(root, draft, &empty).read_all()?;
        Ok(graph.applied())
    }
}

#[cfg(test)]
mod tests;
