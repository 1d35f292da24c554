//! Parameters of requests. Errors name the parameter and the rule.

use alloy_primitives::{Address, U256};
use atr_ids::{AssetId, parse_decimal};
use atr_store::index::{AccessType, RegistryKey, ToolKey};
use url::form_urlencoded;

use crate::{
    Failure,
    catalog::{ListParameters, ListSort, PriceLimit, SearchParameters, SearchSort, Source},
    model::usdc_assets,
};

/// Longest texts, in characters.
const MAX_QUERY: usize = 512;
const MAX_TAG: usize = 64;
const MAX_FILTER_TAGS: usize = 10;

const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 200;

const ACCESS_TYPES: &str = "must be open, nft_gated, token_gated, subscription or gated";

/// The query of a URL. Unknown parameters are ignored: clients of other servers send more.
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn parse(query: Option<&str>) -> Self {
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        Self(pairs.into_owned().collect())
    }

    /// `None` if it is absent or empty.
    fn one(&self, name: &str) -> Result<Option<&str>, Failure> {
        let mut values = self.all(name);
        let value = values.next();
        match values.next() {
            Some(_) => Err(Failure::invalid(name, "must not be repeated")),
            None => Ok(value),
        }
    }

    fn all<'a, 'b>(&'a self, name: &'b str) -> impl Iterator<Item = &'a str> + use<'a, 'b> {
        let values = self.0.iter().filter(move |(key, _)| key == name);
        values
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    fn parsed<T>(
        &self,
        name: &str,
        rule: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        let Some(text) = self.one(name)? else {
            return Ok(None);
        };
        parse(text)
            .map(Some)
            .ok_or_else(|| Failure::invalid(name, rule))
    }

    fn text(&self, name: &str, max: usize) -> Result<Option<String>, Failure> {
        let rule = format!("must be at most {max} characters long");
        self.parsed(name, &rule, |text| {
            (text.chars().count() <= max).then(|| text.to_owned())
        })
    }

    fn flag(&self, name: &str) -> Result<Option<bool>, Failure> {
        self.parsed(name, "must be true or false", |text| match text {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        })
    }

    fn number(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<u32>,
    ) -> Result<Option<u32>, Failure> {
        let rule = format!("must be a number from {} to {}", range.start(), range.end());
        let parse = |text: &str| text.parse().ok().filter(|number| range.contains(number));
        self.parsed(name, &rule, parse)
    }

    pub(super) fn limit(&self, max: u32, default: u32) -> Result<u32, Failure> {
        Ok(self.number("limit", 1..=max)?.unwrap_or(default))
    }

    pub(super) fn offset(&self) -> Result<u32, Failure> {
        Ok(self.number("offset", 0..=1_000_000)?.unwrap_or(0))
    }

    fn address(&self, name: &str) -> Result<Option<Address>, Failure> {
        self.parsed(name, "must be 0x and 40 hexadecimal digits", address)
    }

    fn access_types(&self, name: &str) -> Result<Vec<AccessType>, Failure> {
        let types = self.parsed(name, ACCESS_TYPES, |text| match text {
            "open" => Some(vec![AccessType::Open]),
            "nft_gated" => Some(vec![AccessType::NftGated]),
            "token_gated" => Some(vec![AccessType::TokenGated]),
            "subscription" => Some(vec![AccessType::Subscription]),
            "gated" => Some(vec![
                AccessType::Gated,
                AccessType::NftGated,
                AccessType::TokenGated,
                AccessType::Subscription,
            ]),
            _ => None,
        })?;
        Ok(types.unwrap_or_default())
    }

    fn source(&self) -> Result<Option<Source>, Failure> {
        self.parsed(
            "source",
            "must be onchain, x402_bazaar or x402_bankr",
            |text| match text {
                "onchain" => Some(Source::Onchain),
                "x402_bazaar" | "x402_bankr" => Some(Source::Other),
                _ => None,
            },
        )
    }

    fn chain(&self) -> Result<Option<u64>, Failure> {
        self.parsed("registry_chain", CHAIN_RULE, chain)
    }

    fn cursor(&self) -> Result<Option<String>, Failure> {
        self.text("cursor", 1024)
    }

    pub(super) fn list(&self) -> Result<ListParameters, Failure> {
        let sort = self.parsed("sort_by", "must be newest or oldest", |text| match text {
            "newest" => Some(ListSort::Newest),
            "oldest" => Some(ListSort::Oldest),
            _ => None,
        })?;
        Ok(ListParameters {
            sort_by: sort.unwrap_or_default(),
            access_types: self.access_types("type")?,
            registry_chain: self.chain()?,
            creator: self.address("creator")?,
            tag: self.text("tag", MAX_TAG)?,
            include_unverified: self.flag("include_unverified")?.unwrap_or(false),
            include_deregistered: self.flag("include_deregistered")?.unwrap_or(false),
            source: self.source()?,
            limit: self.limit(MAX_LIMIT, DEFAULT_LIMIT)?,
            cursor: self.cursor()?,
        })
    }

    pub(super) fn search(&self) -> Result<SearchParameters, Failure> {
        let sort = self.parsed(
            "sort_by",
            "must be relevance, newest or most_used",
            |text| match text {
                "relevance" => Some(SearchSort::Relevance),
                "newest" => Some(SearchSort::Newest),
                "most_used" => Some(SearchSort::MostUsed),
                _ => None,
            },
        )?;
        Ok(SearchParameters {
            query: self.text("query", MAX_QUERY)?.unwrap_or_default(),
            registry_chain: self.chain()?,
            tags: self.tags()?,
            access_types: self.access_types("access_type")?,
            creator: self.address("creator")?,
            source: self.source()?,
            collection: self.text("collection", 256)?,
            max_price: self.max_price()?,
            price_asset: (),
            callable_by: self.address("callable_by")?,
            include_unverified: self.flag("include_unverified")?.unwrap_or(false),
            sort_by: sort.unwrap_or_default(),
            include_details: self.flag("include_details")?.unwrap_or(true),
            limit: self.limit(MAX_LIMIT, DEFAULT_LIMIT)?,
            cursor: self.cursor()?,
        })
    }

    /// Repeated or separated by commas.
    fn tags(&self) -> Result<Vec<String>, Failure> {
        let tags = self.all("tags").flat_map(|tags| tags.split(','));
        let tags: Vec<_> = tags
            .map(str::trim)
            .filter(|tag| !tag.is_empty())
            .take(MAX_FILTER_TAGS + 1)
            .collect();
        if tags.len() > MAX_FILTER_TAGS || tags.iter().any(|tag| tag.chars().count() > MAX_TAG) {
            let rule =
                format!("must be at most {MAX_FILTER_TAGS} tags of at most {MAX_TAG} characters");
            return Err(Failure::invalid("tags", rule));
        }
        Ok(tags.into_iter().map(str::to_owned).collect())
    }

    fn max_price(&self) -> Result<Option<PriceLimit>, Failure> {
        let rule =
            "must be a CAIP-19 asset id, such as eip155:8453/erc20:0x8335…2913 in lower case";
        let asset = self.parsed("price_asset", rule, |text| text.parse::<AssetId>().ok())?;
        let Some(asset) = asset else {
            let rule = "must be an amount of USDC with at most 6 decimals, such as 0.01";
            let amount = self.parsed("max_price", rule, usdc)?;
            return Ok(amount.map(|amount| PriceLimit {
                assets: usdc_assets(),
                amount,
            }));
        };
        let rule = "must be a decimal integer in base units of price_asset";
        let amount = self.parsed("max_price", rule, |text| parse_decimal(text).ok())?;
        let rule = "is required with price_asset";
        let amount = amount.ok_or_else(|| Failure::invalid("max_price", rule))?;
        Ok(Some(PriceLimit {
            assets: vec![asset.as_str().to_owned()],
            amount,
        }))
    }

    pub(super) fn include_unverified(&self) -> Result<bool, Failure> {
        Ok(self.flag("include_unverified")?.unwrap_or_default())
    }

    /// Where to start in the change feed.
    pub(super) fn start(&self) -> Result<Start, Failure> {
        let rule = "must be `next` of the previous page";
        if let Some(sequence) = self.parsed("cursor", rule, |text| text.parse().ok())? {
            return Ok(Start::After(sequence));
        }
        let rule = "must be a time such as 2026-11-18T10:00:00Z, or seconds since 1970";
        let time = self.parsed("updated_since", rule, crate::text::parse_time)?;
        Ok(time.map_or(Start::After(0), Start::Since))
    }
}

