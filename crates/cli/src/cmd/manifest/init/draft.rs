//! A new manifest.

use std::path::{Path, PathBuf};

use alloy_primitives::U256;
use atr_auth::{Network, Token};
use atr_ids::{HttpsUrl, MetadataUri, Slug};
use atr_manifest::{MANIFEST_TYPE, to_nfc};
use atr_rpc::CHAINS;
use icu_normalizer::DecomposingNormalizer;
use serde::Serialize;

use super::super::report::{RoleArg, ValidationReport};
use crate::{
    args::{AddressArg, Chain, InvalidValue, TokenAmount},
    error::Error,
    output::{Palette, Report, write_new},
};

/// Values from flags or prompts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) endpoint: Option<String>,
    pub(crate) creator_address: Option<String>,
    pub(crate) slug: Option<String>,
    pub(crate) tags: Vec<String>,
    /// In USDC; none for a free tool.
    pub(crate) price: Option<String>,
    pub(crate) recipient: Option<String>,
    /// Of payments.
    pub(crate) chain: Option<Chain>,
}

/// A manifest and its URL.
#[derive(Debug)]
pub(crate) struct Draft {
    manifest: NewManifest,
    uri: MetadataUri,
}

/// Fields in reading order.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct NewManifest {
    r#type: &'static str,
    name: String,
    description: String,
    version: &'static str,
    endpoint: String,
    creator_address: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pricing: Option<[Price; 1]>,
    inputs: Schema,
    outputs: Schema,
}

/// An entry of `pricing`.
#[derive(Debug, Serialize)]
struct Price {
    /// In base units of the asset.
    amount: String,
    /// CAIP-19.
    asset: String,
    /// CAIP-10.
    recipient: String,
    protocol: &'static str,
}

/// JSON Schema of an object without properties.
#[derive(Debug, Default, Serialize)]
struct Schema {
    r#type: Object,
    properties: Empty,
}

#[derive(Debug, Default, Serialize)]
enum Object {
    #[default]
    #[serde(rename = "object")]
    Object,
}

#[derive(Debug, Default, Serialize)]
struct Empty {}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WrittenManifest {
    file: PathBuf,
    manifest_url: String,
    hash: Option<String>,
}

impl Draft {
    /// The error lists all missing values.
    pub(crate) fn from_fields(fields: Fields) -> Result<Self, Error> {
        let required = [
            ("--name", &fields.name),
            ("--description", &fields.description),
            ("--endpoint", &fields.endpoint),
            ("--creator-address", &fields.creator_address),
        ];
        let flags: Vec<_> = required
            .iter()
            .filter(|(_, value)| value.is_none())
            .map(|(flag, _)| *flag)
            .collect();
        let Fields {
            name: Some(name),
            description: Some(description),
            endpoint: Some(endpoint),
            creator_address: Some(creator_address),
            slug,
            tags,
            price,
            recipient,
            chain,
        } = fields
        else {
            return Err(Error::MissingFields { flags });
        };
        let endpoint = parse_endpoint(&endpoint)?;
        let creator_address = parse_creator(&creator_address)?;
        let pricing = match (price, &recipient) {
            (Some(price), recipient) => {
                let recipient = recipient.as_deref().map(parse_recipient).transpose()?;
                let recipient = recipient.unwrap_or_else(|| creator_address.clone());
                Some([Price::try_new(&price, &recipient, chain)?])
            }
            (None, Some(_)) => {
                return Err(Error::InvalidField {
                    flag: "--recipient",
                    reason: "a free tool has no recipient; use --price".to_owned(),
                });
            }
            (None, None) => None,
        };
        let slug = match slug {
            Some(slug) => parse_slug(&slug)?,
            None => default_slug(&name).ok_or_else(|| Error::InvalidField {
                flag: "--slug",
                reason: "cannot be derived from the name; use a-z, 0-9 and inner hyphens"
                    .to_owned(),
            })?,
        };
        Ok(Self {
            uri: MetadataUri::new(endpoint.origin().clone(), slug),
            manifest: NewManifest {
                r#type: MANIFEST_TYPE,
                name: to_nfc(&name).into_owned(),
                description: to_nfc(&description).into_owned(),
                version: "1.0.0",
                endpoint: endpoint.to_string(),
                creator_address,
                tags,
                pricing,
                inputs: Schema::default(),
                outputs: Schema::default(),
            },
        })
    }

    /// Writes the file atomically. The inner error reports an invalid manifest.
    pub(crate) fn write(
        &self,
        file: Option<&Path>,
    ) -> Result<Result<WrittenManifest, ValidationReport>, Error> {
        let mut text =
            serde_json::to_string_pretty(&self.manifest).expect("strings and objects only");
        text.push('\n');
        let report = ValidationReport::check(
            "manifest".to_owned(),
            None,
            text.as_bytes(),
            RoleArg::Producer,
        );
        if !report.is_valid() {
            return Ok(Err(report));
        }
        let file = match file {
            Some(file) => file.to_owned(),
            None => PathBuf::from(format!("{}.json", self.uri.slug())),
        };
        write_new(&file, text.as_bytes())?;
        Ok(Ok(WrittenManifest {
            file,
            manifest_url: self.uri.to_string(),
            hash: report.into_hash(),
        }))
    }
}

