//! Keywords that apply other schemas, to the same instance or to its members and elements.

use atr_manifest::{Kind, Value};

use super::{Accepts, Context, Evaluation, Tracked, evaluated::Evaluated};
use crate::{
    instance::Instance,
    path::Path,
    schema::{Items, NodeId, Properties},
};

impl<'s> Evaluation<'s> {
    pub(super) fn all_of(
        &mut self,
        children: &[NodeId],
        context: Context<'_>,
        mut evaluated: Tracked<'_>,
    ) -> Accepts {
        let mut accepts = true;
        for child in children {
            self.budget.charge(1)?;
            accepts &= self.child(*child, "allOf", context, evaluated.as_deref_mut())?;
            if !accepts && self.stops(context) {
                break;
            }
        }
        Ok(accepts)
    }

    /// Applies a schema that may fail. What it evaluates counts only if it accepts.
    fn branch(&mut self, child: NodeId, context: Context<'_>, evaluated: Tracked<'_>) -> Accepts {
        self.budget.charge(1)?;
        let context = context.without_report();
        let Some(evaluated) = evaluated else {
            return self.child(child, "", context, None);
        };
        let mut own = Evaluated::default();
        let accepts = self.child(child, "", context, Some(&mut own))?;
        if accepts {
            evaluated.merge(&own, &mut self.budget)?;
        }
        own.release(&mut self.budget);
        Ok(accepts)
    }

    pub(super) fn any_of(
        &mut self,
        children: &[NodeId],
        context: Context<'_>,
        mut evaluated: Tracked<'_>,
    ) -> Accepts {
        let mut accepts = false;
        for child in children {
            accepts |= self.branch(*child, context, evaluated.as_deref_mut())?;
            // Every accepting schema evaluates members, so all are tried if that matters.
            if accepts && evaluated.is_none() {
                break;
            }
        }
        if accepts {
            return Ok(true);
        }
        self.fail("anyOf", context, || {
            format!("must match one of {} schemas", children.len())
        })
    }

    pub(super) fn one_of(
        &mut self,
        children: &[NodeId],
        context: Context<'_>,
        mut evaluated: Tracked<'_>,
    ) -> Accepts {
        let mut matches = 0;
        for child in children {
            matches += u32::from(self.branch(*child, context, evaluated.as_deref_mut())?);
            if matches > 1 {
                break;
            }
        }
        if matches == 1 {
            return Ok(true);
        }
        self.fail("oneOf", context, || {
            let found = if matches == 0 {
                "none"
            } else {
                "more than one"
            };
            format!(
                "must match exactly one of {} schemas, matches {found}",
                children.len()
            )
        })
    }

    pub(super) fn not(&mut self, child: NodeId, context: Context<'_>) -> Accepts {
        if !self.branch(child, context, None)? {
            return Ok(true);
        }
        self.fail("not", context, || "must not match the schema".into())
    }

    pub(super) fn conditional(
        &mut self,
        [condition, then, otherwise]: [NodeId; 3],
        context: Context<'_>,
        mut evaluated: Tracked<'_>,
    ) -> Accepts {
        if self.branch(condition, context, evaluated.as_deref_mut())? {
            self.child(then, "then", context, evaluated)
        } else {
            self.child(otherwise, "else", context, evaluated)
        }
    }

    pub(super) fn dependent_schemas(
        &mut self,
        schemas: &[(Box<str>, NodeId)],
        context: Context<'_>,
        mut evaluated: Tracked<'_>,
    ) -> Accepts {
        let Some(object) = context.instance.value(Kind::Object) else {
            return Ok(true);
        };
        let mut accepts = true;
        for (name, child) in schemas {
            if self.has(object, name)? {
                accepts &= self.child(
                    *child,
                    "dependentSchemas",
                    context,
                    evaluated.as_deref_mut(),
                )?;
            }
            if !accepts && self.stops(context) {
                break;
            }
        }
        Ok(accepts)
    }

    pub(super) fn property_names(&mut self, child: NodeId, context: Context<'_>) -> Accepts {
        let Some(object) = context.instance.value(Kind::Object) else {
            return Ok(true);
        };
        let mut accepts = true;
        for (name, _) in object.members() {
            self.budget.charge(1)?;
            let path = Path::Member(context.path, name);
            let context = Context {
                instance: Instance::Name(name),
                path: &path,
                ..context
            };
            accepts &= self.child(child, "propertyNames", context, None)?;
            if !accepts && self.stops(context) {
                break;
            }
        }
        Ok(accepts)
    }

