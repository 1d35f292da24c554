//! Applies a schema to an instance. Every step is charged to the budget before it is done.

use std::ops::RangeInclusive;

use atr_ids::excerpt;
use atr_manifest::{Kind, Pointer, Value};

use crate::{
    budget::{Budget, Exhausted, MAX_FAILURE_BYTES, MAX_FAILURES, MAX_NESTING},
    encode::{Instance, sort_rounds},
    outcome::{Failure, Outcome},
    pattern::States,
    schema::{
        Dependency, FALSE, Keyword, NodeId, Properties, ResourceId, Rule, Schema, TRUE, TYPES,
        Target,
    },
};

pub(crate) struct Evaluation<'s> {
    schema: &'s Schema,
    budget: Budget,
    states: States,
    nesting: u32,
    failures: Vec<Failure>,
    failure_bytes: usize,
}

/// A schema, the instance it applies to, and how both were reached.
#[derive(Clone, Copy)]
struct Context<'a> {
    node: NodeId,
    instance: Instance<'a>,
    path: &'a Path<'a>,
    scope: &'a Scope<'a>,
    /// A failure makes the whole instance invalid, so it is reported. False inside `anyOf`, `oneOf`, `not`, `if` and `contains`.
    reports: bool,
}

/// The location of an instance, on the stack.
#[derive(Clone, Copy)]
enum Path<'a> {
    Root,
    Member(&'a Self, &'a str),
    Element(&'a Self, usize),
}

/// The dynamic scope: the schema resources on the way to the current schema, innermost first.
struct Scope<'a> {
    resource: ResourceId,
    outer: Option<&'a Self>,
}

/// Ends the evaluation of a schema early.
enum Stop {
    /// The schema rejects the instance, and no further failure would be reported.
    Rejected,
    Exhausted(Exhausted),
}

/// Whether the schema accepts the instance.
type Accepts = Result<bool, Stop>;

/// For each member or element of the instance, whether a keyword has evaluated it. `None` if no schema needs to know.
type Evaluated<'a> = Option<&'a mut Vec<bool>>;

impl From<Exhausted> for Stop {
    fn from(exhausted: Exhausted) -> Self {
        Self::Exhausted(exhausted)
    }
}

impl Path<'_> {
    fn to_pointer(self) -> Pointer {
        let mut steps = vec![self];
        while let Some(Self::Member(parent, _) | Self::Element(parent, _)) = steps.last() {
            steps.push(**parent);
        }
        let append = |pointer: Pointer, step: &Self| match step {
            Self::Root => pointer,
            Self::Member(_, name) => pointer.member(name),
            Self::Element(_, index) => pointer.element(*index),
        };
        steps.iter().rev().fold(Pointer::root(), append)
    }
}

impl<'a> Context<'a> {
    const fn at(self, value: Value<'a>, path: &'a Path<'a>) -> Self {
        Self {
            instance: Instance::Value(value),
            path,
            ..self
        }
    }

    /// The members or elements, if the instance is of this kind.
    fn parts(self, kind: Kind) -> impl Iterator<Item = (Path<'a>, Value<'a>)> {
        let value = self.instance.value(kind).into_iter();
        value.flat_map(move |value| {
            let members = value.members();
            let members =
                members.map(move |(name, member)| (Path::Member(self.path, name), member));
            let elements = value.elements().enumerate();
            members.chain(
                elements.map(move |(index, element)| (Path::Element(self.path, index), element)),
            )
        })
    }
}

impl<'s> Evaluation<'s> {
    pub(crate) fn new(schema: &'s Schema, budget: Budget) -> Self {
        Self {
            schema,
            budget,
            states: States::default(),
            nesting: 0,
            failures: Vec::new(),
            failure_bytes: 0,
        }
    }

    pub(crate) fn run(mut self, instance: Value<'_>) -> (Outcome, Budget) {
        let scope = Scope {
            resource: 0,
            outer: None,
        };
        let context = Context {
            instance: Instance::Value(instance),
            node: TRUE,
            path: &Path::Root,
            scope: &scope,
            reports: true,
        };
        let outcome = match self.child(self.schema.root, "", context, None) {
            Ok(true) => Outcome::Valid,
            // A reported failure is definite, even if the budget did not last for the rest.
            Err(Stop::Exhausted(exhausted)) if self.failures.is_empty() => {
                Outcome::Unknown(exhausted)
            }
            _ => Outcome::Invalid(self.failures),
        };
        (outcome, self.budget)
    }

