//! Compiles the keywords of a schema.
//!
//! One pass over the schema creates the nodes and registers identifiers; then references are resolved (`references`). A subschema
//! is identified by its key: the ordinals of the members and elements that lead to it from the root. The ERC's limit of 16
//! levels bounds the recursion.

mod references;

use std::collections::HashMap;

use atr_ids::excerpt;
use atr_manifest::{
    Kind, MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES, Pointer, SchemaSize, Value, schema_size,
};

use crate::{
    budget::Budget,
    compile::references::Resources,
    error::Error,
    instance::Instance,
    number::Decimal,
    pattern::{Pattern, PatternUsage},
    schema::{
        Bound, FALSE, Items, Keyword, Node, NodeId, Properties, ResourceId, Schema, TRUE, Types,
    },
};

/// Keywords of older drafts that reject instances and are not implemented.
const UNSUPPORTED: [&str; 5] = [
    "$recursiveRef",
    "$recursiveAnchor",
    "divisibleBy",
    "disallow",
    "extends",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Also used for draft-06, which has fewer keywords.
    Draft07,
    Draft202012,
}

pub(crate) struct Compiler<'v> {
    root: Value<'v>,
    nodes: Vec<Node>,
    /// The key of the value that is being compiled.
    key: Vec<u32>,
    by_key: HashMap<Vec<u32>, NodeId>,
    patterns: Vec<Pattern>,
    by_pattern: HashMap<&'v str, usize>,
    pattern_usage: PatternUsage,
    resources: Resources<'v>,
}

/// The keyword that is being compiled.
#[derive(Clone, Copy)]
struct Site<'v> {
    node: NodeId,
    resource: ResourceId,
    dialect: Dialect,
    keyword: &'v str,
}

/// Keywords that are applied together with others.
#[derive(Default)]
struct Parts {
    properties: Option<Properties>,
    prefix_items: Option<Vec<NodeId>>,
    items: Option<NodeId>,
    /// `items` is an array, as in draft-07.
    has_tuple: bool,
    additional_items: Option<NodeId>,
    contains: Option<NodeId>,
    min_contains: Option<u64>,
    max_contains: Option<u64>,
    condition: Option<NodeId>,
    then: Option<NodeId>,
    otherwise: Option<NodeId>,
    dependencies: Option<Keyword>,
    unevaluated: Vec<Keyword>,
}

impl<'v> Compiler<'v> {
    pub(crate) fn compile(root: Value<'v>) -> Result<Schema, Error> {
        let SchemaSize { depth, nodes } = schema_size(root);
        if depth > MAX_SCHEMA_DEPTH || nodes > MAX_SCHEMA_NODES {
            return Err(Error::TooLarge { depth, nodes });
        }
        let mut compiler = Self {
            root,
            nodes: Vec::new(),
            key: Vec::new(),
            by_key: HashMap::new(),
            patterns: Vec::new(),
            by_pattern: HashMap::new(),
            pattern_usage: PatternUsage::default(),
            resources: Resources::new(root),
        };
        for _ in [TRUE, FALSE] {
            compiler.push_node(None, String::new(), 0);
        }
        let root = compiler.schema(root, None, String::new(), 0)?;
        compiler.resolve_references()?;
        Ok(Schema {
            root,
            dynamic_anchors: compiler.resources.take_dynamic_anchors(),
            nodes: compiler.nodes,
            patterns: compiler.patterns,
        })
    }

    /// Compiles the schema at `self.key`.
    fn schema(
        &mut self,
        value: Value<'v>,
        parent: Option<NodeId>,
        suffix: String,
        resource: ResourceId,
    ) -> Result<NodeId, Error> {
        match value.kind() {
            Kind::Boolean if value.as_bool() == Some(true) => Ok(TRUE),
            Kind::Boolean => Ok(FALSE),
            Kind::Object => {
                if let Some(node) = self.by_key.get(&self.key) {
                    return Ok(*node);
                }
                let node = self.push_node(parent, suffix, resource);
                self.by_key.insert(self.key.clone(), node);
                self.object(value, node, resource)?;
                Ok(node)
            }
            kind => Err(self.invalid(format!(
                "a schema must be an object or a boolean, found {kind}"
            ))),
        }
    }

