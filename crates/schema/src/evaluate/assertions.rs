//! Keywords that look at one value and apply no other schema.

use std::cmp::Ordering;

use atr_ids::excerpt;
use atr_manifest::{Kind, Value};

use super::{Accepts, Context, Evaluation};
use crate::{
    budget::Exhausted,
    schema::{Bound, Keyword, Types},
};

impl<'s> Evaluation<'s> {
    pub(super) fn assertion(&mut self, keyword: &'s Keyword, context: Context<'_>) -> Accepts {
        match keyword {
            Keyword::Type(types) => self.check_type(*types, context),
            Keyword::Enum(values) => {
                let bytes = self.encode(context)?;
                self.budget
                    .charge(u64::from(values.len().max(1).ilog2()) / 4)?;
                let is_allowed = values
                    .binary_search_by(|value| (**value).cmp(&bytes))
                    .is_ok();
                self.check(is_allowed, "enum", context, || {
                    format!("must be one of the {} allowed values", values.len())
                })
            }
            Keyword::Const(value) => {
                let is_equal = **value == *self.encode(context)?;
                self.check(is_equal, "const", context, || {
                    "must be equal to the constant".into()
                })
            }
            Keyword::Minimum(bound) => {
                self.bound(bound, Ordering::is_ge, "minimum", "at least", context)
            }
            Keyword::Maximum(bound) => {
                self.bound(bound, Ordering::is_le, "maximum", "at most", context)
            }
            Keyword::ExclusiveMinimum(bound) => self.bound(
                bound,
                Ordering::is_gt,
                "exclusiveMinimum",
                "greater than",
                context,
            ),
            Keyword::ExclusiveMaximum(bound) => self.bound(
                bound,
                Ordering::is_lt,
                "exclusiveMaximum",
                "less than",
                context,
            ),
            Keyword::MultipleOf { divisor, exponent } => {
                let number = context.instance.number(&mut self.budget)?;
                let is_multiple =
                    number.is_none_or(|number| number.is_multiple_of(*divisor, *exponent));
                self.check(is_multiple, "multipleOf", context, || {
                    format!("must be a multiple of {divisor}e{exponent}")
                })
            }
            Keyword::MinLength(min) => {
                let is_long = self.length(context)?.is_none_or(|length| length >= *min);
                self.check(is_long, "minLength", context, || {
                    format!("must have at least {min} characters")
                })
            }
            Keyword::MaxLength(max) => {
                let is_short = self.length(context)?.is_none_or(|length| length <= *max);
                self.check(is_short, "maxLength", context, || {
                    format!("must have at most {max} characters")
                })
            }
            Keyword::Pattern(pattern) => {
                let is_match = match context.instance.as_str() {
                    Some(text) => self.is_match(*pattern, text)?,
                    None => true,
                };
                self.check(is_match, "pattern", context, || {
                    "must match the pattern".into()
                })
            }
            Keyword::MinItems(min) => self.size(Kind::Array, *min..=u64::MAX, "minItems", context),
            Keyword::MaxItems(max) => self.size(Kind::Array, 0..=*max, "maxItems", context),
            Keyword::MinProperties(min) => {
                self.size(Kind::Object, *min..=u64::MAX, "minProperties", context)
            }
            Keyword::MaxProperties(max) => {
                self.size(Kind::Object, 0..=*max, "maxProperties", context)
            }
            Keyword::UniqueItems => self.unique_items(context),
            Keyword::Required(names) => self.required(names, "required", context),
            Keyword::DependentRequired(lists) => self.dependent_required(lists, context),
            // The other keywords apply schemas.
            _ => Ok(true),
        }
    }

    fn check(
        &mut self,
        is_met: bool,
        keyword: &str,
        context: Context<'_>,
        message: impl FnOnce() -> String,
    ) -> Accepts {
        if is_met {
            Ok(true)
        } else {
            self.fail(keyword, context, message)
        }
    }

    fn check_type(&mut self, types: Types, context: Context<'_>) -> Accepts {
        let kind = context.instance.kind();
        let is_allowed = types.allows(kind)
            || (types.integer
                && context
                    .instance
                    .number(&mut self.budget)?
                    .is_some_and(|number| number.is_integer()));
        self.check(is_allowed, "type", context, || {
            format!("must be {}, found {kind}", types.names())
        })
    }

    fn encode(&mut self, context: Context<'_>) -> Result<Vec<u8>, Exhausted> {
        let mut bytes = Vec::new();
        let before = self.budget.bytes;
        context.instance.write(&mut bytes, &mut self.budget)?;
        // Compared and dropped before anything else is allocated.
        self.budget.bytes = before;
        Ok(bytes)
    }