    /// Applies the schema `child`, which is below `keyword` in the current schema.
    fn child(
        &mut self,
        child: NodeId,
        keyword: &str,
        context: Context<'_>,
        evaluated: Evaluated<'_>,
    ) -> Accepts {
        match child {
            TRUE => return Ok(true),
            FALSE => return self.fail(keyword, context, || "no value is allowed here".into()),
            _ => self.budget.charge(2)?,
        }
        if self.nesting == MAX_NESTING {
            return Err(Exhausted::Nesting.into());
        }
        self.nesting += 1;
        let resource = self.schema.nodes[child].resource;
        let inner = Scope {
            resource,
            outer: Some(context.scope),
        };
        let is_same = resource == context.scope.resource;
        let context = Context {
            node: child,
            scope: if is_same { context.scope } else { &inner },
            ..context
        };
        let accepts = self.keywords(context, evaluated)?;
        self.nesting -= 1;
        Ok(accepts)
    }

    fn keywords(&mut self, context: Context<'_>, mut evaluated: Evaluated<'_>) -> Accepts {
        let keywords = &self.schema.nodes[context.node].keywords;
        let is_unevaluated = |keyword: &Keyword| matches!(keyword.rule, Rule::Unevaluated(..));
        let bytes = self.budget.bytes;
        let mut own = self.new_evaluated(keywords.last().is_some_and(is_unevaluated), context)?;
        let mut accepts = true;
        for keyword in keywords {
            if !accepts && is_unevaluated(keyword) {
                // Failed subschemas evaluate nothing, so every member would be reported.
                break;
            }
            let evaluated = own.as_mut().or(evaluated.as_deref_mut());
            accepts &= self.keyword(keyword, context, evaluated)?;
        }
        self.merge(evaluated, own.filter(|_| accepts))?;
        self.budget.bytes = bytes;
        Ok(accepts)
    }

    fn keyword(
        &mut self,
        keyword: &'s Keyword,
        context: Context<'_>,
        mut evaluated: Evaluated<'_>,
    ) -> Accepts {
        self.budget.charge(1)?;
        let name = keyword.name;
        let accepts = match &keyword.rule {
            Rule::Ref(reference) => {
                let target = self.target(&self.schema.targets[*reference], context)?;
                return self.child(target, name, context, evaluated);
            }
            Rule::AllOf(children) => {
                let mut accepts = true;
                for child in children {
                    self.budget.charge(1)?;
                    accepts &= self.child(*child, name, context, evaluated.as_deref_mut())?;
                }
                return Ok(accepts);
            }
            Rule::If([condition, then, otherwise]) => {
                return if self.branch(*condition, context, evaluated.as_deref_mut())? {
                    self.child(*then, "then", context, evaluated)
                } else {
                    self.child(*otherwise, "else", context, evaluated)
                };
            }
            Rule::Dependent(dependencies) => {
                return self.dependencies(dependencies, name, context, evaluated);
            }
            Rule::PropertyNames(child) => return self.property_names(*child, context),
            Rule::Properties(properties) => return self.properties(properties, context, evaluated),
            Rule::PrefixItems(children) => {
                let parts = context.parts(Kind::Array).zip(children).enumerate();
                let parts = parts.map(|(index, (part, child))| (index, part, *child));
                return self.each(parts, name, context, evaluated);
            }
            Rule::Items(start, child) => {
                let parts = context.parts(Kind::Array).enumerate().skip(*start);
                let parts = parts.map(|(index, part)| (index, part, *child));
                return self.each(parts, name, context, evaluated);
            }
            Rule::Unevaluated(kind, child) => {
                let Some(evaluated) = evaluated.filter(|_| context.instance.kind() == *kind) else {
                    return Ok(true);
                };
                let parts = context.parts(*kind).enumerate();
                let child = |index: usize| if evaluated[index] { TRUE } else { *child };
                let parts = parts.map(|(index, part)| (index, part, child(index)));
                let accepts = self.each(parts, name, context, None)?;
                evaluated.fill(true);
                return Ok(accepts);
            }
            Rule::AnyOf(children) => {
                // Every accepting schema evaluates members, so all are tried if that matters.
                let enough = if evaluated.is_some() { usize::MAX } else { 1 };
                self.matching(children, enough, context, evaluated)? > 0
            }
            Rule::OneOf(children) => self.matching(children, 2, context, evaluated)? == 1,
            Rule::Not(child) => !self.branch(*child, context, None)?,
            Rule::Contains(child, count) => self.contains(*child, count, context, evaluated)?,
            rule => self.assertion(rule, context.instance)?,
        };
        if accepts {
            return Ok(true);
        }
        self.fail(name, context, || match &*keyword.argument {
            "" => format!("does not satisfy \"{name}\""),
            argument => format!("does not satisfy \"{name}\": {argument}"),
        })
    }