    fn push_node(
        &mut self,
        parent: Option<NodeId>,
        suffix: String,
        resource: ResourceId,
    ) -> NodeId {
        self.nodes.push(Node {
            parent,
            suffix,
            resource,
            keywords: Vec::new(),
            has_unevaluated: false,
        });
        // At most `MAX_SCHEMA_NODES` and the two booleans.
        (self.nodes.len() - 1) as NodeId
    }

    fn object(&mut self, value: Value<'v>, node: NodeId, outer: ResourceId) -> Result<(), Error> {
        let resource = self.identify(value, node, outer)?;
        self.nodes[node as usize].resource = resource;
        let dialect = self.resources.dialect(resource);
        let mut parts = Parts::default();
        let mut keywords = Vec::new();
        for (ordinal, (name, member)) in value.members().enumerate() {
            self.key.push(ordinal as u32);
            let site = Site {
                node,
                resource,
                dialect,
                keyword: name,
            };
            let keyword = self.keyword(member, site, &mut parts)?;
            keywords.extend(keyword);
            self.key.pop();
        }
        // In draft-07 a reference replaces the keywords beside it.
        if dialect == Dialect::Draft07 && value.get("$ref").is_some() {
            keywords.retain(|keyword| matches!(keyword, Keyword::Ref(_)));
            parts = Parts::default();
        }
        parts.finish(&mut keywords);
        let compiled = &mut self.nodes[node as usize];
        compiled.has_unevaluated = keywords.iter().any(|keyword| {
            matches!(
                keyword,
                Keyword::UnevaluatedProperties(_) | Keyword::UnevaluatedItems(_)
            )
        });
        compiled.keywords = keywords;
        Ok(())
    }

    /// Compiles a keyword, or stores it in `parts`. `None` for annotations and unknown keywords.
    fn keyword(
        &mut self,
        value: Value<'v>,
        site: Site<'v>,
        parts: &mut Parts,
    ) -> Result<Option<Keyword>, Error> {
        let is_2020 = site.dialect == Dialect::Draft202012;
        let keyword = match site.keyword {
            "$ref" => {
                self.reference(value, site.node, site.resource, false)?;
                Keyword::Ref(TRUE)
            }
            "$dynamicRef" if is_2020 => {
                self.reference(value, site.node, site.resource, true)?;
                Keyword::DynamicRef {
                    anchor: "".into(),
                    fallback: TRUE,
                }
            }
            "$defs" | "definitions" => {
                self.map(value, site)?;
                return Ok(None);
            }
            "type" => Keyword::Type(self.types(value)?),
            "enum" => {
                let mut values = self.list(value)?.map(encode).collect::<Vec<_>>();
                values.sort_unstable();
                Keyword::Enum(values)
            }
            "const" => Keyword::Const(encode(value)),
            "minimum" => Keyword::Minimum(self.bound(value)?),
            "maximum" => Keyword::Maximum(self.bound(value)?),
            "exclusiveMinimum" => Keyword::ExclusiveMinimum(self.bound(value)?),
            "exclusiveMaximum" => Keyword::ExclusiveMaximum(self.bound(value)?),
            "multipleOf" => self.multiple_of(value)?,
            "minLength" => Keyword::MinLength(self.count(value)?),
            "maxLength" => Keyword::MaxLength(self.count(value)?),
            "pattern" => match value.as_str() {
                Some(pattern) => Keyword::Pattern(self.pattern(pattern)?),
                None => return Err(self.invalid("expected a string")),
            },
            "minItems" => Keyword::MinItems(self.count(value)?),
            "maxItems" => Keyword::MaxItems(self.count(value)?),
            "uniqueItems" => match value.as_bool() {
                Some(true) => Keyword::UniqueItems,
                Some(false) => return Ok(None),
                None => return Err(self.invalid("expected a boolean")),
            },
            "minProperties" => Keyword::MinProperties(self.count(value)?),
            "maxProperties" => Keyword::MaxProperties(self.count(value)?),
            "required" => Keyword::Required(self.names(value)?),
            "dependentRequired" if is_2020 => {
                let lists = self
                    .members(value)?
                    .map(|(name, names)| Ok((name.into(), self.names(names)?)));
                Keyword::DependentRequired(lists.collect::<Result<_, Error>>()?)
            }
            "dependencies" => return self.dependencies(value, site, parts),
            "allOf" => Keyword::AllOf(self.schemas(value, site)?),
            "anyOf" => Keyword::AnyOf(self.schemas(value, site)?),
            "oneOf" => Keyword::OneOf(self.schemas(value, site)?),
            "not" => Keyword::Not(self.child(value, site)?),
            "dependentSchemas" if is_2020 => Keyword::DependentSchemas(self.map(value, site)?),
            "propertyNames" => Keyword::PropertyNames(self.child(value, site)?),
            _ => {
                return self.part(value, site, parts).map(|()| None);
            }
        };
        Ok(Some(keyword))
    }

