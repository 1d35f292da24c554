//! Discovery of paid resources: the bazaar extension of a challenge, and the well-known document of an origin.

use atr_auth::{Json, JsonObject, Offers, x402::Resource};
use atr_manifest::Manifest;
use serde_json::json;

/// The well-known paths of the document. The second is that of older crawlers.
pub const DISCOVERY_PATHS: [&str; 2] = ["/.well-known/x402.json", "/.well-known/x402"];

/// The resource that a manifest describes, with the URL of its endpoint.
#[must_use]
pub fn resource(manifest: &Manifest) -> Resource {
    Resource {
        description: Some(manifest.description().to_owned()),
        mime_type: Some("application/json".to_owned()),
        service_name: Some(manifest.name().to_owned()),
        tags: manifest.tags().iter().map(ToString::to_string).collect(),
        ..Resource::new(manifest.endpoint().to_string())
    }
}

/// Schemas above this size are left out of a challenge: it is a header, and Node accepts 16 KiB of headers in all.
const MAX_SCHEMA_BYTES: usize = 4096;

/// The extensions of a challenge: `bazaar`, with the input and output schemas of the manifest. Facilitators catalog it.
#[must_use]
pub fn extensions(manifest: &Manifest) -> JsonObject {
    let (inputs, outputs) = schemas(manifest);
    if inputs.to_string().len() + outputs.to_string().len() > MAX_SCHEMA_BYTES {
        return bazaar(json!({}), json!({}));
    }
    bazaar(inputs, outputs)
}

fn bazaar(inputs: Json, outputs: Json) -> JsonObject {
    let bazaar = json!({
        "info": {
            "input": { "type": "http", "method": "POST", "bodyType": "json" },
            "output": { "type": "json" },
        },
        "schema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "input": {
                    "type": "object",
                    "properties": {
                        "type": { "type": "string", "const": "http" },
                        "method": { "type": "string", "enum": ["POST"] },
                        "bodyType": { "type": "string", "const": "json" },
                        "body": inputs,
                    },
                    "required": ["type", "method", "bodyType"],
                    "additionalProperties": false,
                },
                "output": {
                    "type": "object",
                    "properties": { "type": { "type": "string" }, "example": outputs },
                    "required": ["type"],
                },
            },
            "required": ["input"],
        },
    });
    JsonObject::from_iter([("bazaar".to_owned(), bazaar)])
}

/// The document at [`DISCOVERY_PATHS`]: the URLs of all resources for crawlers, and how each is paid for.
#[must_use]
pub fn document<'a>(tools: impl IntoIterator<Item = (&'a Manifest, &'a Offers)>) -> Json {
    let mut resources = Vec::new();
    let mut items = Vec::new();
    for (manifest, offers) in tools {
        let resource = resource(manifest);
        let (inputs, outputs) = schemas(manifest);
        resources.push(resource.url.clone());
        let accepts: Vec<_> = offers.iter().map(atr_auth::Offer::to_v2).collect();
        items.push(json!({
            "type": "http",
            "x402Version": 2,
            "resource": resource,
            "accepts": accepts,
            "extensions": bazaar(inputs, outputs),
        }));
    }
    json!({ "version": 1, "resources": resources, "items": items })
}

/// The schemas of input and output. The manifest was parsed strictly, so `serde_json` reads the same values.
fn schemas(manifest: &Manifest) -> (Json, Json) {
    let mut document: Json = serde_json::from_str(manifest.document().text()).unwrap_or_default();
    (document["inputs"].take(), document["outputs"].take())
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, U256};
    use atr_auth::{Network, Offer, Token};
    use atr_manifest::Policy;

    use super::*;

    #[test]
    fn lists_the_endpoint_with_its_price_and_schemas() {
        let manifest = r#"{
            "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
            "name": "oracle",
            "description": "Returns prices.",
            "endpoint": "https://tools.example.com/oracle",
            "inputs": { "type": "object", "required": ["collection"] },
            "outputs": { "type": "object" },
            "creatorAddress": "0xabcdefabcdef1234567890abcdefabcdef123456"
        }"#;
        let manifest = Manifest::parse(manifest, Policy::producer()).unwrap();
        let usdc = Token::usdc(Network::from_v1_name("base").unwrap()).unwrap();
        let offer = Offer::new(usdc, U256::from(10_000), Address::repeat_byte(1));
        let offers = Offers::new(vec![offer]).unwrap();
        let document = document([(&manifest, &offers)]);
        assert_eq!(
            document["resources"],
            json!(["https://tools.example.com/oracle"])
        );
        let item = &document["items"][0];
        assert_eq!(item["resource"]["description"], "Returns prices.");
        assert_eq!(item["accepts"][0]["amount"], "10000");
        assert_eq!(item["accepts"][0]["network"], "eip155:8453");
        let schema = &item["extensions"]["bazaar"]["schema"];
        let body = &schema["properties"]["input"]["properties"]["body"];
        assert_eq!(body["required"], json!(["collection"]));
    }
}