/// A position of the change feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    After(u64),
    Since(u64),
}

const CHAIN_RULE: &str = "must be an EIP-155 chain id, such as 8453";

fn chain(text: &str) -> Option<u64> {
    let text = text.strip_prefix("eip155:").unwrap_or(text);
    parse_decimal(text)
        .ok()?
        .try_into()
        .ok()
        .filter(|chain| *chain > 0)
}

/// Upper and lower case: clients send checksums, too.
pub(crate) fn address(text: &str) -> Option<Address> {
    text.starts_with("0x").then(|| text.parse().ok())?
}

fn usdc(text: &str) -> Option<U256> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty()
        || whole.len() > 60
        || fraction.len() > 6
        || !is_digits(whole)
        || !is_digits(fraction)
    {
        return None;
    }
    format!("{whole}{fraction:0<6}").parse().ok()
}

/// The tool of a path.
pub(crate) fn tool_key(chain_text: &str, registry: &str, id: &str) -> Result<ToolKey, Failure> {
    let chain_id =
        chain(chain_text).ok_or_else(|| Failure::invalid("registry_chain", CHAIN_RULE))?;
    let rule = "must be 0x and 40 hexadecimal digits";
    let address = address(registry).ok_or_else(|| Failure::invalid("registry_addr", rule))?;
    let rule = "must be a decimal integer of at most 256 bits";
    let id = parse_decimal(id).map_err(|_| Failure::invalid("tool_id", rule))?;
    Ok(ToolKey {
        registry: RegistryKey { chain_id, address },
        id,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query {
        Query::parse(Some(text))
    }

    #[test]
    fn errors_name_the_parameter_and_the_rule() {
        for (text, parameter) in [
            ("limit=0", "limit"),
            ("limit=201", "limit"),
            ("limit=99999999999999999999", "limit"),
            ("limit=1&limit=2", "limit"),
            ("sort_by=price", "sort_by"),
            ("registry_chain=base", "registry_chain"),
            ("registry_chain=0", "registry_chain"),
            ("creator=0x12", "creator"),
            (
                "creator=d8da6bf26964af9d7eed9e03e53415d37aa96045",
                "creator",
            ),
            ("access_type=secret", "access_type"),
            ("source=bank", "source"),
            ("include_unverified=yes", "include_unverified"),
            ("max_price=-1", "max_price"),
            ("max_price=0.0000001", "max_price"),
            ("max_price=1e6", "max_price"),
            (
                "price_asset=eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
                "max_price",
            ),
            ("price_asset=usdc&max_price=1", "price_asset"),
            ("callable_by=me", "callable_by"),
        ] {
            let error = query(text).search().unwrap_err();
            let Failure::Invalid {
                parameter: found,
                rule,
            } = error
            else {
                panic!("{text}")
            };
            assert_eq!(found, parameter, "{text}");
            assert!(
                rule.starts_with("must") || rule.starts_with("is required"),
                "{rule}"
            );
        }
        let long = format!("query={}", "x".repeat(513));
        assert!(matches!(
            query(&long).search(),
            Err(Failure::Invalid { .. })
        ));
        let tags = format!("tags={}", "a,".repeat(11));
        assert!(matches!(
            query(&tags).search(),
            Err(Failure::Invalid { .. })
        ));
    }

    #[test]
    fn reads_what_clients_send() {
        let parameters = query(
            "query=nft+price&tags=a,b&tags=c&limit=200&unknown=1&access_type=gated&registry_chain=8453",
        );
        let parameters = parameters.search().unwrap();
        assert_eq!(parameters.query, "nft price");
        assert_eq!(parameters.tags, ["a", "b", "c"]);
        assert_eq!(
            (parameters.limit, parameters.registry_chain),
            (200, Some(8453))
        );
        assert_eq!(parameters.access_types.len(), 4);
        assert!(parameters.include_details && !parameters.include_unverified);
        let empty = query("query=&cursor=&limit=").search().unwrap();
        assert_eq!(
            (empty.query.as_str(), empty.cursor, empty.limit),
            ("", None, 20)
        );
        let price = query("max_price=0.01").search().unwrap().max_price.unwrap();
        assert_eq!(price.amount, U256::from(10_000));
        assert!(
            price
                .assets
                .iter()
                .any(|asset| asset.starts_with("eip155:8453/erc20:0x8335"))
        );
    }
}