    /// Stores keywords that are applied together with others.
    fn part(&mut self, value: Value<'v>, site: Site<'v>, parts: &mut Parts) -> Result<(), Error> {
        let is_2020 = site.dialect == Dialect::Draft202012;
        match site.keyword {
            "properties" => {
                let named = self.map(value, site)?.into_iter().collect();
                parts.properties.get_or_insert_default().named = named;
            }
            "patternProperties" => {
                let nodes = self.map(value, site)?;
                let mut patterns = Vec::with_capacity(nodes.len());
                for (ordinal, ((pattern, _), (_, node))) in value.members().zip(nodes).enumerate() {
                    self.key.push(ordinal as u32);
                    patterns.push((self.pattern(pattern)?, node));
                    self.key.pop();
                }
                parts.properties.get_or_insert_default().patterns = patterns;
            }
            "additionalProperties" => {
                let child = self.child(value, site)?;
                parts.properties.get_or_insert_default().additional = Some(child);
            }
            "prefixItems" if is_2020 => parts.prefix_items = Some(self.schemas(value, site)?),
            "items" if !is_2020 && value.kind() == Kind::Array => {
                parts.has_tuple = true;
                parts.prefix_items = Some(if value.is_empty() {
                    Vec::new()
                } else {
                    self.schemas(value, site)?
                });
            }
            "items" => parts.items = Some(self.child(value, site)?),
            "additionalItems" if !is_2020 => {
                parts.additional_items = Some(self.child(value, site)?)
            }
            "contains" => parts.contains = Some(self.child(value, site)?),
            "minContains" if is_2020 => parts.min_contains = Some(self.count(value)?),
            "maxContains" if is_2020 => parts.max_contains = Some(self.count(value)?),
            "if" => parts.condition = Some(self.child(value, site)?),
            "then" => parts.then = Some(self.child(value, site)?),
            "else" => parts.otherwise = Some(self.child(value, site)?),
            "unevaluatedProperties" if is_2020 => {
                let child = self.child(value, site)?;
                parts
                    .unevaluated
                    .push(Keyword::UnevaluatedProperties(child));
            }
            "unevaluatedItems" if is_2020 => {
                let child = self.child(value, site)?;
                parts.unevaluated.push(Keyword::UnevaluatedItems(child));
            }
            _ if UNSUPPORTED.contains(&site.keyword) => {
                return Err(self.unsupported(format!("the keyword \"{}\"", site.keyword)));
            }
            _ => {}
        }
        Ok(())
    }

    /// A keyword whose value is a schema.
    fn child(&mut self, value: Value<'v>, site: Site<'v>) -> Result<NodeId, Error> {
        self.schema(
            value,
            Some(site.node),
            format!("/{}", site.keyword),
            site.resource,
        )
    }

