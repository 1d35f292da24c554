//! Tokens in words: symbols, amounts and prices.

use std::collections::BTreeSet;

use alloy_primitives::{Address, U256};
use atr_auth::Network;
use atr_ids::AssetId;
use atr_manifest::Price;
use atr_registry::{
    Introspection, Registry, Requirement, RequirementKind, TokenInfo,
    predicates::{erc20_balance, erc721_owner, erc1155_owner, subscription},
};
use atr_rpc::ChainProfile;
use futures_util::{StreamExt, stream};
use serde::Serialize;

use super::numbers;
use crate::args::Chain;

/// More tokens are shown by their addresses.
const MAX_TOKENS: usize = 64;

/// Tokens read at the same time.
const CONCURRENCY: usize = 8;

const USDC: (&str, u8) = ("USDC", 6);

/// The tokens that a report mentions, as they describe themselves. Except for USDC, which is in the table of chains, symbols are
/// untrusted: they are shown beside the address.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Tokens {
    #[serde(skip)]
    chain_id: u64,
    list: Vec<TokenInfo>,
}

impl Tokens {
    /// Reads symbols and decimals. A token that cannot be read is shown by its address.
    pub(crate) async fn fetch(registry: &Registry, addresses: BTreeSet<Address>) -> Self {
        let requests = addresses.into_iter().take(MAX_TOKENS);
        let infos = stream::iter(requests.map(|address| registry.token_info(address)));
        let infos = infos.buffered(CONCURRENCY);
        let list = infos.filter_map(|info| async move { info.ok() });
        Self {
            chain_id: registry.chain_id(),
            list: list.collect().await,
        }
    }

    fn info(&self, address: Address) -> Option<&TokenInfo> {
        self.list.iter().find(|info| info.address == address)
    }

    fn symbol(&self, address: Address) -> Option<&str> {
        if is_usdc(self.chain_id, address) {
            return Some(USDC.0);
        }
        self.info(address)?.symbol.as_deref()
    }

    fn decimals(&self, address: Address) -> Option<u8> {
        if is_usdc(self.chain_id, address) {
            return Some(USDC.1);
        }
        self.info(address)?.decimals
    }

    /// Symbol, standard and address: `USDC (ERC-20, 0x…)`, or `0x… (ERC-20)` without a symbol.
    fn name(&self, address: Address, standard: Option<&str>) -> String {
        match (self.symbol(address), standard) {
            (Some(symbol), Some(standard)) => format!("{symbol} ({standard}, {address})"),
            (Some(symbol), None) => format!("{symbol} ({address})"),
            (None, Some(standard)) => format!("{address} ({standard})"),
            (None, None) => address.to_string(),
        }
    }

    fn brief_name(&self, address: Address) -> String {
        match self.symbol(address) {
            Some(symbol) => format!("{symbol} {address}"),
            None => address.to_string(),
        }
    }

    /// `100 USDC (0x…)`; in base units if the decimals are not known.
    pub(crate) fn amount(&self, token: Address, amount: U256) -> String {
        self.amount_of(token, amount, None)
    }

    /// As [`Self::amount`], with the standard of the token.
    pub(crate) fn amount_of(&self, token: Address, amount: U256, standard: Option<&str>) -> String {
        let name = self.name(token, standard);
        match (self.decimals(token), self.symbol(token)) {
            (Some(decimals), Some(_)) => format!("{} {name}", numbers::amount(amount, decimals)),
            (Some(decimals), None) => format!("{} of {name}", numbers::amount(amount, decimals)),
            (None, _) => format!("{amount} base units of {name}"),
        }
    }

    /// A requirement in words.
    pub(crate) fn requirement(&self, requirement: &Requirement) -> String {
        requirement.describe(&|kind| match kind {
            RequirementKind::Erc20(erc20_balance::Requirement {
                token, min_balance, ..
            }) => Some(format!(
                "hold at least {}",
                self.amount_of(*token, *min_balance, Some("ERC-20"))
            )),
            RequirementKind::Erc721(erc721_owner::Requirement { collection }) => Some(format!(
                "hold a token of {}",
                self.name(*collection, Some("ERC-721"))
            )),
            RequirementKind::Erc1155(erc1155_owner::Requirement {
                collection,
                token_id,
            }) => Some(format!(
                "hold token {token_id} of {}",
                self.name(*collection, Some("ERC-1155"))
            )),
            RequirementKind::Subscription(subscription::Requirement {
                collection,
                min_tier,
                ..
            }) => Some(format!(
                "have an active subscription of {}, tier {min_tier} or higher",
                self.name(*collection, None)
            )),
            _ => None,
        })
    }

