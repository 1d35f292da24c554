//! A compiled schema: nodes that refer to one another by index.

use std::collections::BTreeMap;

use atr_manifest::{Document, Kind, Value};

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
    /// The schemas with a `$dynamicAnchor`, by its name and by the schema resource they belong to.
    pub(crate) dynamic_anchors: BTreeMap<Box<str>, BTreeMap<ResourceId, NodeId>>,
}

impl Schema {
    /// Compiles a schema: the `inputs` or `outputs` of a manifest, or the root of a document. The dialect is draft 2020-12
    /// unless `$schema` names draft-07 or draft-06.
    pub fn compile(schema: Value<'_>) -> Result<Self, Error> {
        Compiler::compile(schema)
    }

    /// Validates a document within the default [`Budget`].
    #[must_use]
    pub fn validate(&self, instance: &Document) -> Outcome {
        self.validate_within(instance.root(), Budget::default()).0
    }

    /// Validates a value. Also returns what is left of the budget.
    #[must_use]
    pub fn validate_within(&self, instance: Value<'_>, budget: Budget) -> (Outcome, Budget) {
        Evaluation::new(self, budget).run(instance)
    }
}

pub(crate) type NodeId = u32;

/// A schema resource: the root, or a subschema with an `$id`.
pub(crate) type ResourceId = u32;

/// The node of the schema `true`.
pub(crate) const TRUE: NodeId = 0;

/// The node of the schema `false`. Who applies it reports the failure: the node has no location.
pub(crate) const FALSE: NodeId = 1;

/// A schema object.
#[derive(Debug)]
pub(crate) struct Node {
    /// The node that contains this one, if `suffix` does not start at the root.
    pub(crate) parent: Option<NodeId>,
    /// The JSON pointer from the parent, or from the root.
    pub(crate) suffix: String,
    pub(crate) resource: ResourceId,
    /// In the order they are applied: references and assertions, applicators, `unevaluatedProperties` and `unevaluatedItems`.
    pub(crate) keywords: Vec<Keyword>,
    /// Whether a keyword needs to know which members or elements the other keywords evaluate.
    pub(crate) has_unevaluated: bool,
}

/// Keywords with what they need to be applied. Annotations are not stored.
#[derive(Debug)]
pub(crate) enum Keyword {
    Ref(NodeId),
    DynamicRef {
        anchor: Box<str>,
        fallback: NodeId,
    },
    Type(Types),
    /// The bytes of [`crate::instance::Instance::write`], sorted.
    Enum(Vec<Box<[u8]>>),
    Const(Box<[u8]>),
    Minimum(Bound),
    Maximum(Bound),
    ExclusiveMinimum(Bound),
    ExclusiveMaximum(Bound),
    /// `divisor × 10^exponent`.
    MultipleOf {
        divisor: u64,
        exponent: i64,
    },
    MinLength(u64),
    MaxLength(u64),
    /// An index into [`Schema::patterns`].
    Pattern(usize),
    MinItems(u64),
    MaxItems(u64),
    UniqueItems,
    MinProperties(u64),
    MaxProperties(u64),
    Required(Vec<Box<str>>),
    DependentRequired(Vec<(Box<str>, Vec<Box<str>>)>),
    AllOf(Vec<NodeId>),
    AnyOf(Vec<NodeId>),
    OneOf(Vec<NodeId>),
    Not(NodeId),
    If {
        condition: NodeId,
        then: NodeId,
        otherwise: NodeId,
    },
    DependentSchemas(Vec<(Box<str>, NodeId)>),
    PropertyNames(NodeId),
    Properties(Properties),
    Items(Items),
    Contains {
        node: NodeId,
        min: u64,
        max: Option<u64>,
    },
    UnevaluatedProperties(NodeId),
    UnevaluatedItems(NodeId),
}

/// `properties`, `patternProperties` and `additionalProperties`.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    pub(crate) named: BTreeMap<Box<str>, NodeId>,
    pub(crate) patterns: Vec<(usize, NodeId)>,
    pub(crate) additional: Option<NodeId>,
}

/// `prefixItems` and `items`; in draft-07 the array form of `items`, and `additionalItems`.
#[derive(Debug, Default)]
pub(crate) struct Items {
    pub(crate) prefix: Vec<NodeId>,
    pub(crate) rest: Option<NodeId>,
    pub(crate) prefix_keyword: &'static str,
    pub(crate) rest_keyword: &'static str,
}

#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) number: Decimal,
    /// As written, shortened.
    pub(crate) text: String,
}

/// The types that `type` allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Types {
    pub(crate) null: bool,
    pub(crate) boolean: bool,
    pub(crate) number: bool,
    pub(crate) integer: bool,
    pub(crate) string: bool,
    pub(crate) array: bool,
    pub(crate) object: bool,
}

impl Types {
    /// False if there is no such type.
    pub(crate) fn insert(&mut self, name: &str) -> bool {
        let slot = match name {
            "null" => &mut self.null,
            "boolean" => &mut self.boolean,
            "number" => &mut self.number,
            "integer" => &mut self.integer,
            "string" => &mut self.string,
            "array" => &mut self.array,
            "object" => &mut self.object,
            _ => return false,
        };
        *slot = true;
        true
    }

    /// Whether every value of the kind is allowed.
    pub(crate) const fn allows(self, kind: Kind) -> bool {
        match kind {
            Kind::Null => self.null,
            Kind::Boolean => self.boolean,
            Kind::Number => self.number,
            Kind::String => self.string,
            Kind::Array => self.array,
            Kind::Object => self.object,
        }
    }

    pub(crate) fn names(self) -> String {
        let names = [
            (self.null, "null"),
            (self.boolean, "boolean"),
            (self.number, "number"),
            (self.integer, "integer"),
            (self.string, "string"),
            (self.array, "array"),
            (self.object, "object"),
        ];
        let allowed = names.iter().filter(|(is_allowed, _)| *is_allowed);
        allowed
            .map(|(_, name)| *name)
            .collect::<Vec<_>>()
            .join(" or ")
    }
}