    /// A keyword whose value is a non-empty array of schemas.
    fn schemas(&mut self, value: Value<'v>, site: Site<'v>) -> Result<Vec<NodeId>, Error> {
        if value.kind() != Kind::Array || value.is_empty() {
            return Err(self.invalid("expected a non-empty array of schemas"));
        }
        let mut nodes = Vec::with_capacity(value.len());
        for (index, element) in value.elements().enumerate() {
            self.key.push(index as u32);
            let suffix = format!("/{}/{index}", site.keyword);
            nodes.push(self.schema(element, Some(site.node), suffix, site.resource)?);
            self.key.pop();
        }
        Ok(nodes)
    }

    /// A keyword whose value is an object of schemas.
    fn map(&mut self, value: Value<'v>, site: Site<'v>) -> Result<Vec<(Box<str>, NodeId)>, Error> {
        let mut nodes = Vec::with_capacity(value.len());
        for (ordinal, (name, member)) in self.members(value)?.enumerate() {
            self.key.push(ordinal as u32);
            let suffix = Pointer::root()
                .member(site.keyword)
                .member(name)
                .to_string();
            nodes.push((
                name.into(),
                self.schema(member, Some(site.node), suffix, site.resource)?,
            ));
            self.key.pop();
        }
        Ok(nodes)
    }

    /// `dependencies` of draft-07: arrays of names and schemas mixed. Draft 2020-12 implementations may support it, too.
    fn dependencies(
        &mut self,
        value: Value<'v>,
        site: Site<'v>,
        parts: &mut Parts,
    ) -> Result<Option<Keyword>, Error> {
        let (mut names, mut schemas) = (Vec::new(), Vec::new());
        for (ordinal, (name, member)) in self.members(value)?.enumerate() {
            self.key.push(ordinal as u32);
            if member.kind() == Kind::Array {
                names.push((name.into(), self.names(member)?));
            } else {
                let suffix = Pointer::root()
                    .member(site.keyword)
                    .member(name)
                    .to_string();
                schemas.push((
                    name.into(),
                    self.schema(member, Some(site.node), suffix, site.resource)?,
                ));
            }
            self.key.pop();
        }
        if !schemas.is_empty() {
            parts.dependencies = Some(Keyword::DependentSchemas(schemas));
        }
        Ok(Some(Keyword::DependentRequired(names)))
    }

    fn types(&self, value: Value<'_>) -> Result<Types, Error> {
        let mut types = Types::default();
        let mut insert = |name: Value<'_>| name.as_str().is_some_and(|name| types.insert(name));
        let is_valid = match value.kind() {
            Kind::Array => !value.is_empty() && value.elements().all(insert),
            _ => insert(value),
        };
        if is_valid {
            Ok(types)
        } else {
            Err(self.invalid("expected the name of a type, or an array of them"))
        }
    }

    fn pattern(&mut self, pattern: &'v str) -> Result<usize, Error> {
        if let Some(index) = self.by_pattern.get(pattern) {
            return Ok(*index);
        }
        let compiled = Pattern::compile(pattern, &mut self.pattern_usage).map_err(|reason| {
            Error::Pattern {
                location: self.location(),
                pattern: excerpt(pattern),
                reason,
            }
        })?;
        self.patterns.push(compiled);
        self.by_pattern.insert(pattern, self.patterns.len() - 1);
        Ok(self.patterns.len() - 1)
    }

    fn number(&self, value: Value<'_>) -> Result<Decimal, Error> {
        let text = value.number_text();
        text.map(Decimal::parse)
            .ok_or_else(|| self.invalid("expected a number"))
    }

    fn bound(&self, value: Value<'_>) -> Result<Bound, Error> {
        Ok(Bound {
            number: self.number(value)?,
            text: excerpt(value.number_text().unwrap_or_default()),
        })
    }