    pub(super) fn properties(
        &mut self,
        properties: &Properties,
        context: Context<'_>,
        mut evaluated: Tracked<'_>,
    ) -> Accepts {
        let Some(object) = context.instance.value(Kind::Object) else {
            return Ok(true);
        };
        let mut accepts = true;
        for (ordinal, (name, member)) in object.members().enumerate() {
            let path = Path::Member(context.path, name);
            let (is_evaluated, is_accepted) =
                self.property(properties, name, context.at(member, &path))?;
            if let Some(evaluated) = evaluated.as_deref_mut().filter(|_| is_evaluated) {
                evaluated.insert(ordinal, &mut self.budget)?;
            }
            accepts &= is_accepted;
            if !accepts && self.stops(context) {
                break;
            }
        }
        Ok(accepts)
    }

    /// Whether a schema applies to the property, and whether all schemas that apply accept it.
    fn property(
        &mut self,
        properties: &Properties,
        name: &str,
        context: Context<'_>,
    ) -> Result<(bool, bool), crate::budget::Exhausted> {
        // The search in the sorted names compares about log2(n) of them.
        let rounds = u64::from(properties.named.len().max(1).ilog2());
        self.budget
            .charge(2 + rounds * (1 + name.len() as u64 / 32) / 4)?;
        let (mut applies, mut accepts) = (false, true);
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
        Ok((applies, accepts))
    }

    pub(super) fn items(
        &mut self,
        items: &Items,
        context: Context<'_>,
        evaluated: Tracked<'_>,
    ) -> Accepts {
        let Some(array) = context.instance.value(Kind::Array) else {
            return Ok(true);
        };
        if let Some(evaluated) = evaluated {
            let prefix = items.prefix.len();
            evaluated.insert_below(items.rest.map_or(prefix, |_| usize::MAX));
        }
        let mut accepts = true;
        for (index, element) in array.elements().enumerate() {
            let (child, keyword) = match (items.prefix.get(index), items.rest) {
                (Some(child), _) => (*child, items.prefix_keyword),
                (None, Some(child)) => (child, items.rest_keyword),
                (None, None) => break,
            };
            accepts &= self.element(child, keyword, index, element, context)?;
            if !accepts && self.stops(context) {
                break;
            }
        }
        Ok(accepts)
    }

    fn element(
        &mut self,
        child: NodeId,
        keyword: &str,
        index: usize,
        element: Value<'_>,
        context: Context<'_>,
    ) -> Accepts {
        self.budget.charge(1)?;
        let path = Path::Element(context.path, index);
        self.child(child, keyword, context.at(element, &path), None)
    }

    pub(super) fn contains(
        &mut self,
        child: NodeId,
        (min, max): (u64, Option<u64>),
        context: Context<'_>,
        mut evaluated: Tracked<'_>,
    ) -> Accepts {
        let Some(array) = context.instance.value(Kind::Array) else {
            return Ok(true);
        };
        let mut found = 0;
        for (index, element) in array.elements().enumerate() {
            if self.element(child, "", index, element, context.without_report())? {
                found += 1;
                if let Some(evaluated) = evaluated.as_deref_mut() {
                    evaluated.insert(index, &mut self.budget)?;
                }
            }
            let is_too_many = max.is_some_and(|max| found > max);
            let is_decided = found >= min && max.is_none() && evaluated.is_none();
            if is_too_many || is_decided {
                break;
            }
        }
        if found < min {
            return self.fail(
                if min == 1 { "contains" } else { "minContains" },
                context,
                || format!("must have at least {min} matching elements"),
            );
        }
        match max {
            Some(max) if found > max => self.fail("maxContains", context, || {
                format!("must have at most {max} matching elements")
            }),
            _ => Ok(true),
        }
    }

    pub(super) fn unevaluated_properties(
        &mut self,
        child: NodeId,
        context: Context<'_>,
        evaluated: Tracked<'_>,
    ) -> Accepts {
        let (Some(object), Some(evaluated)) = (context.instance.value(Kind::Object), evaluated)
        else {
            return Ok(true);
        };
        let mut accepts = true;
        for (ordinal, (name, member)) in object.members().enumerate() {
            self.budget.charge(1)?;
            if evaluated.contains(ordinal) {
                continue;
            }
            let path = Path::Member(context.path, name);
            accepts &= self.child(
                child,
                "unevaluatedProperties",
                context.at(member, &path),
                None,
            )?;
            if !accepts && self.stops(context) {
                break;
            }
        }
        evaluated.insert_below(usize::MAX);
        Ok(accepts)
    }

    pub(super) fn unevaluated_items(
        &mut self,
        child: NodeId,
        context: Context<'_>,
        evaluated: Tracked<'_>,
    ) -> Accepts {
        let (Some(array), Some(evaluated)) = (context.instance.value(Kind::Array), evaluated)
        else {
            return Ok(true);
        };
        let mut accepts = true;
        for (index, element) in array.elements().enumerate() {
            self.budget.charge(1)?;
            if evaluated.contains(index) {
                continue;
            }
            accepts &= self.element(child, "unevaluatedItems", index, element, context)?;
            if !accepts && self.stops(context) {
                break;
            }
        }
        evaluated.insert_below(usize::MAX);
        Ok(accepts)
    }
}