    /// Requirements in a few words, for a table.
    pub(crate) fn requirements_in_brief(&self, introspection: &Introspection) -> String {
        let Introspection::Known {
            logic,
            requirements,
        } = introspection
        else {
            return "unknown".to_owned();
        };
        let separator = match logic {
            atr_registry::Logic::All => " and ",
            atr_registry::Logic::Any => " or ",
        };
        let parts: Vec<_> = requirements
            .iter()
            .map(|requirement| requirement.describe(&|kind| self.brief(kind)))
            .collect();
        match parts.as_slice() {
            [] => "none reported".to_owned(),
            parts => parts.join(separator),
        }
    }

    fn brief(&self, kind: &RequirementKind) -> Option<String> {
        Some(match kind {
            RequirementKind::Erc20(erc20_balance::Requirement {
                token, min_balance, ..
            }) if is_usdc(self.chain_id, *token) => {
                format!("{} {}", numbers::amount(*min_balance, USDC.1), USDC.0)
            }
            RequirementKind::Erc20(erc20_balance::Requirement {
                token, min_balance, ..
            }) => self.amount(*token, *min_balance),
            RequirementKind::Erc721(requirement) => self.brief_name(requirement.collection),
            RequirementKind::Erc1155(requirement) => format!(
                "token {} of {}",
                requirement.token_id,
                self.brief_name(requirement.collection)
            ),
            RequirementKind::Subscription(requirement) => {
                format!("subscription {}", self.brief_name(requirement.collection))
            }
            RequirementKind::Trait(requirement) => {
                format!("trait of {}", self.brief_name(requirement.collection))
            }
            RequirementKind::Allowlist(_) => "allowlist".to_owned(),
            RequirementKind::AccessProof(_) => "signature".to_owned(),
            RequirementKind::AlwaysDeny(_) => "paused".to_owned(),
            RequirementKind::WalletStateAttestation(_) => "attestation".to_owned(),
            RequirementKind::Unknown | RequirementKind::Other | RequirementKind::Malformed => {
                "unknown".to_owned()
            }
            _ => return None,
        })
    }

    /// A price in whole units: `0.001 USDC on base`. The chain is left out if it is the tool's.
    pub(crate) fn price(&self, price: &Price) -> String {
        let asset = &price.asset;
        let chain_id = evm_chain(asset.chain());
        let other_chain = match chain_id {
            Some(id) if id == self.chain_id => String::new(),
            Some(id) => format!(" on {}", Chain::new(id)),
            None => format!(" on {}", asset.chain()),
        };
        format!("{}{other_chain}", self.price_without_chain(price))
    }

    /// A price without the chain, for a table.
    pub(crate) fn price_without_chain(&self, price: &Price) -> String {
        let (amount, asset) = (price.amount, &price.asset);
        match (
            evm_chain(asset.chain()),
            asset.namespace(),
            asset.token_id(),
        ) {
            (Some(id), "erc20", None) => {
                // Asset ids have valid addresses.
                let token = asset.reference().parse().unwrap_or_default();
                if is_usdc(id, token) {
                    return format!("{} {}", numbers::amount(amount, USDC.1), USDC.0);
                }
                if id == self.chain_id {
                    return self.amount(token, amount);
                }
                format!("{amount} base units of {token}")
            }
            (Some(id), "slip44", None) if asset.reference() == "60" => {
                let currency = ChainProfile::by_id(id).map_or("ETH", |chain| chain.currency);
                format!("{} {currency}", numbers::amount(amount, 18))
            }
            _ => format!(
                "{amount} base units of {}",
                atr_ids::excerpt(asset.as_str())
            ),
        }
    }
}

fn usdc(chain_id: u64) -> Option<Address> {
    let known = Network::from_chain_id(chain_id)?.known()?;
    Some(known.usdc?.address)
}

fn is_usdc(chain_id: u64, token: Address) -> bool {
    usdc(chain_id) == Some(token)
}

fn evm_chain(caip2: &str) -> Option<u64> {
    caip2.strip_prefix("eip155:")?.parse().ok()
}

