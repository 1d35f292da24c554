//! The values that schemas apply to, and text that is the same for equal values only.

use atr_manifest::{Kind, Value};

use crate::{
    budget::{Budget, Exhausted},
    number::Decimal,
};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Instance<'a> {
    Value(Value<'a>),
    /// A property name, for `propertyNames`.
    Name(&'a str),
}

impl<'a> Instance<'a> {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Value(value) => value.kind(),
            Self::Name(_) => Kind::String,
        }
    }

    pub(crate) fn as_str(self) -> Option<&'a str> {
        match self {
            Self::Value(value) => value.as_str(),
            Self::Name(name) => Some(name),
        }
    }

    /// The instance if it is of this kind and not a property name.
    pub(crate) fn value(self, kind: Kind) -> Option<Value<'a>> {
        match self {
            Self::Value(value) if value.kind() == kind => Some(value),
            _ => None,
        }
    }

    pub(crate) fn number(self, budget: &mut Budget) -> Result<Option<Decimal>, Exhausted> {
        let Some(text) = self.value(Kind::Number).and_then(Value::number_text) else {
            return Ok(None);
        };
        budget.charge(2 + text.len() as u64 / 8)?;
        Ok(Some(Decimal::parse(text)))
    }

    /// Appends text that is the same for two instances exactly if they are equal: numbers by value, objects in any order of
    /// their members. No text is the beginning of another.
    pub(crate) fn encode(self, out: &mut String, budget: &mut Budget) -> Result<(), Exhausted> {
        let Self::Value(value) = self else {
            return self
                .as_str()
                .map_or(Ok(()), |name| string(name, out, budget));
        };
        match value.kind() {
            Kind::Null => push("null", out, budget),
            Kind::Boolean if value.as_bool() == Some(true) => push("true", out, budget),
            Kind::Boolean => push("false", out, budget),
            Kind::String => string(value.as_str().unwrap_or_default(), out, budget),
            Kind::Number => {
                let number = self.number(budget)?.map(|number| number.canonical());
                push(&number.unwrap_or_default(), out, budget)
            }
            Kind::Array => {
                push("[", out, budget)?;
                for element in value.elements() {
                    Self::Value(element).encode(out, budget)?;
                }
                push("]", out, budget)
            }
            Kind::Object => {
                push("{", out, budget)?;
                let mut members: Vec<_> = value.members().collect();
                let bytes = size_of_val(&*members);
                budget.charge(members.len() as u64 * sort_rounds(members.len()))?;
                budget.allocate(bytes)?;
                members.sort_unstable_by_key(|(name, _)| *name);
                for (name, member) in members {
                    string(name, out, budget)?;
                    Self::Value(member).encode(out, budget)?;
                }
                budget.bytes += bytes;
                push("}", out, budget)
            }
        }
    }
}

/// How often sorting visits each of `count` items, about.
pub(crate) fn sort_rounds(count: usize) -> u64 {
    u64::from(count.max(1).ilog2()) + 1
}

fn push(text: &str, out: &mut String, budget: &mut Budget) -> Result<(), Exhausted> {
    budget.charge_text(text.len())?;
    budget.allocate(text.len())?;
    out.push_str(text);
    Ok(())
}

fn string(text: &str, out: &mut String, budget: &mut Budget) -> Result<(), Exhausted> {
    push(&format!("\"{}:", text.len()), out, budget)?;
    push(text, out, budget)
}

#[cfg(test)]
mod tests {
    use atr_manifest::Document;

    use super::*;

    fn encode(text: &str) -> String {
        let document = Document::parse(text).unwrap();
        let mut out = String::new();
        let value = Instance::Value(document.root());
        value.encode(&mut out, &mut Budget::default()).unwrap();
        out
    }

    #[test]
    fn equal_values_have_the_same_text() {
        let object = r#"{"a":1,"b":[2,"x"]}"#;
        for (left, right) in [
            ("1", "1.0"),
            (object, r#"{"b":[2e0,"\u0078"],"a":10e-1}"#),
            ("-0", "0"),
        ] {
            assert_eq!(encode(left), encode(right), "{left} {right}");
        }
        let mut out = String::new();
        let mut budget = Budget::default();
        Instance::Name("é").encode(&mut out, &mut budget).unwrap();
        assert_eq!(out, encode("\"é\""));
        assert_eq!(Budget::default().bytes - budget.bytes, out.len());
    }

    #[test]
    fn different_values_have_different_texts() {
        let values = r#"null true false 0 1 -1 10 "" "0" [] [0] [[]] [[],[]] [[[]]] {} {"a":0} {"a":false}
            {"b":0} ["a",0] ["ab"] ["a","b"] [1,0] [10] "null" ["1:a"] ["1:a","b"] [1,"0"]"#;
        let mut texts: Vec<_> = values.split_whitespace().map(encode).collect();
        let count = texts.len();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), count);
    }

    #[test]
    fn memory_and_fuel_run_out() {
        let document = Document::parse(r#"["abcdefgh",{"a":1}]"#).unwrap();
        let value = Instance::Value(document.root());
        for (fuel, bytes, expected) in [(100, 10, Exhausted::Memory), (3, 1_000, Exhausted::Fuel)] {
            let mut budget = Budget { fuel, bytes };
            assert_eq!(value.encode(&mut String::new(), &mut budget), Err(expected));
        }
    }
}