    fn bound(
        &mut self,
        bound: &Bound,
        is_met: fn(Ordering) -> bool,
        keyword: &str,
        relation: &str,
        context: Context<'_>,
    ) -> Accepts {
        let number = context.instance.number(&mut self.budget)?;
        let is_met = number.is_none_or(|number| is_met(number.cmp(&bound.number)));
        self.check(is_met, keyword, context, || {
            format!("must be {relation} {}", bound.text)
        })
    }

    /// The number of code points of a string.
    fn length(&mut self, context: Context<'_>) -> Result<Option<u64>, Exhausted> {
        let Some(text) = context.instance.as_str() else {
            return Ok(None);
        };
        self.budget.charge_text(text.len())?;
        Ok(Some(text.chars().count() as u64))
    }

    pub(super) fn is_match(&mut self, pattern: usize, text: &str) -> Accepts {
        self.schema.patterns[pattern].is_match(text, &mut self.states, &mut self.budget)
    }

    fn size(
        &mut self,
        kind: Kind,
        allowed: std::ops::RangeInclusive<u64>,
        keyword: &str,
        context: Context<'_>,
    ) -> Accepts {
        let length = context.instance.value(kind).map(|value| value.len() as u64);
        let is_allowed = length.is_none_or(|length| allowed.contains(&length));
        self.check(is_allowed, keyword, context, || {
            let parts = if kind == Kind::Array {
                "elements"
            } else {
                "properties"
            };
            match (*allowed.start(), *allowed.end()) {
                (0, max) => format!("must have at most {max} {parts}"),
                (min, _) => format!("must have at least {min} {parts}"),
            }
        })
    }

    /// Sorts the encoded elements and compares neighbours: no hash, so no collisions.
    fn unique_items(&mut self, context: Context<'_>) -> Accepts {
        let Some(array) = context.instance.value(Kind::Array) else {
            return Ok(true);
        };
        let before = self.budget.bytes;
        let mut bytes = Vec::new();
        let count = array.len();
        self.budget.allocate(count * size_of::<(u32, u32)>())?;
        let mut ranges = Vec::with_capacity(count);
        for element in array.elements() {
            let start = bytes.len() as u32;
            super::Instance::Value(element).write(&mut bytes, &mut self.budget)?;
            ranges.push((start, bytes.len() as u32));
        }
        // Sorting compares each element about log2(n) times.
        let rounds = u64::from(count.max(1).ilog2()) + 1;
        self.budget
            .charge((count as u64 + bytes.len() as u64 / 32) * rounds)?;
        let slice = |range: &(u32, u32)| &bytes[range.0 as usize..range.1 as usize];
        ranges.sort_unstable_by(|left, right| slice(left).cmp(slice(right)));
        let is_unique = ranges
            .windows(2)
            .all(|pair| slice(&pair[0]) != slice(&pair[1]));
        self.budget.bytes = before;
        self.check(is_unique, "uniqueItems", context, || {
            "must not have equal elements".into()
        })
    }

    fn required(&mut self, names: &[Box<str>], keyword: &str, context: Context<'_>) -> Accepts {
        let Some(object) = context.instance.value(Kind::Object) else {
            return Ok(true);
        };
        let mut accepts = true;
        for name in names {
            if !self.has(object, name)? {
                accepts = self.fail(keyword, context, || {
                    format!("must have the property \"{}\"", excerpt(name))
                })?;
                if self.stops(context) {
                    break;
                }
            }
        }
        Ok(accepts)
    }

    fn dependent_required(
        &mut self,
        lists: &[(Box<str>, Vec<Box<str>>)],
        context: Context<'_>,
    ) -> Accepts {
        let Some(object) = context.instance.value(Kind::Object) else {
            return Ok(true);
        };
        let mut accepts = true;
        for (name, names) in lists {
            if self.has(object, name)? {
                accepts &= self.required(names, "dependentRequired", context)?;
            }
            if !accepts && self.stops(context) {
                break;
            }
        }
        Ok(accepts)
    }

    /// Whether the object has the property. The lookup compares the name with up to 32 names of the same length.
    pub(super) fn has(&mut self, object: Value<'_>, name: &str) -> Accepts {
        let compared = object.len().min(32) as u64;
        self.budget
            .charge(1 + compared * (1 + name.len() as u64 / 32) / 4)?;
        Ok(object.get(name).is_some())
    }
}