/// The tokens of requirements.
pub(crate) fn tokens_of_requirements(introspection: &Introspection) -> BTreeSet<Address> {
    fn collect(requirement: &Requirement, found: &mut BTreeSet<Address>) {
        match &requirement.decoded {
            RequirementKind::Erc20(requirement) => {
                found.insert(requirement.token);
            }
            RequirementKind::Erc721(requirement) => {
                found.insert(requirement.collection);
            }
            RequirementKind::Erc1155(requirement) => {
                found.insert(requirement.collection);
            }
            RequirementKind::Subscription(requirement) => {
                found.insert(requirement.collection);
            }
            RequirementKind::Trait(requirement) => {
                found.insert(requirement.collection);
            }
            RequirementKind::Negated(inner) => collect(inner, found),
            RequirementKind::Nested { requirements, .. } => {
                requirements.iter().for_each(|inner| collect(inner, found));
            }
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    if let Introspection::Known { requirements, .. } = introspection {
        requirements
            .iter()
            .for_each(|requirement| collect(requirement, &mut found));
    }
    found
}

/// The tokens of prices on a chain.
pub(crate) fn tokens_of_prices(prices: &[Price], chain_id: u64) -> BTreeSet<Address> {
    let token = |asset: &AssetId| {
        let is_token = evm_chain(asset.chain()) == Some(chain_id) && asset.namespace() == "erc20";
        is_token.then(|| asset.reference().parse().ok()).flatten()
    };
    prices
        .iter()
        .filter_map(|price| token(&price.asset))
        .collect()
}

#[cfg(test)]
mod tests {
    use alloy_primitives::address;

    use super::*;

    const TOKEN: Address = address!("0x00000000000000000000000000000000000000aa");
    const BASE_USDC: &str = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";

    fn tokens(chain_id: u64) -> Tokens {
        Tokens {
            chain_id,
            list: vec![TokenInfo {
                address: TOKEN,
                symbol: Some("USDC".to_owned()),
                decimals: Some(2),
                total_supply: None,
            }],
        }
    }

    fn price(asset: &str, amount: u64) -> Price {
        Price {
            amount: U256::from(amount),
            asset: asset.parse().unwrap(),
            recipient: format!("eip155:8453:{TOKEN:#x}").parse().unwrap(),
            protocol: "x402".to_owned(),
        }
    }

    #[test]
    fn prices_are_shown_in_whole_units() {
        let token = format!("eip155:8453/erc20:{TOKEN:#x}");
        for (chain, asset, expected) in [
            (8453, BASE_USDC, "0.0015 USDC".to_owned()),
            (1, BASE_USDC, "0.0015 USDC on base".to_owned()),
            // A symbol that is not in the table never stands alone.
            (8453, &token, format!("15 USDC ({TOKEN})")),
            (1, &token, format!("1500 base units of {TOKEN} on base")),
            (
                143,
                "eip155:143/slip44:60",
                "0.0000000000000015 MON".to_owned(),
            ),
            (
                1,
                "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501",
                "1500 base units of solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501 on \
                 solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
                    .to_owned(),
            ),
        ] {
            assert_eq!(tokens(chain).price(&price(asset, 1500)), expected);
        }
    }

    #[test]
    fn requirements_have_amounts_and_symbols() {
        let requirement = |kind: RequirementKind| Requirement {
            kind: Default::default(),
            data: Default::default(),
            label: String::new(),
            decoded: kind,
        };
        let balance = |token| {
            requirement(
                erc20_balance::Requirement {
                    token,
                    min_balance: U256::from(250),
                    stipend: None,
                }
                .into(),
            )
        };
        let collection = Address::repeat_byte(0x72);
        let known = |requirements| Introspection::Known {
            logic: atr_registry::Logic::Any,
            requirements,
        };
        let nft = requirement(erc721_owner::Requirement { collection }.into());
        let tokens = tokens(8453);
        assert_eq!(
            tokens.requirement(&balance(TOKEN)),
            format!("hold at least 2.5 USDC (ERC-20, {TOKEN})")
        );
        assert_eq!(
            tokens.requirement(&balance(collection)),
            format!("hold at least 250 base units of {collection} (ERC-20)")
        );
        let both = known(vec![nft, balance(TOKEN)]);
        assert_eq!(
            tokens.requirements_in_brief(&both),
            format!("{collection} or 2.5 USDC ({TOKEN})")
        );
        assert_eq!(
            tokens_of_requirements(&both),
            BTreeSet::from([TOKEN, collection])
        );
        let usdc = usdc(8453).unwrap();
        assert_eq!(
            tokens.requirements_in_brief(&known(vec![balance(usdc)])),
            "0.00025 USDC"
        );
    }
}
