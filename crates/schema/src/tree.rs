//! Our documents as the validator's values.
//!
//! Built value by value, never through serde: with the features others switch on in serde_json, a member called
//! `$serde_json::private::Number` or `…::RawValue` would be taken for a number or for text to parse again. A document has at
//! most 128 levels, which bounds the calls below.

use atr_manifest::{Kind, MAX_DEPTH, Value as Ours};
use serde_json::{Map, Number, Value};

use crate::cost::weight;

/// The value of a schema.
pub(crate) fn of(value: Ours<'_>) -> Value {
    build(value, 0, 0, &mut Shape::default())
}

/// The value of a call, and its shape.
pub(crate) fn of_call(value: Ours<'_>) -> (Value, Shape) {
    let mut shape = Shape::default();
    let tree = build(value, 0, 0, &mut shape);
    (tree, shape)
}

/// How much there is of a call, level by level. Long strings and long names count for more than one place.
#[derive(Debug)]
pub(crate) struct Shape {
    /// To look at.
    pub(crate) places: [u64; MAX_DEPTH + 1],
    /// To report about, with the length of the pointer to each.
    pub(crate) pointers: [u64; MAX_DEPTH + 1],
    /// Bytes of strings and names, to match patterns against. A name is matched by the object that has it and, as a value, one
    /// level below.
    pub(crate) text_bytes: [u64; MAX_DEPTH + 1],
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            places: [0; MAX_DEPTH + 1],
            pointers: [0; MAX_DEPTH + 1],
            text_bytes: [0; MAX_DEPTH + 1],
        }
    }
}

impl Shape {
    /// Places below all places of a level together.
    pub(crate) fn below(&self) -> [u64; MAX_DEPTH + 1] {
        let mut below = [0; MAX_DEPTH + 1];
        for level in (0..MAX_DEPTH).rev() {
            below[level] = below[level + 1] + self.places[level + 1];
        }
        below
    }

    /// A document has at most a million bytes, so nothing here overflows.
    fn add(&mut self, level: usize, path_bytes: usize, text_bytes: usize) {
        self.places[level] += weight(text_bytes as u64);
        self.pointers[level] += weight(path_bytes as u64);
        self.text_bytes[level] += text_bytes as u64;
    }
}

/// `path_bytes` is the length of the pointer to the value.
fn build(value: Ours<'_>, level: usize, path_bytes: usize, shape: &mut Shape) -> Value {
    let text_bytes = value.as_str().map_or(0, str::len);
    shape.add(level, path_bytes, text_bytes);
    match value.kind() {
        Kind::Null => Value::Null,
        Kind::Boolean => Value::Bool(value.as_bool() == Some(true)),
        Kind::Number => Value::Number(number(value)),
        Kind::String => Value::String(value.as_str().unwrap_or_default().to_owned()),
        Kind::Array => {
            let elements = value.elements();
            // An index has at most seven digits: a document has at most a million bytes.
            let path_bytes = path_bytes + 8;
            let built = elements.map(|element| build(element, level + 1, path_bytes, shape));
            Value::Array(built.collect())
        }
        Kind::Object => {
            let mut members = Map::new();
            for (name, member) in value.members() {
                // Names are matched too, where their members are.
                shape.add(level + 1, 0, name.len());
                shape.text_bytes[level] += name.len() as u64;
                let path_bytes = path_bytes + 1 + name.len();
                let member = build(member, level + 1, path_bytes, shape);
                members.insert(name.to_owned(), member);
            }
            Value::Object(members)
        }
    }
}

/// Integers of 64 bits exactly, all others as the double they stand for everywhere else (RFC 8785).
fn number(value: Ours<'_>) -> Number {
    let text = value.number_text().unwrap_or_default();
    if let Ok(integer) = text.parse::<u64>() {
        return integer.into();
    }
    if let Ok(integer) = text.parse::<i64>() {
        return integer.into();
    }
    // The reader lets no number through that is not finite.
    value
        .as_f64()
        .and_then(Number::from_f64)
        .unwrap_or_else(|| 0.into())
}

#[cfg(test)]
mod tests {
    use atr_manifest::Document;

    use super::*;

    fn tree(text: &str) -> Value {
        of(Document::parse(text).unwrap().root())
    }

    #[test]
    fn values_come_over_as_they_are() {
        let text = r#"{"a":[null,true,false,"\u0061",{}],"b":[0,-1,18446744073709551615,1.5,1e2]}"#;
        let tree = tree(text);
        assert_eq!(tree["a"].to_string(), r#"[null,true,false,"a",{}]"#);
        assert_eq!(tree["b"][1], -1);
        assert_eq!(tree["b"][2], u64::MAX);
        assert_eq!(tree["b"][3].as_f64(), Some(1.5));
        assert_eq!(tree["b"][4].as_f64(), Some(100.0));
    }

    #[test]
    fn magic_names_of_serde_stay_names() {
        for name in [
            "$serde_json::private::Number",
            "$serde_json::private::RawValue",
        ] {
            let tree = tree(&format!(r#"{{"{name}":"1"}}"#));
            assert_eq!(tree.as_object().map(Map::len), Some(1));
            assert_eq!(tree[name], "1");
        }
    }

    #[test]
    fn the_shape_counts_places_by_level_and_long_texts_more_than_once() {
        let long = "x".repeat(192);
        let document = Document::parse(format!(r#"[[1,2,3],"{long}",{{"{long}":0}}]"#)).unwrap();
        let (_, shape) = of_call(document.root());
        // The root; two lists and a long text; three numbers, a long name and its member.
        assert_eq!(shape.places[..4], [1, 1 + 4 + 1, 3 + 4 + 1, 0]);
        assert_eq!(shape.below()[..4], [6 + 8, 8, 0, 0]);
        assert_eq!(shape.pointers[..4], [1, 3, 3 + 1 + 4, 0]);
        assert_eq!(shape.text_bytes[..4], [0, 192 + 192, 192, 0]);
    }

    #[test]
    fn a_slash_is_part_of_a_pointer() {
        // 64 bytes count for one more place.
        let name = "x".repeat(63);
        let document = Document::parse(format!(r#"{{"{name}":{{"{name}":0}}}}"#)).unwrap();
        let (_, shape) = of_call(document.root());
        // A name counts as a place too, without a pointer.
        assert_eq!(shape.pointers[..3], [1, 1 + 2, 1 + 3]);
    }

    #[test]
    fn the_deepest_document_fits() {
        let text = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
        let document = Document::parse(text).unwrap();
        let (_, shape) = of_call(document.root());
        assert_eq!(shape.places[MAX_DEPTH - 1], 1);
        assert_eq!(shape.places[MAX_DEPTH], 0);
    }
}
