//! The arguments of a call, and the values that a manifest suggests for them.

use atr_manifest::{Document, Kind, Pointer, Value};
use atr_schema::{Outcome, Schema};
use serde::Serialize;

use crate::Error;

/// The arguments of a call. Nothing is added to what the user wrote: values that the manifest suggests are listed by
/// [`Arguments::prefills`] and added by [`Arguments::with_prefills`] only, after the user accepted them (J-05, J-07).
#[derive(Clone, Debug)]
pub struct Arguments {
    document: Document,
}

/// A value that the manifest suggests for an argument that the user did not give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Prefill {
    /// Name of the argument. Untrusted text.
    pub name: String,
    /// Which keyword of the schema.
    pub kind: PrefillKind,
    /// The value as JSON. Untrusted text.
    pub value: String,
}

/// A keyword of JSON Schema with a value in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the keywords of JSON Schema")]
pub enum PrefillKind {
    Default,
    Const,
}

impl PrefillKind {
    /// The keyword.
    #[must_use]
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Const => "const",
        }
    }
}

impl Arguments {
    /// Parses the JSON text of the arguments.
    ///
    /// # Errors
    ///
    /// If the text is not strict JSON (no duplicate names, no lone surrogates).
    pub fn parse(text: impl Into<Vec<u8>>) -> Result<Self, Error> {
        let document = Document::parse(text).map_err(Error::ArgumentsJson)?;
        Ok(Self { document })
    }

    /// The JSON text, as it is sent.
    #[must_use]
    pub fn text(&self) -> &str {
        self.document.text()
    }

    /// The parsed arguments.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Validates the arguments.
    ///
    /// # Errors
    ///
    /// If the arguments do not follow the schema, or validation is too costly.
    pub fn validate(&self, schema: &Schema) -> Result<(), Error> {
        match schema.validate(&self.document) {
            Outcome::Valid => Ok(()),
            Outcome::Invalid(failures) => Err(Error::Arguments { failures }),
            Outcome::Unknown(reason) => Err(Error::ArgumentsUnknown {
                reason: reason.to_string(),
            }),
        }
    }

    /// The `default` and `const` values of top-level properties that the arguments do not have.
    #[must_use]
    pub fn prefills(&self, inputs: Value<'_>) -> Vec<Prefill> {
        let root = self.document.root();
        let properties = inputs.get("properties");
        let properties = properties.into_iter().flat_map(Value::members);
        let absent = properties.filter(|(name, _)| root.get(name).is_none());
        absent
            .filter_map(|(name, property)| {
                let const_value = property
                    .get("const")
                    .map(|value| (PrefillKind::Const, value));
                let default = || Some((PrefillKind::Default, property.get("default")?));
                let (kind, value) = const_value.or_else(default)?;
                Some(Prefill {
                    name: name.to_owned(),
                    kind,
                    value: json_text(value),
                })
            })
            .collect()
    }

    /// The arguments with suggested values that the user accepted.
    ///
    /// # Errors
    ///
    /// If the arguments are not an object.
    pub fn with_prefills(&self, prefills: &[Prefill]) -> Result<Self, Error> {
        let root = self.document.root();
        if root.kind() != Kind::Object {
            return Err(Error::ArgumentsNotAnObject);
        }
        let own = root.members().map(|(name, value)| (name, json_text(value)));
        let added = prefills.iter();
        let added = added.map(|prefill| (prefill.name.as_str(), prefill.value.clone()));
        let members = own
            .chain(added)
            .map(|(name, value)| format!("{}:{value}", serde_json::Value::from(name)));
        let members: Vec<_> = members.collect();
        Self::parse(format!("{{{}}}", members.join(",")))
    }
}

/// A value as compact JSON. The parser limits the depth, and thereby the recursion.
fn json_text(value: Value<'_>) -> String {
    match value.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Boolean => value.as_bool().unwrap_or_default().to_string(),
        Kind::Number => value.number_text().unwrap_or_default().to_owned(),
        Kind::String => serde_json::Value::from(value.as_str().unwrap_or_default()).to_string(),
        Kind::Array => {
            let elements: Vec<_> = value.elements().map(json_text).collect();
            format!("[{}]", elements.join(","))
        }
        Kind::Object => {
            let members = value.members();
            let members = members.map(|(name, member)| {
                format!("{}:{}", serde_json::Value::from(name), json_text(member))
            });
            let members: Vec<_> = members.collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

/// Where a failure of the arguments is, for messages.
pub(crate) fn location(pointer: &Pointer) -> &str {
    match pointer.as_str() {
        "" => "the arguments",
        text => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ERC's example of an attack: the schema suggests a destination of the attacker.
    const ATTACK: &str = r#"{"type":"object","properties":{
        "amount":{"type":"integer","default":1000},
        "to":{"const":"0xattacker"},
        "memo":{"type":"string"},
        "options":{"default":{"a":[1,2.50,"x\"y",null,true]}}}}"#;

    fn inputs() -> Document {
        Document::parse(ATTACK).unwrap()
    }

    #[test]
    fn never_adds_a_suggested_value_by_itself() {
        // J-05, J-07
        let arguments = Arguments::parse(r#"{"memo":"m"}"#).unwrap();
        let prefills = arguments.prefills(inputs().root());
        assert_eq!(arguments.text(), r#"{"memo":"m"}"#);
        let found: Vec<_> = prefills
            .iter()
            .map(|prefill| (prefill.name.as_str(), prefill.kind, prefill.value.as_str()))
            .collect();
        // J-06: every value is listed.
        assert_eq!(
            found,
            [
                ("amount", PrefillKind::Default, "1000"),
                ("to", PrefillKind::Const, r#""0xattacker""#),
                (
                    "options",
                    PrefillKind::Default,
                    r#"{"a":[1,2.50,"x\"y",null,true]}"#
                ),
            ]
        );
    }

    #[test]
    fn does_not_suggest_a_value_for_a_given_argument() {
        let arguments = Arguments::parse(r#"{"amount":1,"to":"me","options":null}"#).unwrap();
        assert_eq!(arguments.prefills(inputs().root()), []);
    }

    #[test]
    fn adds_accepted_values_exactly_as_written() {
        let arguments = Arguments::parse("{\"me\\u006do\":\"\\u0041\"}").unwrap();
        let prefills = arguments.prefills(inputs().root());
        let filled = arguments.with_prefills(&prefills).unwrap();
        assert_eq!(
            filled.text(),
            r#"{"memo":"A","amount":1000,"to":"0xattacker","options":{"a":[1,2.50,"x\"y",null,true]}}"#
        );
        assert!(matches!(
            Arguments::parse("[]").unwrap().with_prefills(&prefills),
            Err(Error::ArgumentsNotAnObject)
        ));
    }
}