    /// The outermost schema resource with the `$dynamicAnchor` decides.
    fn target(&mut self, target: &Target, context: Context<'_>) -> Result<NodeId, Exhausted> {
        let anchor = target.dynamic_anchor.as_ref();
        let Some(by_resource) = anchor.and_then(|anchor| self.schema.anchors.get(anchor)) else {
            return Ok(target.node);
        };
        let mut node = target.node;
        let mut scope = Some(context.scope);
        while let Some(Scope { resource, outer }) = scope {
            self.budget.charge(1)?;
            let anchor = by_resource.get(resource).filter(|anchor| anchor.is_dynamic);
            node = anchor.map_or(node, |anchor| anchor.node);
            scope = *outer;
        }
        Ok(node)
    }

    /// Reports a failure.
    fn fail(
        &mut self,
        keyword: &str,
        context: Context<'_>,
        message: impl FnOnce() -> String,
    ) -> Accepts {
        if !context.reports {
            return Err(Stop::Rejected);
        }
        let failure = Failure {
            instance_location: context.path.to_pointer(),
            keyword_location: self.schema.location(context.node, keyword),
            message: message(),
        };
        let pointers = [&failure.instance_location, &failure.keyword_location];
        let texts = pointers.map(|pointer| pointer.as_str().len());
        let texts = texts.iter().sum::<usize>() + failure.message.len();
        self.failure_bytes += size_of::<Failure>() + texts;
        self.failures.push(failure);
        self.budget.charge_text(texts)?;
        if self.failures.len() == MAX_FAILURES || self.failure_bytes >= MAX_FAILURE_BYTES {
            return Err(Stop::Rejected);
        }
        Ok(false)
    }

    fn new_evaluated(
        &mut self,
        is_needed: bool,
        context: Context<'_>,
    ) -> Result<Option<Vec<bool>>, Exhausted> {
        let value = context.instance.value(context.instance.kind());
        let count = value.map_or(0, Value::len);
        if !is_needed {
            return Ok(None);
        }
        self.budget.charge_text(count)?;
        self.budget.allocate(count)?;
        Ok(Some(vec![false; count]))
    }

    fn merge(
        &mut self,
        evaluated: Evaluated<'_>,
        other: Option<Vec<bool>>,
    ) -> Result<(), Exhausted> {
        if let (Some(evaluated), Some(other)) = (evaluated, other) {
            self.budget.charge_text(other.len())?;
            for (evaluated, other) in evaluated.iter_mut().zip(other) {
                *evaluated |= other;
            }
        }
        Ok(())
    }

    /// Applies a schema that may fail without making the instance invalid. Members that it evaluates count if it accepts.
    fn branch(&mut self, child: NodeId, context: Context<'_>, evaluated: Evaluated<'_>) -> Accepts {
        self.budget.charge(4)?;
        let (nesting, bytes) = (self.nesting, self.budget.bytes);
        let context = Context {
            reports: false,
            ..context
        };
        let mut own = self.new_evaluated(evaluated.is_some(), context)?;
        let accepts = match self.child(child, "", context, own.as_mut()) {
            Err(Stop::Rejected) => false,
            accepts => accepts?,
        };
        self.merge(evaluated, own.filter(|_| accepts))?;
        (self.nesting, self.budget.bytes) = (nesting, bytes);
        Ok(accepts)
    }

