//! Compares the price that an endpoint asks for with the manifest's.

use std::collections::BTreeSet;

use atr_auth::Challenge;
use atr_fetch::{Limits, SafeHttpClient};
use atr_ids::HttpsUrl;
use atr_store::index::Listing;
use serde::Serialize;

/// The longest 402 that is read.
const MAX_BYTES: usize = 64 * 1024;

/// Result of a probe.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Probe {
    /// `honest`, `differs`, `no-price` (the endpoint asks for no payment), or `unknown`.
    result: &'static str,
    /// HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// Prices of the endpoint that are not in the manifest: amount, CAIP-19 asset, recipient.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_in_manifest: Vec<String>,
    /// Prices of the manifest that the endpoint does not ask for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_asked_for: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Calls the endpoint once, with an empty body and without credentials. An open tool without prices is never called.
pub(crate) async fn run(
    client: &SafeHttpClient,
    listing: &Listing,
    is_gated: bool,
) -> Option<String> {
    if !is_gated && listing.prices.is_empty() {
        return None;
    }
    let endpoint: HttpsUrl = listing.endpoint.as_deref()?.parse().ok()?;
    let client = client.clone().with_limits(Limits {
        max_body_bytes: MAX_BYTES,
        ..Limits::MANIFEST
    });
    let probe = match client.post(&endpoint, &[], Vec::new()).await {
        Err(error) => Probe {
            result: "unknown",
            status: None,
            not_in_manifest: Vec::new(),
            not_asked_for: Vec::new(),
            error: Some(error.to_string()),
        },
        Ok(response) => compare(
            listing,
            response.status,
            response.header("payment-required"),
            &response.body,
        ),
    };
    serde_json::to_string(&probe).ok()
}

fn compare(listing: &Listing, status: u16, header: Option<&[u8]>, body: &[u8]) -> Probe {
    let mut probe = Probe {
        result: "unknown",
        status: Some(status),
        not_in_manifest: Vec::new(),
        not_asked_for: Vec::new(),
        error: None,
    };
    if status != 402 {
        probe.result = "no-price";
        return probe;
    }
    let challenge = match Challenge::decode(header, body) {
        Ok(challenge) => challenge,
        Err(error) => {
            probe.error = Some(error.to_string());
            return probe;
        }
    };
    let asked: BTreeSet<_> = challenge
        .requirements
        .iter()
        .map(|price| {
            let chain = price.network.chain_id();
            format!(
                "{} eip155:{chain}/erc20:{:#x} to {:#x}",
                price.amount, price.asset, price.pay_to
            )
        })
        .collect();
    let listed: BTreeSet<_> = listing
        .prices
        .iter()
        .map(|price| {
            let recipient = price.recipient.rsplit(':').next().unwrap_or_default();
            format!("{} {} to {recipient}", price.amount, price.asset).to_lowercase()
        })
        .collect();
    probe.not_in_manifest = asked.difference(&listed).cloned().collect();
    probe.not_asked_for = listed.difference(&asked).cloned().collect();
    probe.result = if probe.not_in_manifest.is_empty() {
        "honest"
    } else {
        "differs"
    };
    probe
}

#[cfg(test)]
mod tests {
    use atr_store::index::ListedPrice;

    use super::*;

    const TOKEN: &str = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
    const PAYEE: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

    fn listing(amount: &str) -> Listing {
        Listing {
            prices: vec![ListedPrice {
                amount: amount.to_owned(),
                asset: format!("eip155:8453/erc20:{TOKEN}"),
                recipient: format!("eip155:8453:{PAYEE}"),
                protocol: "x402".to_owned(),
            }],
            ..Listing::default()
        }
    }

    fn body(amount: &str) -> String {
        format!(
            r#"{{ "x402Version": 1, "accepts": [{{ "scheme": "exact", "network": "base", "maxAmountRequired": "{amount}",
                "asset": "{TOKEN}", "payTo": "{PAYEE}", "resource": "https://a.example", "description": "",
                "mimeType": "", "maxTimeoutSeconds": 60 }}] }}"#
        )
    }

    #[test]
    fn a_higher_price_than_the_manifest_says_is_shown() {
        let honest = compare(&listing("1000"), 402, None, body("1000").as_bytes());
        assert_eq!(
            (honest.result, honest.not_asked_for.len()),
            ("honest", 0),
            "{honest:?}"
        );
        let dishonest = compare(&listing("1000"), 402, None, body("9000").as_bytes());
        assert_eq!(dishonest.result, "differs");
        assert_eq!(
            dishonest.not_in_manifest,
            [format!("9000 eip155:8453/erc20:{TOKEN} to {PAYEE}")]
        );
        assert_eq!(compare(&listing("1000"), 200, None, b"").result, "no-price");
        assert_eq!(compare(&listing("1000"), 402, None, b"x").result, "unknown");
    }
}
