//! JSON of manifests, read by the strict parser of `atr_manifest`.

use atr_manifest::{Document, Kind, Value as Strict};
use serde_json::Value;

/// The manifest that was hashed. `serde_json` must not parse it: it replaces objects whose only member has a private name, such as
/// `$serde_json::private::RawValue`, by other values.
pub(crate) fn parse(bytes: &[u8]) -> Option<Value> {
    Some(value(Document::parse(bytes).ok()?.root()))
}

/// The parser limits the depth.
fn value(strict: Strict<'_>) -> Value {
    match strict.kind() {
        Kind::Null => Value::Null,
        Kind::Boolean => strict.as_bool().into(),
        Kind::Number => strict
            .number_text()
            .and_then(|number| number.parse().ok())
            .map_or(Value::Null, Value::Number),
        Kind::String => strict.as_str().into(),
        Kind::Array => strict.elements().map(value).collect(),
        Kind::Object => strict
            .members()
            .map(|(name, member)| (name.to_owned(), value(member)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_special_to_serde_are_ordinary_names() {
        for name in [
            "$serde_json::private::RawValue",
            "$serde_json::private::Number",
        ] {
            let text = format!(r#"{{"inputs":{{"{name}":"{{\"a\":1}}"}}}}"#);
            let manifest = parse(text.as_bytes()).unwrap();
            assert_eq!(manifest["inputs"][name], r#"{"a":1}"#);
            assert_eq!(manifest.to_string(), text);
        }
    }

    #[test]
    fn values_keep_their_type() {
        let text = r#"{"a":[null,true,-1,1.5,18446744073709551615,"é\n"],"b":{}}"#;
        assert_eq!(parse(text.as_bytes()).unwrap().to_string(), text);
        assert_eq!(parse(br#"{"a":1,"a":2}"#), None);
    }
}
