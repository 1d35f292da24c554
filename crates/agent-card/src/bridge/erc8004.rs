//! ERC-8004 registration files.

use atr_ids::{AccountId, HttpsUrl, excerpt};
use atr_manifest::Document;
use serde_json::{Map, Value, json};

use super::{BridgeError, Converted, Difference, Draft, object};
use crate::{Card, Check, Config};

/// The value of `type`.
pub const REGISTRATION_TYPE: &str = "https://eips.ethereum.org/EIPS/eip-8004#registration-v1";

/// The name of the service that is the Agent Card.
pub const CARD_SERVICE: &str = "agent-card";

/// An agent of an identity registry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of ERC-8004")]
pub struct Registration {
    /// The registry's CAIP-10 account, such as `eip155:1:0x8004…`.
    pub agent_registry: AccountId,
    pub agent_id: u64,
}

/// What a registration file has and a card does not.
#[derive(Clone, Debug, Default)]
pub struct Erc8004Options {
    /// https URL of the card. By default its `$id`.
    pub card_url: Option<HttpsUrl>,
    /// URL of a picture.
    pub image: Option<HttpsUrl>,
    /// Where the agent is registered.
    pub registrations: Vec<Registration>,
}

/// Converts a card: the ENS name and the card become services.
pub fn export_erc8004(
    document: &Document,
    options: &Erc8004Options,
) -> Result<Converted, BridgeError> {
    let card = Card::new(document);
    let whole = object(document)?;
    let ens = card.ens().ok_or(BridgeError::Member("ens"))?;
    let mut differences = Vec::new();
    let mut assumed = |pointer: &str, message: &str| {
        differences.push(Difference::new("assumed", pointer, message));
    };
    let name = card.text("display_name").unwrap_or_else(|| {
        assumed(
            "/name",
            "the card has no display_name; the ENS name is used",
        );
        ens
    });
    let description = card.text("description").unwrap_or_else(|| {
        assumed(
            "/description",
            "the card has no description; the name is used",
        );
        name
    });
    let id = card.text("$id").filter(|id| id.parse::<HttpsUrl>().is_ok());
    let endpoint = options
        .card_url
        .as_ref()
        .map(ToString::to_string)
        .or_else(|| id.map(str::to_owned));
    let endpoint = endpoint.unwrap_or_else(|| {
        assumed(
            "/services/1/endpoint",
            "the card has no https $id; its entry is used",
        );
        card.entry().unwrap_or(ens).to_owned()
    });
    let status = card.text("status").unwrap_or_default();
    let is_active = !matches!(status, "deprecated" | "revoked" | "inactive");
    let registrations = options.registrations.iter().map(|registration| {
        json!({
            "agentId": registration.agent_id,
            "agentRegistry": registration.agent_registry.to_string(),
        })
    });
    let mut service = json!({
        "name": CARD_SERVICE,
        "endpoint": endpoint,
        "card": whole,
    });
    if let Some(version) = card.version() {
        service["version"] = version.into();
    }
    let mut out = json!({
        "type": REGISTRATION_TYPE,
        "name": name,
        "description": description,
        "services": [
            {"name": "ENS", "endpoint": ens, "version": "v1"},
            service,
        ],
        "x402Support": card.entry().is_some_and(|entry| entry.starts_with("x402://")),
        "active": is_active,
        "registrations": registrations.collect::<Vec<_>>(),
    });
    match &options.image {
        Some(image) => out["image"] = image.to_string().into(),
        None => differences.push(Difference::new(
            "missing",
            "/image",
            "ERC-8004 expects a picture, which the card does not have",
        )),
    }
    if options.registrations.is_empty() {
        differences.push(Difference::new(
            "missing",
            "/registrations",
            "without a registration, nobody can check that the registry points to this file",
        ));
    }
    Ok(Converted {
        document: out,
        differences,
    })
}

