//! A2A Agent Cards 1.0.

use atr_ids::HttpsUrl;
use atr_manifest::Document;
use serde_json::{Map, Value, json};

use super::{BridgeError, Converted, Difference, Draft, object};
use crate::{Card, Config};

/// The A2A extension whose parameters are the Agent Card. The URI is that of the card's format.
pub const EXTENSION_URI: &str =
    "https://commandlayer.org/agent-cards/schemas/v1.0.0/_shared/agent.card.base.schema.json";

/// The version of A2A that is written.
const PROTOCOL_VERSION: &str = "1.0";

/// Where the agent speaks A2A. A card's entry is an identifier, not an address, so it must be given (T-51).
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are those of A2A")]
pub struct A2aInterface {
    pub url: HttpsUrl,
    /// `JSONRPC`, `GRPC` or `HTTP+JSON`.
    pub protocol_binding: String,
}

/// Converts a card: each verb becomes a skill.
pub fn export_a2a(document: &Document, interface: &A2aInterface) -> Result<Converted, BridgeError> {
    let card = Card::new(document);
    let whole = object(document)?;
    let mut differences = Vec::new();
    let text = |name: &'static str| card.text(name).ok_or(BridgeError::Member(name));
    let mut name = card.text("display_name");
    if name.is_none() {
        name = card.ens();
        differences.push(Difference::new(
            "assumed",
            "/name",
            "the card has no display_name; the ENS name is used",
        ));
    }
    let name = name.ok_or(BridgeError::Member("ens"))?;
    let description = card.text("description").map_or_else(
        || {
            differences.push(Difference::new(
                "assumed",
                "/description",
                "the card has no description",
            ));
            format!("Agent of {name}")
        },
        str::to_owned,
    );
    let modes = |list: &'static str, target: &str, differences: &mut Vec<Difference>| {
        let modes = card.strings("capabilities", list);
        if !modes.is_empty() {
            return modes;
        }
        differences.push(Difference::new(
            "assumed",
            target,
            format!("the card has no capabilities.{list}; application/json is used"),
        ));
        vec!["application/json".to_owned()]
    };
    let input = modes("input_types", "/defaultInputModes", &mut differences);
    let output = modes("output_types", "/defaultOutputModes", &mut differences);
    let mut tags = card.strings("meta", "tags");
    let operations = card.strings("capabilities", "operations");
    tags.extend(operations.into_iter().filter(|tag| !tag.is_empty()));
    let verbs: Vec<_> = card.verbs().collect();
    if verbs.is_empty() {
        return Err(BridgeError::Member("implements"));
    }
    let skills = verbs.iter().map(|verb| {
        let mut tags = tags.clone();
        if !tags.iter().any(|tag| tag == verb) {
            tags.insert(0, (*verb).to_owned());
        }
        json!({
            "id": verb,
            "name": verb,
            "description": description,
            "tags": tags,
        })
    });
    let mut out = json!({
        "name": name,
        "description": description,
        "version": text("version")?,
        "supportedInterfaces": [{
            "url": interface.url.to_string(),
            "protocolBinding": interface.protocol_binding,
            "protocolVersion": PROTOCOL_VERSION,
        }],
        "capabilities": {
            "extensions": [{
                "uri": EXTENSION_URI,
                "description": "The Agent Card of this agent: ENS name, verbs, schemas and x402 entry.",
                "required": false,
                "params": whole,
            }],
        },
        "defaultInputModes": input,
        "defaultOutputModes": output,
        "skills": skills.collect::<Vec<_>>(),
    });
    let publisher = card
        .root()
        .get("meta")
        .and_then(|meta| meta.get("publisher"))
        .and_then(atr_manifest::Value::as_str);
    if publisher.is_some() {
        // A2A requires a URL of the provider, which the card does not have.
        differences.push(Difference::new(
            "not-expressible",
            "/meta/publisher",
            "A2A providers need a URL; the publisher is only in the extension",
        ));
    }
    if let Some(link) = documentation(card) {
        out["documentationUrl"] = link.into();
    }
    Ok(Converted {
        document: out,
        differences,
    })
}

