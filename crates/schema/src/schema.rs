//! A compiled schema: nodes that refer to one another by index.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, HashMap},
    ops::RangeInclusive,
};

use atr_manifest::{Document, Kind, Pointer, Value};

use crate::{
    budget::Budget, compile::Compiler, error::Error, evaluate::Evaluation, number::Decimal,
    outcome::Outcome, pattern::Pattern,
};

/// A compiled JSON Schema.
#[derive(Debug)]
pub struct Schema {
    pub(crate) root: NodeId,
    pub(crate) nodes: Vec<Node>,
    pub(crate) patterns: Vec<Pattern>,
    /// The targets of [`Rule::Ref`].
    pub(crate) targets: Vec<Target>,
    pub(crate) anchors: HashMap<Box<str>, HashMap<ResourceId, Anchor>>,
}

impl Schema {
    /// Compiles a schema: the `inputs` or `outputs` of a manifest, or the root of a document. The dialect is draft 2020-12
    /// unless `$schema` names draft-07.
    pub fn compile(schema: Value<'_>) -> Result<Self, Error> {
        Compiler::compile(schema)
    }

    /// Validates a document within the default [`Budget`].
    #[must_use]
    pub fn validate(&self, instance: &Document) -> Outcome {
        self.validate_within(instance.root(), Budget::default()).0
    }

    /// Validates a value. Also returns the rest of the budget.
    #[must_use]
    pub fn validate_within(&self, instance: Value<'_>, budget: Budget) -> (Outcome, Budget) {
        Evaluation::new(self, budget).run(instance)
    }

    /// The JSON pointer of a keyword, or of the node itself if `keyword` is empty.
    pub(crate) fn location(&self, mut node: NodeId, keyword: &str) -> Pointer {
        let mut tokens = Vec::new();
        while node > ROOT {
            tokens.push(&self.nodes[node].token);
            node = self.nodes[node].parent;
        }
        let tokens = tokens.into_iter().rev().map(|token| &**token);
        tokens
            .chain((!keyword.is_empty()).then_some(keyword))
            .fold(Pointer::root(), Pointer::member)
    }
}

pub(crate) type NodeId = usize;

/// A schema resource: the root, or a subschema with an `$id`.
pub(crate) type ResourceId = usize;

/// The schema `true`, wherever it occurs. No failure refers to its location.
pub(crate) const TRUE: NodeId = 0;

/// The schema `false`, wherever it occurs. Failures refer to the keyword that applies it.
pub(crate) const FALSE: NodeId = 1;

pub(crate) const ROOT: NodeId = 2;

/// A location in the schema document: a schema object, or an object or array that contains schemas.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) parent: NodeId,
    /// The member name or the index in the parent.
    pub(crate) token: Box<str>,
    pub(crate) is_schema: bool,
    pub(crate) resource: ResourceId,
    /// In the order they are applied: the `unevaluated…` keywords are last.
    pub(crate) keywords: Vec<Keyword>,
}

#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) node: NodeId,
    /// The name of a `$dynamicAnchor` that is looked up in the dynamic scope.
    pub(crate) dynamic_anchor: Option<Box<str>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    pub(crate) node: NodeId,
    pub(crate) is_dynamic: bool,
}

/// A keyword other than an annotation.
#[derive(Debug)]
pub(crate) struct Keyword {
    pub(crate) name: &'static str,
    /// An excerpt of the value, for messages. Empty if the value is not short.
    pub(crate) argument: Box<str>,
    pub(crate) rule: Rule,
}

#[derive(Debug)]
pub(crate) enum Rule {
    /// An index into [`Schema::targets`].
    Ref(usize),
    /// Bits of [`TYPES`].
    Type(u8),
    /// `enum` and `const`: the encoded values, sorted.
    Enum(Vec<Box<str>>),
    /// The minima and maxima: the order that the number must have to the bound.
    Bound(fn(Ordering) -> bool, Decimal),
    /// `divisor × 10^exponent`.
    MultipleOf(u64, i64),
    /// The code points of a string, the elements of an array, or the members of an object.
    Size(Kind, RangeInclusive<u64>),
    /// An index into [`Schema::patterns`].
    Pattern(usize),
    UniqueItems,
    AllOf(Vec<NodeId>),
    AnyOf(Vec<NodeId>),
    OneOf(Vec<NodeId>),
    Not(NodeId),
    /// `if`, `then`, `else`.
    If([NodeId; 3]),
    /// `required`, and the keywords that apply if a property is present.
    Dependent(Vec<(Option<Box<str>>, Dependency)>),
    PropertyNames(NodeId),
    Properties(Properties),
    PrefixItems(Vec<NodeId>),
    /// Applies to the elements from this index on.
    Items(usize, NodeId),
    Contains(NodeId, RangeInclusive<u64>),
    Unevaluated(Kind, NodeId),
}

#[derive(Debug)]
pub(crate) enum Dependency {
    Names(Vec<Box<str>>),
    Schema(NodeId),
}

/// `properties`, `patternProperties` and `additionalProperties`.
#[derive(Debug)]
pub(crate) struct Properties {
    pub(crate) named: BTreeMap<Box<str>, NodeId>,
    pub(crate) patterns: Vec<(usize, NodeId)>,
    pub(crate) additional: Option<NodeId>,
}

/// The order of the first six is that of [`Kind`].
pub(crate) const TYPES: [&str; 7] = [
    "null", "boolean", "number", "string", "array", "object", "integer",
];