/// Converts a registration file. A card that [`export_erc8004`] put into it is returned unchanged; otherwise name, description and
/// ENS service are used, and `defaults` adds the rest.
pub fn import_erc8004(
    document: &Document,
    defaults: Draft,
    config: &Config,
) -> Result<Converted, BridgeError> {
    let source = object(document)?;
    let text = |name: &str| source.get(name).and_then(Value::as_str).map(str::to_owned);
    let services = source.get("services").and_then(Value::as_array);
    let services: Vec<_> = services.into_iter().flatten().collect();
    let ens = service(&services, "ENS")
        .and_then(|service| service.get("endpoint"))
        .and_then(Value::as_str);
    let card = service(&services, CARD_SERVICE)
        .and_then(|service| service.get("card"))
        .and_then(Value::as_object);
    if let Some(card) = card {
        let mut differences = Vec::new();
        let member = |name: &str| card.get(name).and_then(Value::as_str);
        for (pointer, theirs, ours) in [
            ("/name", text("name"), "display_name"),
            ("/description", text("description"), "description"),
            ("/services", ens.map(str::to_owned), "ens"),
        ] {
            if member(ours).is_some() && theirs.as_deref() != member(ours) {
                differences.push(Difference::new(
                    "contradicts-card",
                    pointer,
                    format!("differs from \"{ours}\" of the card in the file, which is used"),
                ));
            }
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
    draft.ens = draft.ens.or_else(|| ens.map(str::to_owned));
    if draft.status.is_none() && source.get("active") == Some(&Value::Bool(false)) {
        draft.status = Some("deprecated".to_owned());
    }
    let mut links = Map::new();
    for (index, service) in services.iter().enumerate() {
        let name = service
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let endpoint = service
            .get("endpoint")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if name == "ENS" {
            continue;
        }
        if endpoint.parse::<HttpsUrl>().is_ok() && !links.contains_key(name) {
            links.insert(name.to_owned(), endpoint.into());
        } else {
            differences.push(Difference::new(
                "dropped",
                &format!("/services/{index}"),
                format!(
                    "the service \"{}\" has no https endpoint of its own",
                    excerpt(name)
                ),
            ));
        }
    }
    if !links.is_empty() {
        draft.meta.insert("links".to_owned(), Value::Object(links));
    }
    let used = "type name description services active";
    for name in source.keys() {
        if !used.split(' ').any(|used| used == name) {
            differences.push(Difference::new(
                "dropped",
                &format!("/{name}"),
                "Agent Cards have no such member",
            ));
        }
    }
    if text("type").as_deref() != Some(REGISTRATION_TYPE) {
        differences.push(Difference::new(
            "assumed",
            "/type",
            "the file does not say that it is a registration file of ERC-8004",
        ));
    }
    let (document, missing) = draft.into_card(config);
    differences.extend(missing);
    Ok(Converted {
        document,
        differences,
    })
}

/// Checks that a registration file refers back to the registry entry that points to it.
#[must_use]
pub fn check_registration(document: &Document, registration: &Registration) -> Check {
    let Some(list) = document.root().get("registrations") else {
        return Check::Mismatch {
            found: "no registrations".to_owned(),
            expected: describe(registration),
        };
    };
    let is_same = |entry: atr_manifest::Value<'_>| {
        let registry = entry
            .get("agentRegistry")
            .and_then(atr_manifest::Value::as_str);
        // Addresses are written with checksums or in lower case.
        let registry = registry.is_some_and(|registry| {
            registry.eq_ignore_ascii_case(&registration.agent_registry.to_string())
        });
        let id = entry.get("agentId");
        let id = id.and_then(|id| id.number_text().or_else(|| id.as_str()));
        registry && id.is_some_and(|id| id.parse() == Ok(registration.agent_id))
    };
    if list.elements().any(is_same) {
        Check::Match
    } else {
        Check::Mismatch {
            found: format!("{} other registrations", list.len()),
            expected: describe(registration),
        }
    }
}

fn describe(registration: &Registration) -> String {
    let Registration {
        agent_registry,
        agent_id,
    } = registration;
    format!("agent {agent_id} of {agent_registry}")
}

fn service<'a>(services: &[&'a Value], name: &str) -> Option<&'a Value> {
    let named = |service: &&&Value| service.get("name").and_then(Value::as_str) == Some(name);
    services.iter().find(named).copied()
}