/// The first https URL of `meta.links`, which is a list or an object.
fn documentation(card: Card<'_>) -> Option<String> {
    let links = card.root().get("meta")?.get("links")?;
    let values = links.members().map(|(_, value)| value);
    let mut all = links.elements().chain(values);
    all.find_map(|link| {
        let link = link.as_str()?;
        link.parse::<HttpsUrl>().is_ok().then(|| link.to_owned())
    })
}

/// Converts an A2A card. A card that [`export_a2a`] put into the extension is returned unchanged; otherwise the skills that are
/// known verbs become the verbs, and `defaults` adds what A2A does not have.
pub fn import_a2a(
    document: &Document,
    defaults: Draft,
    config: &Config,
) -> Result<Converted, BridgeError> {
    let source = object(document)?;
    let text = |name: &str| source.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(card) = embedded(&source) {
        let mut differences = Vec::new();
        for (theirs, ours) in [
            ("name", "display_name"),
            ("description", "description"),
            ("version", "version"),
        ] {
            let expected = card.get(ours).and_then(Value::as_str);
            if expected.is_some() && text(theirs).as_deref() != expected {
                differences.push(Difference::new(
                    "contradicts-card",
                    &format!("/{theirs}"),
                    format!("differs from \"{ours}\" of the card in the extension, which is used"),
                ));
            }
        }
        let ids = skill_ids(&source);
        let verbs = card.get("implements").and_then(Value::as_array);
        let verbs: Vec<_> = verbs
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if ids != verbs {
            differences.push(Difference::new(
                "contradicts-card",
                "/skills",
                "differ from \"implements\" of the card in the extension, which is used",
            ));
        }
        return Ok(Converted {
            document: Value::Object(card.clone()),
            differences,
        });
    }
    let mut draft = defaults;
    let mut differences = Vec::new();
    draft.display_name = draft.display_name.or_else(|| text("name"));
    draft.description = draft.description.or_else(|| text("description"));
    draft.version = draft.version.or_else(|| text("version"));
    if draft.implements.is_empty() {
        for (index, id) in skill_ids(&source).into_iter().enumerate() {
            if config.verbs.class_of(id).is_some() {
                draft.implements.push(id.to_owned());
            } else {
                differences.push(Difference::new(
                    "dropped",
                    &format!("/skills/{index}"),
                    "the skill is not a canonical verb",
                ));
            }
        }
    }
    for (theirs, ours) in [
        ("defaultInputModes", "input_types"),
        ("defaultOutputModes", "output_types"),
    ] {
        if let Some(modes) = source.get(theirs).filter(|modes| modes.is_array()) {
            draft.capabilities.insert(ours.to_owned(), modes.clone());
        }
    }
    let provider = source
        .get("provider")
        .and_then(|provider| provider.get("organization"));
    if let Some(organization) = provider.filter(|organization| organization.is_string()) {
        draft
            .meta
            .insert("publisher".to_owned(), organization.clone());
    }
    let links: Vec<_> = ["documentationUrl"].into_iter().filter_map(text).collect();
    if !links.is_empty() {
        draft.meta.insert("links".to_owned(), json!(links));
    }
    let used = "name description version skills defaultInputModes defaultOutputModes provider documentationUrl";
    for name in source.keys() {
        if !used.split(' ').any(|used| used == name) {
            differences.push(Difference::new(
                "dropped",
                &format!("/{name}"),
                "Agent Cards have no such member",
            ));
        }
    }
    let (document, missing) = draft.into_card(config);
    differences.extend(missing);
    Ok(Converted {
        document,
        differences,
    })
}

fn embedded(source: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let extensions = source.get("capabilities")?.get("extensions")?.as_array()?;
    let is_ours =
        |extension: &&Value| extension.get("uri").and_then(Value::as_str) == Some(EXTENSION_URI);
    extensions.iter().find(is_ours)?.get("params")?.as_object()
}

fn skill_ids(source: &Map<String, Value>) -> Vec<&str> {
    let skills = source.get("skills").and_then(Value::as_array);
    let skills = skills.into_iter().flatten();
    skills
        .filter_map(|skill| skill.get("id").and_then(Value::as_str))
        .collect()
}
