//! Applies a schema to an instance. Every step is charged to the budget before it is done.

mod applicators;
mod assertions;
mod evaluated;

use std::mem::size_of;

use atr_manifest::Value;

use crate::{
    budget::{Budget, Exhausted, MAX_FAILURE_BYTES, MAX_FAILURES, MAX_NESTING},
    evaluate::evaluated::Evaluated,
    instance::Instance,
    outcome::{Failure, Outcome},
    path::Path,
    pattern::States,
    schema::{FALSE, Keyword, NodeId, ResourceId, Schema, TRUE},
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
    /// A failure makes the whole instance invalid, so it is reported. False inside `anyOf`, `oneOf`, `not`, `if` and `contains`,
    /// where evaluation stops at the first failure.
    reports: bool,
}

/// The dynamic scope: the schema resources on the way to the current schema, innermost first.
struct Scope<'a> {
    resource: ResourceId,
    outer: Option<&'a Self>,
}

/// Collects the evaluated members or elements, if an enclosing schema needs them.
type Tracked<'a> = Option<&'a mut Evaluated>;

/// Whether the schema accepts the instance.
type Accepts = Result<bool, Exhausted>;

impl<'a> Context<'a> {
    const fn at(self, value: Value<'a>, path: &'a Path<'a>) -> Self {
        Self {
            instance: Instance::Value(value),
            path,
            ..self
        }
    }

    const fn without_report(self) -> Self {
        Self {
            reports: false,
            ..self
        }
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
        let result = self.child(self.schema.root, "", context, None);
        let outcome = match result {
            Ok(true) => Outcome::Valid,
            // A reported failure is definite, even if the budget did not last for the rest.
            _ if !self.failures.is_empty() => Outcome::Invalid(self.failures),
            Ok(false) => Outcome::Invalid(Vec::new()),
            Err(exhausted) => Outcome::Unknown(exhausted),
        };
        (outcome, self.budget)
    }

    /// Applies the schema `child`, a value of `keyword` in `parent`.
    fn child(
        &mut self,
        child: NodeId,
        keyword: &str,
        context: Context<'_>,
        evaluated: Tracked<'_>,
    ) -> Accepts {
        match child {
            TRUE => Ok(true),
            FALSE => self.fail(keyword, context, || "no value is allowed here".into()),
            _ => self.node(
                Context {
                    node: child,
                    ..context
                },
                evaluated,
            ),
        }
    }

    fn node(&mut self, context: Context<'_>, evaluated: Tracked<'_>) -> Accepts {
        self.budget.charge(2)?;
        if self.nesting == MAX_NESTING {
            return Err(Exhausted::Nesting);
        }
        self.nesting += 1;
        let scope = Scope {
            resource: self.schema.nodes[context.node as usize].resource,
            outer: Some(context.scope),
        };
        let is_same = scope.resource == context.scope.resource;
        let scope = if is_same { context.scope } else { &scope };
        let accepts = self.keywords(Context { scope, ..context }, evaluated);
        self.nesting -= 1;
        accepts
    }

    fn keywords(&mut self, context: Context<'_>, mut evaluated: Tracked<'_>) -> Accepts {
        let schema = self.schema;
        let compiled = &schema.nodes[context.node as usize];
        let mut own = compiled.has_unevaluated.then(Evaluated::default);
        let mut accepts = true;
        for keyword in &compiled.keywords {
            let is_unevaluated = matches!(
                keyword,
                Keyword::UnevaluatedProperties(_) | Keyword::UnevaluatedItems(_)
            );
            if is_unevaluated && !accepts {
                // Failed subschemas evaluate nothing, so every member would be reported.
                break;
            }
            let tracked = own.as_mut().or(evaluated.as_deref_mut());
            accepts &= self.keyword(keyword, context, tracked)?;
            if !accepts && self.stops(context) {
                break;
            }
        }
        if let Some(own) = own {
            if let Some(evaluated) = evaluated.filter(|_| accepts) {
                evaluated.merge(&own, &mut self.budget)?;
            }
            own.release(&mut self.budget);
        }
        Ok(accepts)
    }