    /// The number of schemas that accept the instance. Stops at `enough`.
    fn matching(
        &mut self,
        children: &[NodeId],
        enough: usize,
        context: Context<'_>,
        mut evaluated: Evaluated<'_>,
    ) -> Result<usize, Stop> {
        let mut matching = 0;
        for child in children {
            matching += usize::from(self.branch(*child, context, evaluated.as_deref_mut())?);
            if matching == enough {
                break;
            }
        }
        Ok(matching)
    }

    /// Whether the number of matching elements is in the range. True if the instance is not an array.
    fn contains(
        &mut self,
        child: NodeId,
        count: &RangeInclusive<u64>,
        context: Context<'_>,
        mut evaluated: Evaluated<'_>,
    ) -> Accepts {
        if context.instance.value(Kind::Array).is_none() {
            return Ok(true);
        }
        let is_unlimited = *count.end() == u64::MAX && evaluated.is_none();
        let mut found = 0;
        for (index, (path, element)) in context.parts(Kind::Array).enumerate() {
            if self.branch(child, context.at(element, &path), None)? {
                found += 1;
                mark(&mut evaluated, index);
            }
            if found > *count.end() || (is_unlimited && found >= *count.start()) {
                break;
            }
        }
        Ok(count.contains(&found))
    }

    fn dependencies(
        &mut self,
        dependencies: &[(Option<Box<str>>, Dependency)],
        keyword: &str,
        context: Context<'_>,
        mut evaluated: Evaluated<'_>,
    ) -> Accepts {
        let Some(object) = context.instance.value(Kind::Object) else {
            return Ok(true);
        };
        let mut accepts = true;
        for (property, dependency) in dependencies {
            if let Some(property) = property
                && !self.has(object, property)?
            {
                continue;
            }
            match dependency {
                Dependency::Schema(child) => {
                    accepts &= self.child(*child, keyword, context, evaluated.as_deref_mut())?;
                }
                Dependency::Names(names) => {
                    for name in names {
                        if !self.has(object, name)? {
                            let message =
                                || format!("must have the property \"{}\"", excerpt(name));
                            accepts = self.fail(keyword, context, message)?;
                        }
                    }
                }
            }
        }
        Ok(accepts)
    }

    /// Whether the object has the property. The lookup compares the name with up to 32 names of the same length.
    fn has(&mut self, object: Value<'_>, name: &str) -> Result<bool, Exhausted> {
        let compared = object.len().min(32) as u64;
        self.budget
            .charge(1 + compared * (1 + name.len() as u64 / 32) / 4)?;
        Ok(object.get(name).is_some())
    }

    fn property_names(&mut self, child: NodeId, context: Context<'_>) -> Accepts {
        let mut accepts = true;
        for (path, _) in context.parts(Kind::Object) {
            self.budget.charge(1)?;
            if let Path::Member(_, name) = path {
                let context = Context {
                    instance: Instance::Name(name),
                    path: &path,
                    ..context
                };
                accepts &= self.child(child, "propertyNames", context, None)?;
            }
        }
        Ok(accepts)
    }

    fn properties(
        &mut self,
        properties: &Properties,
        context: Context<'_>,
        mut evaluated: Evaluated<'_>,
    ) -> Accepts {
        // The search in the sorted names compares about log2(n) of them.
        let rounds = u64::from(properties.named.len().max(1).ilog2());
        let mut accepts = true;
        for (ordinal, (path, member)) in context.parts(Kind::Object).enumerate() {
            let Path::Member(_, name) = path else {
                continue;
            };
            self.budget
                .charge(3 + rounds * (1 + name.len() as u64 / 32) / 4)?;
            let context = context.at(member, &path);
            let mut applies = false;
            if let Some(child) = properties.named.get(name) {
                applies = true;
                accepts &= self.child(*child, "properties", context, None)?;
            }
            for (pattern, child) in &properties.patterns {
                if self.is_match(*pattern, name)? {
                    applies = true;
                    accepts &= self.child(*child, "patternProperties", context, None)?;
                }
            }
            if let Some(child) = properties.additional.filter(|_| !applies) {
                applies = true;
                accepts &= self.child(child, "additionalProperties", context, None)?;
            }
            if applies {
                mark(&mut evaluated, ordinal);
            }
        }
        Ok(accepts)
    }

