//! Compiles the keywords of a schema.
//!
//! Schema objects are compiled one after another, without recursion: a keyword that contains schemas adds them to the end of the
//! list. References are resolved when all known schemas are compiled; they may add schemas again (`references.rs`).

use std::{cmp::Ordering, collections::HashMap};

use atr_ids::excerpt;
use atr_manifest::{Kind, MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES, SchemaSize, Value, schema_size};

use crate::{
    budget::{Budget, COMPILE_BUDGET},
    encode::Instance,
    error::Error,
    number::Decimal,
    pattern::Pattern,
    references::{Reference, Resources},
    schema::{
        Dependency, FALSE, Keyword, Node, NodeId, Properties, ROOT, ResourceId, Rule, Schema, TRUE,
        TYPES,
    },
};

/// The keywords that make a rule of their own, in the order they are applied.
const KEYWORDS: &str = "$ref $dynamicRef type enum const minimum maximum exclusiveMinimum \
    exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems \
    minProperties maxProperties required dependentRequired dependentSchemas dependencies \
    propertyNames prefixItems items additionalItems contains allOf anyOf oneOf not if \
    unevaluatedProperties unevaluatedItems";

const NOT_IN_DRAFT_07: &str = "$dynamicRef dependentRequired dependentSchemas prefixItems \
    minContains maxContains unevaluatedProperties unevaluatedItems";

/// Keywords of older drafts that reject instances and are not implemented.
const UNSUPPORTED: &str = "$recursiveRef $recursiveAnchor divisibleBy disallow extends";

pub(crate) struct Compiler<'v> {
    pub(crate) schema: Schema,
    by_token: HashMap<(NodeId, Box<str>), NodeId>,
    by_pattern: HashMap<&'v str, usize>,
    /// The schema objects found so far.
    sites: Vec<Site<'v>>,
    pub(crate) resources: Resources<'v>,
    pub(crate) budget: Budget,
}

/// A schema object.
#[derive(Clone, Copy)]
pub(crate) struct Site<'v> {
    pub(crate) node: NodeId,
    pub(crate) value: Value<'v>,
    pub(crate) resource: ResourceId,
}

impl<'v> Compiler<'v> {
    pub(crate) fn compile(root: Value<'v>) -> Result<Schema, Error> {
        let SchemaSize { depth, nodes } = schema_size(root);
        if depth > MAX_SCHEMA_DEPTH || nodes > MAX_SCHEMA_NODES {
            return Err(Error::TooLarge { depth, nodes });
        }
        let mut compiler = Self {
            schema: Schema {
                root: ROOT,
                nodes: [TRUE, FALSE, ROOT].map(|_| Node::default()).into(),
                patterns: Vec::new(),
                targets: Vec::new(),
                anchors: HashMap::new(),
            },
            by_token: HashMap::new(),
            by_pattern: HashMap::new(),
            sites: Vec::new(),
            resources: Resources::new(root),
            budget: COMPILE_BUDGET,
        };
        compiler.schema.root = compiler.schema_at(ROOT, root, 0)?;
        let mut compiled = 0;
        loop {
            if let Some(site) = compiler.sites.get(compiled) {
                compiler.object(*site)?;
                compiled += 1;
            } else if let Some(reference) = compiler.unresolved() {
                let target = compiler.resolve(reference)?;
                compiler.schema.targets.push(target);
            } else {
                return Ok(compiler.schema);
            }
        }
    }

    /// The node of a member or an element.
    pub(crate) fn child(&mut self, parent: NodeId, token: &str) -> NodeId {
        let nodes = &mut self.schema.nodes;
        let node = self.by_token.entry((parent, token.into()));
        *node.or_insert_with(|| {
            nodes.push(Node {
                parent,
                token: token.into(),
                ..Node::default()
            });
            nodes.len() - 1
        })
    }

