//! A new card from values that other formats do not have.

use serde_json::{Map, Value, json};

use super::Difference;
use crate::{Class, Config, SchemaKind};

/// Values of a new card. Those that are missing are reported, and left out of the card.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the names are those of the card's members")]
pub struct Draft {
    pub ens: Option<String>,
    pub owner: Option<String>,
    pub display_name: Option<String>,
    pub description: Option<String>,
    pub version: Option<String>,
    pub status: Option<String>,
    /// By default the class of the first verb.
    pub class: Option<Class>,
    pub implements: Vec<String>,
    /// By default the canonical URIs of the verb's first known release.
    pub schemas: Option<[String; 2]>,
    pub networks: Vec<String>,
    pub license: Option<String>,
    /// Also the value of `updated_at`.
    pub created_at: Option<String>,
    pub capabilities: Map<String, Value>,
    pub meta: Map<String, Value>,
}

/// The canonical request and receipt schema of a verb, from the first known release of its class.
#[must_use]
pub fn canonical_schemas(config: &Config, class: Class, verb: &str) -> Option<[String; 2]> {
    let mut releases = config.releases.0.iter();
    let release = releases.find(|release| release.class == class)?;
    let root = release.roots.first()?;
    Some(SchemaKind::ALL.map(|kind| {
        let path = kind.path(class, verb, release.has_folders);
        format!("{root}{path}")
    }))
}

impl Draft {
    /// The card, and a difference for each value that is missing or was assumed.
    #[must_use]
    pub fn into_card(self, config: &Config) -> (Value, Vec<Difference>) {
        let mut card = Map::new();
        let mut differences = Vec::new();
        let mut put = |name: &str, value: Option<Value>| match value {
            Some(value) => {
                card.insert(name.to_owned(), value);
            }
            None => differences.push(Difference::new(
                "missing",
                &format!("/{name}"),
                format!("the card needs \"{name}\""),
            )),
        };
        let text = |value: &Option<String>| value.clone().map(Value::from);
        let list = |values: &[String]| (!values.is_empty()).then(|| json!(values));
        let verb = self.implements.first().cloned();
        let class = self
            .class
            .or_else(|| config.verbs.class_of(verb.as_deref()?));
        let schemas = self
            .schemas
            .clone()
            .or_else(|| canonical_schemas(config, class?, verb.as_deref()?));
        let slug = self
            .ens
            .as_deref()
            .and_then(|ens| ens.split('.').next())
            .map(Value::from);
        let entry = self
            .ens
            .as_ref()
            .zip(verb)
            .map(|(ens, verb)| Value::from(format!("x402://{ens}/{verb}/v1")));
        put("id", text(&self.ens));
        put("slug", slug);
        put("display_name", text(&self.display_name));
        put("description", text(&self.description));
        put("owner", text(&self.owner));
        put("ens", text(&self.ens));
        put("version", text(&self.version));
        put("status", text(&self.status));
        put("class", class.map(|class| json!(class.as_str())));
        put("implements", list(&self.implements));
        put(
            "schemas",
            schemas.map(|[request, receipt]| json!({"request": request, "receipt": receipt})),
        );
        put("entry", entry);
        put("networks", list(&self.networks));
        put("license", text(&self.license));
        put("created_at", text(&self.created_at));
        put("updated_at", text(&self.created_at));
        for (name, object) in [("capabilities", self.capabilities), ("meta", self.meta)] {
            if !object.is_empty() {
                card.insert(name.to_owned(), Value::Object(object));
            }
        }
        (Value::Object(card), differences)
    }
}