    fn multiple_of(&self, value: Value<'_>) -> Result<Keyword, Error> {
        let number = self.number(value)?;
        if !number.is_positive() {
            return Err(self.invalid("expected a number greater than 0"));
        }
        let (divisor, exponent) = number.to_scaled().ok_or_else(|| {
            self.unsupported("\"multipleOf\" with significant digits beyond 64 bits".into())
        })?;
        Ok(Keyword::MultipleOf { divisor, exponent })
    }

    fn count(&self, value: Value<'_>) -> Result<u64, Error> {
        let count = value
            .number_text()
            .and_then(|text| Decimal::parse(text).to_count());
        count.ok_or_else(|| self.invalid("expected a non-negative integer"))
    }

    fn names(&self, value: Value<'_>) -> Result<Vec<Box<str>>, Error> {
        let names = self.list(value)?.map(|name| name.as_str().map(Box::from));
        let names: Option<Vec<_>> = names.collect();
        names.ok_or_else(|| self.invalid("expected an array of strings"))
    }

    fn list(&self, value: Value<'v>) -> Result<impl Iterator<Item = Value<'v>> + use<'v>, Error> {
        if value.kind() == Kind::Array {
            Ok(value.elements())
        } else {
            Err(self.invalid("expected an array"))
        }
    }

    fn members(
        &self,
        value: Value<'v>,
    ) -> Result<impl Iterator<Item = (&'v str, Value<'v>)> + use<'v>, Error> {
        if value.kind() == Kind::Object {
            Ok(value.members())
        } else {
            Err(self.invalid("expected an object"))
        }
    }

    /// The location of the value that is being compiled.
    fn location(&self) -> Pointer {
        self.pointer(&self.key)
    }

    fn pointer(&self, key: &[u32]) -> Pointer {
        let mut value = self.root;
        let mut pointer = Pointer::root();
        for ordinal in key {
            let ordinal = *ordinal as usize;
            if let Some((name, member)) = value.members().nth(ordinal) {
                (pointer, value) = (pointer.member(name), member);
            } else if let Some(element) = value.elements().nth(ordinal) {
                (pointer, value) = (pointer.element(ordinal), element);
            }
        }
        pointer
    }

    fn invalid(&self, reason: impl Into<String>) -> Error {
        Error::Invalid {
            location: self.location(),
            reason: reason.into(),
        }
    }

    fn unsupported(&self, feature: String) -> Error {
        Error::Unsupported {
            location: self.location(),
            feature,
        }
    }
}

impl Parts {
    fn finish(self, keywords: &mut Vec<Keyword>) {
        keywords.extend(self.properties.map(Keyword::Properties));
        let has_tuple = self.has_tuple;
        let rest = self.items.or(self.additional_items.filter(|_| has_tuple));
        if self.prefix_items.is_some() || rest.is_some() {
            keywords.push(Keyword::Items(Items {
                prefix: self.prefix_items.unwrap_or_default(),
                rest,
                prefix_keyword: if has_tuple { "items" } else { "prefixItems" },
                rest_keyword: if has_tuple {
                    "additionalItems"
                } else {
                    "items"
                },
            }));
        }
        keywords.extend(self.contains.map(|node| Keyword::Contains {
            node,
            min: self.min_contains.unwrap_or(1),
            max: self.max_contains,
        }));
        keywords.extend(self.condition.map(|condition| Keyword::If {
            condition,
            then: self.then.unwrap_or(TRUE),
            otherwise: self.otherwise.unwrap_or(TRUE),
        }));
        keywords.extend(self.dependencies);
        keywords.extend(self.unevaluated);
    }
}

/// The bytes that an equal instance has. A schema has at most 1 MiB, which bounds the work.
fn encode(value: Value<'_>) -> Box<[u8]> {
    let mut bytes = Vec::new();
    let mut unlimited = Budget {
        fuel: u64::MAX,
        bytes: usize::MAX,
    };
    // An unlimited budget is never used up.
    let _ = Instance::Value(value).write(&mut bytes, &mut unlimited);
    bytes.into()
}