    /// The list or map of schemas at a keyword.
    fn below(&mut self, site: Site<'v>, keyword: &str) -> Site<'v> {
        Site {
            node: self.child(site.node, keyword),
            ..site
        }
    }

    /// Adds the schema at `node`, unless it is known.
    pub(crate) fn schema_at(
        &mut self,
        node: NodeId,
        value: Value<'v>,
        resource: ResourceId,
    ) -> Result<NodeId, Error> {
        match value.kind() {
            Kind::Boolean if value.as_bool() == Some(true) => return Ok(TRUE),
            Kind::Boolean => return Ok(FALSE),
            Kind::Object => {}
            _ => return Err(self.invalid(node, "", "a schema must be an object or a boolean")),
        }
        if !std::mem::replace(&mut self.schema.nodes[node].is_schema, true) {
            self.sites.push(Site {
                node,
                value,
                resource,
            });
        }
        Ok(node)
    }

    /// The value of a keyword, unless the dialect ignores it.
    fn get(&self, site: Site<'v>, keyword: &str) -> Option<Value<'v>> {
        let is_ignored = if self.resources.is_draft_07(site.resource) {
            // A reference replaces the keywords beside it.
            let is_replaced = site.value.get("$ref").is_some();
            words(NOT_IN_DRAFT_07).any(|word| word == keyword)
                || (is_replaced && !["$ref", "$defs", "definitions"].contains(&keyword))
        } else {
            keyword == "additionalItems"
        };
        site.value.get(keyword).filter(|_| !is_ignored)
    }

    fn object(&mut self, site: Site<'v>) -> Result<(), Error> {
        let site = self.identify(site)?;
        self.schema.nodes[site.node].resource = site.resource;
        for (name, _) in site.value.members() {
            if words(UNSUPPORTED).any(|word| word == name) {
                return Err(self.unsupported(site.node, name, format!("the keyword \"{name}\"")));
            }
        }
        for keyword in ["$defs", "definitions"] {
            self.map(site, keyword)?;
        }
        // References may lead to these without an `if`.
        for keyword in ["then", "else"] {
            self.optional(site, keyword)?;
        }
        let mut keywords = Vec::new();
        let properties = Properties {
            named: self.map(site, "properties")?.into_iter().collect(),
            patterns: self.pattern_properties(site)?,
            additional: self.optional(site, "additionalProperties")?,
        };
        let (named, patterns) = (&properties.named, &properties.patterns);
        if !named.is_empty() || !patterns.is_empty() || properties.additional.is_some() {
            keywords.push(keyword("properties", None, Rule::Properties(properties)));
        }
        for name in words(KEYWORDS) {
            if let Some(value) = self.get(site, name)
                && let Some(rule) = self.rule(site, name, value)?
            {
                keywords.push(keyword(name, Some(value), rule));
            }
        }
        self.schema.nodes[site.node].keywords = keywords;
        Ok(())
    }

    fn rule(
        &mut self,
        site: Site<'v>,
        keyword: &'static str,
        value: Value<'v>,
    ) -> Result<Option<Rule>, Error> {
        let at = (site.node, keyword);
        let count = || self.count(at, value);
        let bound = |accepts| {
            self.number(at, value)
                .map(|bound| Rule::Bound(accepts, bound))
        };
        let text = || value.as_str().ok_or_else(|| self.expected(at, "a string"));
        Ok(Some(match keyword {
            "$ref" | "$dynamicRef" => Rule::Ref(self.reference(Reference {
                site,
                keyword,
                target: text()?,
            })),
            "type" => Rule::Type(self.types(at, value)?),
            "enum" => {
                self.check_kind(at, value, Kind::Array)?;
                let encoded = value.elements().map(|value| self.encode(value));
                let mut encoded: Vec<_> = encoded.collect::<Result<_, _>>()?;
                encoded.sort_unstable();
                Rule::Enum(encoded)
            }
            "const" => Rule::Enum(vec![self.encode(value)?]),
            "minimum" => bound(Ordering::is_ge)?,
            "maximum" => bound(Ordering::is_le)?,
            "exclusiveMinimum" => bound(Ordering::is_gt)?,
            "exclusiveMaximum" => bound(Ordering::is_lt)?,
            "multipleOf" => self.multiple_of(at, value)?,
            "minLength" => Rule::Size(Kind::String, count()?..=u64::MAX),
            "maxLength" => Rule::Size(Kind::String, 0..=count()?),
            "minItems" => Rule::Size(Kind::Array, count()?..=u64::MAX),
            "maxItems" => Rule::Size(Kind::Array, 0..=count()?),
            "minProperties" => Rule::Size(Kind::Object, count()?..=u64::MAX),
            "maxProperties" => Rule::Size(Kind::Object, 0..=count()?),
            "pattern" => {
                let pattern = text()?;
                Rule::Pattern(self.pattern(site.node, keyword, pattern)?)
            }
            "uniqueItems" => match value.as_bool() {
                Some(true) => Rule::UniqueItems,
                Some(false) => return Ok(None),
                None => return Err(self.expected(at, "a boolean")),
            },
            "allOf" => Rule::AllOf(self.list(site, keyword, value)?),
            "anyOf" => Rule::AnyOf(self.list(site, keyword, value)?),
            "oneOf" => Rule::OneOf(self.list(site, keyword, value)?),
            "not" => Rule::Not(self.subschema(site, keyword, value)?),
            "if" => Rule::If([
                self.subschema(site, keyword, value)?,
                self.optional(site, "then")?.unwrap_or(TRUE),
                self.optional(site, "else")?.unwrap_or(TRUE),
            ]),
            "required" => {
                let names = Dependency::Names(self.names(at, value)?);
                Rule::Dependent(vec![(None, names)])
            }
            "dependentRequired" | "dependentSchemas" | "dependencies" => {
                self.dependencies(site, keyword, value)?
            }
            "propertyNames" => Rule::PropertyNames(self.subschema(site, keyword, value)?),
            "prefixItems" => Rule::PrefixItems(self.list(site, keyword, value)?),
            "items" if self.is_tuple(site) => match value.is_empty() {
                true => return Ok(None),
                false => Rule::PrefixItems(self.list(site, keyword, value)?),
            },
            "items" => {
                let prefix = self.get(site, "prefixItems").map_or(0, Value::len);
                Rule::Items(prefix, self.subschema(site, keyword, value)?)
            }
            "additionalItems" if !self.is_tuple(site) => return Ok(None),
            "additionalItems" => {
                let prefix = self.get(site, "items").map_or(0, Value::len);
                Rule::Items(prefix, self.subschema(site, keyword, value)?)
            }
            "contains" => {
                let limit = |keyword| {
                    let value = self.get(site, keyword);
                    value
                        .map(|value| self.count((site.node, keyword), value))
                        .transpose()
                };
                let (min, max) = (limit("minContains")?, limit("maxContains")?);
                let count = min.unwrap_or(1)..=max.unwrap_or(u64::MAX);
                Rule::Contains(self.subschema(site, keyword, value)?, count)
            }
            "unevaluatedProperties" => {
                Rule::Unevaluated(Kind::Object, self.subschema(site, keyword, value)?)
            }
            _ => Rule::Unevaluated(Kind::Array, self.subschema(site, keyword, value)?),
        }))
    }

    /// Whether `items` is an array, as in draft-07.
    fn is_tuple(&self, site: Site<'v>) -> bool {
        let items = self.get(site, "items");
        self.resources.is_draft_07(site.resource)
            && items.is_some_and(|items| items.kind() == Kind::Array)
    }

    fn subschema(
        &mut self,
        site: Site<'v>,
        keyword: &str,
        value: Value<'v>,
    ) -> Result<NodeId, Error> {
        if value.kind() == Kind::Boolean {
            return self.schema_at(site.node, value, site.resource);
        }
        let node = self.child(site.node, keyword);
        self.schema_at(node, value, site.resource)
    }

    fn optional(&mut self, site: Site<'v>, keyword: &str) -> Result<Option<NodeId>, Error> {
        let value = self.get(site, keyword);
        value
            .map(|value| self.subschema(site, keyword, value))
            .transpose()
    }

    /// The schemas in a non-empty array.
    fn list(
        &mut self,
        site: Site<'v>,
        keyword: &str,
        value: Value<'v>,
    ) -> Result<Vec<NodeId>, Error> {
        if value.is_empty() || value.kind() != Kind::Array {
            return Err(self.expected((site.node, keyword), "a non-empty array of schemas"));
        }
        let site = self.below(site, keyword);
        let elements = value.elements().enumerate();
        elements
            .map(|(index, element)| self.subschema(site, &index.to_string(), element))
            .collect()
    }

    /// The schemas in an object; none if the keyword is absent.
    fn map(&mut self, site: Site<'v>, keyword: &str) -> Result<Vec<(Box<str>, NodeId)>, Error> {
        let Some(value) = self.get(site, keyword) else {
            return Ok(Vec::new());
        };
        self.check_kind((site.node, keyword), value, Kind::Object)?;
        let site = self.below(site, keyword);
        value
            .members()
            .map(|(name, member)| Ok((name.into(), self.subschema(site, name, member)?)))
            .collect()
    }

    fn pattern_properties(&mut self, site: Site<'v>) -> Result<Vec<(usize, NodeId)>, Error> {
        let keyword = "patternProperties";
        let schemas = self.map(site, keyword)?;
        let Some(value) = self.get(site, keyword) else {
            return Ok(Vec::new());
        };
        let node = self.child(site.node, keyword);
        let patterns = value.members().zip(schemas);
        patterns
            .map(|((name, _), (_, schema))| Ok((self.pattern(node, name, name)?, schema)))
            .collect()
    }

    /// `dependencies` of draft-07 mixes the two keywords of draft 2020-12, which may support it, too.
    fn dependencies(
        &mut self,
        site: Site<'v>,
        keyword: &str,
        value: Value<'v>,
    ) -> Result<Rule, Error> {
        let at = (site.node, keyword);
        self.check_kind(at, value, Kind::Object)?;
        let map = self.below(site, keyword);
        let dependencies = value.members().map(|(name, member)| {
            let is_names = match keyword {
                "dependencies" => member.kind() == Kind::Array,
                keyword => keyword == "dependentRequired",
            };
            let dependency = if is_names {
                Dependency::Names(self.names(at, member)?)
            } else {
                Dependency::Schema(self.subschema(map, name, member)?)
            };
            Ok((Some(name.into()), dependency))
        });
        Ok(Rule::Dependent(dependencies.collect::<Result<_, Error>>()?))
    }

    fn types(&self, at: At<'_>, value: Value<'_>) -> Result<u8, Error> {
        let bit = |name: Value<'_>| {
            let name = name.as_str()?;
            TYPES
                .iter()
                .position(|known| *known == name)
                .map(|bit| 1 << bit)
        };
        let types = match value.kind() {
            Kind::Array => value
                .elements()
                .try_fold(0, |types, name| Some(types | bit(name)?)),
            _ => bit(value),
        };
        let types = types.filter(|types| *types != 0);
        types.ok_or_else(|| self.expected(at, "the name of a type, or an array of them"))
    }

    /// Compiles a pattern, unless the schema has it already.
    fn pattern(&mut self, node: NodeId, keyword: &str, pattern: &'v str) -> Result<usize, Error> {
        if let Some(index) = self.by_pattern.get(pattern) {
            return Ok(*index);
        }
        let compiled = Pattern::compile(pattern, &mut self.budget);
        let compiled = compiled.map_err(|reason| Error::Pattern {
            location: self.schema.location(node, keyword),
            pattern: excerpt(pattern),
            reason,
        })?;
        self.schema.patterns.push(compiled);
        self.by_pattern
            .insert(pattern, self.schema.patterns.len() - 1);
        Ok(self.schema.patterns.len() - 1)
    }

    fn encode(&mut self, value: Value<'v>) -> Result<Box<str>, Error> {
        let mut text = String::new();
        // The text is about as long as the value, so only fuel is limited.
        let mut budget = Budget {
            bytes: usize::MAX,
            ..self.budget
        };
        Instance::Value(value).encode(&mut text, &mut budget)?;
        self.budget.fuel = budget.fuel;
        Ok(text.into())
    }

    fn number(&self, at: At<'_>, value: Value<'_>) -> Result<Decimal, Error> {
        let number = value.number_text().map(Decimal::parse);
        number.ok_or_else(|| self.expected(at, "a number"))
    }

    fn multiple_of(&self, at: At<'_>, value: Value<'_>) -> Result<Rule, Error> {
        let number = self.number(at, value)?;
        if !number.is_positive() {
            return Err(self.expected(at, "a number greater than 0"));
        }
        let (divisor, exponent) = number.to_scaled().ok_or_else(|| {
            let feature = "\"multipleOf\" with significant digits beyond 64 bits";
            self.unsupported(at.0, at.1, feature.into())
        })?;
        Ok(Rule::MultipleOf(divisor, exponent))
    }

    fn count(&self, at: At<'_>, value: Value<'_>) -> Result<u64, Error> {
        let number = value.number_text().map(Decimal::parse);
        let count = number.and_then(|number| number.to_count());
        count.ok_or_else(|| self.expected(at, "a non-negative integer"))
    }

    fn names(&self, at: At<'_>, value: Value<'v>) -> Result<Vec<Box<str>>, Error> {
        self.check_kind(at, value, Kind::Array)?;
        let names = value.elements().map(|name| name.as_str().map(Box::from));
        let names: Option<_> = names.collect();
        names.ok_or_else(|| self.expected(at, "an array of strings"))
    }

    fn check_kind(&self, at: At<'_>, value: Value<'_>, kind: Kind) -> Result<(), Error> {
        if value.kind() == kind {
            return Ok(());
        }
        Err(self.expected(at, &kind.to_string()))
    }

    fn expected(&self, at: At<'_>, expected: &str) -> Error {
        self.invalid(at.0, at.1, &format!("expected {expected}"))
    }

    pub(crate) fn invalid(&self, node: NodeId, keyword: &str, reason: &str) -> Error {
        Error::Invalid {
            location: self.schema.location(node, keyword),
            reason: reason.into(),
        }
    }

    pub(crate) fn unsupported(&self, node: NodeId, keyword: &str, feature: String) -> Error {
        Error::Unsupported {
            location: self.schema.location(node, keyword),
            feature,
        }
    }
}

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(' ')
}

/// A schema and a keyword of it, for errors.
type At<'a> = (NodeId, &'a str);

fn keyword(name: &'static str, value: Option<Value<'_>>, rule: Rule) -> Keyword {
    let text = |value: Value<'_>| value.as_str().or_else(|| value.number_text()).map(excerpt);
    let argument = value.and_then(|value| match value.kind() {
        Kind::Array if name == "type" => {
            let names: Option<Vec<_>> = value.elements().take(7).map(text).collect();
            names.map(|names| names.join(" or "))
        }
        _ => text(value),
    });
    Keyword {
        name,
        argument: argument.unwrap_or_default().into(),
        rule,
    }
}