pub(super) fn parse_endpoint(text: &str) -> Result<HttpsUrl, Error> {
    HttpsUrl::from_unicode(text).map_err(|error| Error::InvalidField {
        flag: "--endpoint",
        reason: error.to_string(),
    })
}

pub(super) fn parse_slug(text: &str) -> Result<Slug, Error> {
    text.parse()
        .map_err(|error: atr_ids::Error| Error::InvalidField {
            flag: "--slug",
            reason: error.to_string(),
        })
}

impl Price {
    fn try_new(amount: &str, recipient: &str, chain: Option<Chain>) -> Result<Self, Error> {
        let amount = parse_price(amount)?;
        let chain = chain.ok_or_else(|| no_usdc("the chain of payments is not known"))?;
        let usdc = usdc(chain.id());
        let usdc = usdc.ok_or_else(|| no_usdc(&format!("no USDC is known on {chain}")))?;
        let chain = chain.caip2();
        Ok(Self {
            amount: amount.to_string(),
            asset: format!("{chain}/erc20:{:#x}", usdc.address()),
            recipient: format!("{chain}:{recipient}"),
            protocol: "x402",
        })
    }
}

/// Decimals of USDC on all chains of the table.
const USDC_DECIMALS: u8 = 6;

fn usdc(chain_id: u64) -> Option<Token> {
    Network::from_chain_id(chain_id).and_then(Token::usdc)
}

fn no_usdc(reason: &str) -> Error {
    let chains = CHAINS.iter().filter(|chain| usdc(chain.id).is_some());
    let names: Vec<_> = chains.map(|chain| chain.name).collect();
    Error::InvalidField {
        flag: "--price",
        reason: format!(
            "{reason}; use --chain with one of {}, or write `pricing` into the manifest by hand",
            names.join(", ")
        ),
    }
}

/// Returns the price in base units of USDC.
pub(super) fn parse_price(text: &str) -> Result<U256, Error> {
    let invalid = |reason: String| Error::InvalidField {
        flag: "--price",
        reason,
    };
    let amount = text.parse::<TokenAmount>();
    let amount = amount.and_then(|amount| amount.to_units(USDC_DECIMALS));
    let amount = amount.map_err(|error| invalid(error.to_string()))?;
    if amount.is_zero() {
        return Err(invalid("a free tool has no price".to_owned()));
    }
    Ok(amount)
}

/// Returns the address in lower case, as manifests require.
pub(super) fn parse_recipient(text: &str) -> Result<String, Error> {
    parse_account(text, "--recipient", "the zero address cannot be paid")
}

/// Returns the address in lower case, as manifests require.
pub(super) fn parse_creator(text: &str) -> Result<String, Error> {
    parse_account(
        text,
        "--creator-address",
        "the zero address cannot register a tool",
    )
}

fn parse_account(text: &str, flag: &'static str, zero: &str) -> Result<String, Error> {
    let invalid = |reason: String| Error::InvalidField { flag, reason };
    let AddressArg(address) = text
        .parse()
        .map_err(|error: InvalidValue| invalid(error.to_string()))?;
    if address.is_zero() {
        return Err(invalid(zero.to_owned()));
    }
    Ok(format!("{address:#x}"))
}

/// Slug of the name; `None` if letters would be lost. Accents are removed: `Café` becomes `cafe`.
pub(super) fn default_slug(name: &str) -> Option<Slug> {
    let decomposed = DecomposingNormalizer::new_nfd().normalize(name);
    // Marks follow the letter they belong to.
    let letters = decomposed.chars().filter(|character| !is_mark(*character));
    let letters: String = letters.collect();
    if letters
        .chars()
        .any(|letter| letter.is_alphanumeric() && !letter.is_ascii())
    {
        return None;
    }
    let words: Vec<_> = letters
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let slug = words.join("-").to_ascii_lowercase();
    let truncated = &slug[..slug.len().min(atr_ids::MAX_SLUG_CHARACTERS)];
    truncated.trim_end_matches('-').parse().ok()
}

/// Combining diacritical marks, into which accents decompose.
const fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

impl Report for WrittenManifest {
    fn render(&self, palette: &Palette) -> String {
        let (file, url) = (self.file.display(), &self.manifest_url);
        format!(
            "{} {file}\n\nNext steps:\n  \
             1.  Complete inputs and outputs (JSON Schema), then check the file:\n      \
             atr manifest validate {file}\n  \
             2.  Serve it at {url}\n      \
             as application/json, in UTF-8 without BOM and without redirects.\n  \
             3.  Register the tool:\n      \
             atr tool register {url}\n",
            palette.heading("Wrote"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_keeps_all_letters_of_the_name() {
        let slug = |name: &str| default_slug(name).map(|slug| slug.to_string());
        for (name, expected) in [
            ("NFT price oracle", Some("nft-price-oracle")),
            ("Café à Zürich", Some("cafe-a-zurich")),
            ("Prices (v2)!", Some("prices-v2")),
            ("東京 weather", None),
            ("Straße", None),
            ("…", None),
            ("", None),
        ] {
            assert_eq!(slug(name).as_deref(), expected, "{name}");
        }
    }
}