    /// Applies a schema to each member or element, and marks it as evaluated.
    fn each<'a>(
        &mut self,
        parts: impl Iterator<Item = (usize, (Path<'a>, Value<'a>), NodeId)>,
        keyword: &str,
        context: Context<'_>,
        mut evaluated: Evaluated<'_>,
    ) -> Accepts {
        let mut accepts = true;
        for (ordinal, (path, part), child) in parts {
            self.budget.charge(1)?;
            accepts &= self.child(child, keyword, context.at(part, &path), None)?;
            mark(&mut evaluated, ordinal);
        }
        Ok(accepts)
    }

    /// Rules that look at one value and apply no schema.
    fn assertion(&mut self, rule: &Rule, instance: Instance<'_>) -> Result<bool, Exhausted> {
        const INTEGER: u8 = 1 << (TYPES.len() - 1);
        let kind = instance.kind();
        Ok(match rule {
            Rule::Type(types) if types >> (kind as u8) & 1 == 1 => true,
            Rule::Type(types) => {
                let number = instance.number(&mut self.budget)?;
                types & INTEGER != 0 && number.is_some_and(|number| number.is_integer())
            }
            Rule::Enum(values) => {
                let bytes = self.budget.bytes;
                let mut text = String::new();
                instance.encode(&mut text, &mut self.budget)?;
                self.budget.bytes = bytes;
                self.budget
                    .charge(u64::from(values.len().max(1).ilog2()) / 4)?;
                values
                    .binary_search_by(|value| (**value).cmp(&text))
                    .is_ok()
            }
            Rule::Bound(accepts, bound) => {
                let number = instance.number(&mut self.budget)?;
                number.is_none_or(|number| accepts(number.cmp(bound)))
            }
            Rule::MultipleOf(divisor, exponent) => {
                let number = instance.number(&mut self.budget)?;
                number.is_none_or(|number| number.is_multiple_of(*divisor, *exponent))
            }
            Rule::Size(Kind::String, count) => match instance.as_str() {
                Some(text) => {
                    self.budget.charge_text(text.len())?;
                    count.contains(&(text.chars().count() as u64))
                }
                None => true,
            },
            Rule::Size(kind, count) => {
                let value = instance.value(*kind);
                value.is_none_or(|value| count.contains(&(value.len() as u64)))
            }
            Rule::Pattern(pattern) => match instance.as_str() {
                Some(text) => self.is_match(*pattern, text)?,
                None => true,
            },
            Rule::UniqueItems => match instance.value(Kind::Array) {
                Some(array) => self.is_unique(array)?,
                None => true,
            },
            // The other rules apply schemas.
            _ => true,
        })
    }

    fn is_match(&mut self, pattern: usize, text: &str) -> Result<bool, Exhausted> {
        self.schema.patterns[pattern].is_match(text, &mut self.states, &mut self.budget)
    }

    /// Sorts the encoded elements and compares neighbours: no hash, so no collisions.
    fn is_unique(&mut self, array: Value<'_>) -> Result<bool, Exhausted> {
        let bytes = self.budget.bytes;
        let mut text = String::new();
        self.budget
            .allocate(array.len() * size_of::<(u32, u32)>())?;
        let mut ranges = Vec::with_capacity(array.len());
        for element in array.elements() {
            let start = text.len() as u32;
            Instance::Value(element).encode(&mut text, &mut self.budget)?;
            ranges.push((start, text.len() as u32));
        }
        self.budget
            .charge((ranges.len() + text.len() / 32) as u64 * sort_rounds(ranges.len()))?;
        let slice = |range: &(u32, u32)| &text.as_bytes()[range.0 as usize..range.1 as usize];
        ranges.sort_unstable_by(|left, right| slice(left).cmp(slice(right)));
        self.budget.bytes = bytes;
        Ok(ranges
            .windows(2)
            .all(|pair| slice(&pair[0]) != slice(&pair[1])))
    }
}

fn mark(evaluated: &mut Evaluated<'_>, ordinal: usize) {
    if let Some(evaluated) = evaluated {
        evaluated[ordinal] = true;
    }
}
