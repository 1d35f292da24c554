//! The values that schemas apply to: values of a document, and property names (for `propertyNames`).

use atr_manifest::{Kind, Value};

use crate::{
    budget::{Budget, Exhausted},
    number::Decimal,
};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Instance<'a> {
    Value(Value<'a>),
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

    /// The exact value of a number.
    pub(crate) fn number(self, budget: &mut Budget) -> Result<Option<Decimal>, Exhausted> {
        let Some(text) = self.value(Kind::Number).and_then(Value::number_text) else {
            return Ok(None);
        };
        // A number is parsed digit by digit.
        budget.charge(1 + text.len() as u64 / 8)?;
        Ok(Some(Decimal::parse(text)))
    }

    /// Appends bytes that are equal for two instances exactly if the instances are equal: numbers by value, objects whatever
    /// the order of their members.
    pub(crate) fn write(self, out: &mut Vec<u8>, budget: &mut Budget) -> Result<(), Exhausted> {
        match self {
            Self::Value(value) => write_value(value, out, budget),
            Self::Name(name) => write_string(name, out, budget),
        }
    }
}

fn write_value(value: Value<'_>, out: &mut Vec<u8>, budget: &mut Budget) -> Result<(), Exhausted> {
    match value.kind() {
        Kind::Null => write(b'0', 0, out, budget),
        Kind::Boolean => write(
            b'b',
            usize::from(value.as_bool() == Some(true)),
            out,
            budget,
        ),
        Kind::String => write_string(value.as_str().unwrap_or_default(), out, budget),
        Kind::Number => {
            let number = Instance::Value(value).number(budget)?;
            budget.allocate(value.number_text().map_or(0, str::len) + 16)?;
            out.push(b'n');
            number.iter().for_each(|number| number.write(out));
            Ok(())
        }
        Kind::Array => {
            write(b'a', value.len(), out, budget)?;
            value
                .elements()
                .try_for_each(|element| write_value(element, out, budget))
        }
        Kind::Object => {
            write(b'o', value.len(), out, budget)?;
            let mut members: Vec<_> = value.members().collect();
            // Sorting visits each member about log2(n) times.
            let rounds = u64::from(members.len().max(1).ilog2()) + 1;
            budget.charge(members.len() as u64 * rounds)?;
            budget.allocate(members.len() * size_of::<(&str, Value<'_>)>())?;
            members.sort_unstable_by_key(|(name, _)| *name);
            for (name, member) in &members {
                write_string(name, out, budget)?;
                write_value(*member, out, budget)?;
            }
            budget.release(members.len() * size_of::<(&str, Value<'_>)>());
            Ok(())
        }
    }
}

fn write_string(text: &str, out: &mut Vec<u8>, budget: &mut Budget) -> Result<(), Exhausted> {
    write(b's', text.len(), out, budget)?;
    budget.charge_text(text.len())?;
    budget.allocate(text.len())?;
    out.extend(text.as_bytes());
    Ok(())
}

/// The kind and the length. With both in front, no value's bytes are the beginning of another's.
fn write(tag: u8, length: usize, out: &mut Vec<u8>, budget: &mut Budget) -> Result<(), Exhausted> {
    budget.charge(1)?;
    budget.allocate(5)?;
    out.push(tag);
    // A document has at most 1 MiB.
    out.extend((length as u32).to_be_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use atr_manifest::Document;

    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        let document = Document::parse(text).unwrap();
        let mut out = Vec::new();
        let value = Instance::Value(document.root());
        value.write(&mut out, &mut Budget::default()).unwrap();
        out
    }

    #[test]
    fn equal_values_have_equal_bytes() {
        for (left, right) in [
            ("1", "1.0"),
            (
                r#"{"a":1,"b":[2,"x"]}"#,
                r#"{"b":[2e0,"\u0078"],"a":10e-1}"#,
            ),
            ("-0", "0"),
        ] {
            assert_eq!(bytes(left), bytes(right), "{left} {right}");
        }
    }

    #[test]
    fn different_values_have_different_bytes() {
        let values = [
            "null",
            "true",
            "false",
            "0",
            "1",
            "-1",
            "10",
            "\"\"",
            "\"0\"",
            "[]",
            "[0]",
            "[[]]",
            "[[],[]]",
            "[[[]]]",
            "{}",
            r#"{"a":0}"#,
            r#"{"a":false}"#,
            r#"{"b":0}"#,
            r#"["a",0]"#,
            r#"["ab"]"#,
            r#"["a","b"]"#,
            "[1,0]",
            "[10]",
        ];
        for (index, left) in values.iter().enumerate() {
            for right in &values[index + 1..] {
                assert_ne!(bytes(left), bytes(right), "{left} {right}");
            }
        }
    }

    #[test]
    fn a_name_is_equal_to_a_string() {
        let mut out = Vec::new();
        let mut budget = Budget::default();
        Instance::Name("é").write(&mut out, &mut budget).unwrap();
        assert_eq!(out, bytes("\"é\""));
        // One tag with its length, two bytes of text.
        assert_eq!(Budget::default().bytes - budget.bytes, 7);
    }

    #[test]
    fn memory_counts_and_runs_out() {
        let document = Document::parse(r#"["abcdefgh",{"a":1}]"#).unwrap();
        let value = Instance::Value(document.root());
        let mut budget = Budget {
            fuel: 100,
            bytes: 10,
        };
        assert_eq!(
            value.write(&mut Vec::new(), &mut budget),
            Err(Exhausted::Memory)
        );
        let mut budget = Budget {
            fuel: 3,
            bytes: 1_000,
        };
        assert_eq!(
            value.write(&mut Vec::new(), &mut budget),
            Err(Exhausted::Fuel)
        );
    }
}