    fn keyword(
        &mut self,
        keyword: &'s Keyword,
        context: Context<'_>,
        evaluated: Tracked<'_>,
    ) -> Accepts {
        self.budget.charge(1)?;
        match keyword {
            Keyword::Ref(target) => self.child(*target, "$ref", context, evaluated),
            Keyword::DynamicRef { anchor, fallback } => {
                let target = self.dynamic_target(anchor, *fallback, context)?;
                self.child(target, "$dynamicRef", context, evaluated)
            }
            Keyword::AllOf(children) => self.all_of(children, context, evaluated),
            Keyword::AnyOf(children) => self.any_of(children, context, evaluated),
            Keyword::OneOf(children) => self.one_of(children, context, evaluated),
            Keyword::Not(child) => self.not(*child, context),
            Keyword::If {
                condition,
                then,
                otherwise,
            } => self.conditional([*condition, *then, *otherwise], context, evaluated),
            Keyword::DependentSchemas(schemas) => {
                self.dependent_schemas(schemas, context, evaluated)
            }
            Keyword::PropertyNames(child) => self.property_names(*child, context),
            Keyword::Properties(properties) => self.properties(properties, context, evaluated),
            Keyword::Items(items) => self.items(items, context, evaluated),
            Keyword::Contains {
                node: child,
                min,
                max,
            } => self.contains(*child, (*min, *max), context, evaluated),
            Keyword::UnevaluatedProperties(child) => {
                self.unevaluated_properties(*child, context, evaluated)
            }
            Keyword::UnevaluatedItems(child) => self.unevaluated_items(*child, context, evaluated),
            assertion => self.assertion(assertion, context),
        }
    }

    /// The outermost schema resource with the `$dynamicAnchor` decides.
    fn dynamic_target(
        &mut self,
        anchor: &str,
        fallback: NodeId,
        context: Context<'_>,
    ) -> Result<NodeId, Exhausted> {
        let by_resource = self.schema.dynamic_anchors.get(anchor);
        let mut target = fallback;
        let mut scope = Some(context.scope);
        while let Some(Scope { resource, outer }) = scope {
            self.budget.charge(1)?;
            let anchored = by_resource.and_then(|nodes| nodes.get(resource));
            target = anchored.copied().unwrap_or(target);
            scope = *outer;
        }
        Ok(target)
    }

    /// Reports a failure and returns false.
    fn fail(
        &mut self,
        keyword: &str,
        context: Context<'_>,
        message: impl FnOnce() -> String,
    ) -> Accepts {
        if self.stops(context) {
            return Ok(false);
        }
        let failure = Failure {
            instance_location: context.path.to_pointer(),
            keyword_location: self.keyword_location(context.node, keyword),
            message: message(),
        };
        let texts = failure.instance_location.as_str().len()
            + failure.keyword_location.len()
            + failure.message.len();
        self.failure_bytes += size_of::<Failure>() + texts;
        self.budget.charge_text(texts)?;
        self.failures.push(failure);
        Ok(false)
    }

    /// Whether evaluation stops at the first failure: no further failure would be reported.
    const fn stops(&self, context: Context<'_>) -> bool {
        !context.reports
            || self.failures.len() == MAX_FAILURES
            || self.failure_bytes >= MAX_FAILURE_BYTES
    }

    fn keyword_location(&self, node: NodeId, keyword: &str) -> String {
        let mut suffixes = Vec::new();
        let mut current = Some(node);
        while let Some(node) = current {
            let node = &self.schema.nodes[node as usize];
            suffixes.push(node.suffix.as_str());
            current = node.parent;
        }
        suffixes.reverse();
        if !keyword.is_empty() {
            suffixes.extend(["/", keyword]);
        }
        suffixes.concat()
    }
}
