//! The price of a tool, as its verified manifest states it.

use alloy_primitives::{Address, U256};
use atr_auth::{Network, Offer, OfferError, Offers, Token, Tokens};
use atr_ids::{AccountId, AssetId};
use atr_manifest::{Manifest, Price};

/// Value of `protocol` in prices that a gate can collect.
pub const PROTOCOL: &str = "x402";

/// A manifest whose prices a gate cannot collect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PriceError {
    /// No price has the protocol `x402`.
    #[error("the manifest has prices, but none with the protocol `{PROTOCOL}`")]
    Protocol,
    /// The EIP-712 domain of the token is needed to check signatures.
    #[error("the token {asset} of the price is not known")]
    UnknownToken {
        /// The asset of the price.
        asset: AssetId,
    },
    /// Money for one recipient must not go to another.
    #[error("the manifest pays {recipient}, not the operator {operator}")]
    Recipient {
        /// The recipient of the price.
        recipient: AccountId,
        /// The configured operator.
        operator: Address,
    },
    /// The configured price is not that of the manifest.
    #[error("the price is {configured}, but the manifest says {manifest}")]
    Differs {
        /// As configured.
        configured: String,
        /// As registered, with the token's symbol.
        manifest: String,
    },
    /// A tool without prices needs an operator and a token to identify callers.
    #[error("the manifest has no price, so the operator and a token must be configured")]
    NoOperator,
    /// Offers that cannot be combined.
    #[error(transparent)]
    Offer(#[from] OfferError),
}

/// What a gate offers for a tool: the prices of its manifest in their order, or free access that proves the caller's identity.
///
/// `operator` is who free callers authorize; the recipient of a price must be the same account. `free` is the token of free offers.
///
/// # Errors
///
/// If a price cannot be collected.
pub fn offers(
    manifest: &Manifest,
    tokens: &Tokens,
    operator: Option<Address>,
    free: Option<&Token>,
) -> Result<Offers, PriceError> {
    if manifest.prices().is_empty() {
        let (operator, token) = operator.zip(free).ok_or(PriceError::NoOperator)?;
        let offer = Offer::new(token.clone(), U256::ZERO, operator);
        return Ok(Offers::new(vec![offer])?);
    }
    let prices = manifest.prices().iter();
    let offers: Vec<_> = prices
        .filter(|price| price.protocol == PROTOCOL)
        .map(|price| offer(price, tokens, operator))
        .collect::<Result<_, _>>()?;
    if offers.is_empty() {
        return Err(PriceError::Protocol);
    }
    Ok(Offers::new(offers)?)
}

fn offer(price: &Price, tokens: &Tokens, operator: Option<Address>) -> Result<Offer, PriceError> {
    let (asset, recipient) = (&price.asset, &price.recipient);
    let address = |text: &str| text.parse::<Address>().ok();
    let token = Network::from_caip2(asset.chain())
        .filter(|_| asset.namespace() == "erc20" && asset.token_id().is_none())
        .zip(address(asset.reference()))
        .and_then(|(network, address)| tokens.get(network, address));
    // The manifest rules guarantee that both are on the same chain.
    let (Some(token), Some(pay_to)) = (token, address(recipient.address())) else {
        return Err(PriceError::UnknownToken {
            asset: asset.clone(),
        });
    };
    if let Some(operator) = operator.filter(|operator| *operator != pay_to) {
        return Err(PriceError::Recipient {
            recipient: recipient.clone(),
            operator,
        });
    }
    Ok(Offer::new(token.clone(), price.amount, pay_to))
}

/// Compares a configured price, in units of the token such as `0.01`, with the offers.
///
/// # Errors
///
/// If an offer has another amount.
pub fn check_price(configured: &str, offers: &Offers) -> Result<(), PriceError> {
    for offer in offers.iter() {
        let token = offer.token();
        if token.parse_amount(configured) != Ok(offer.amount()) {
            return Err(PriceError::Differs {
                configured: configured.to_owned(),
                manifest: format!("{} {}", token.format_amount(offer.amount()), token.symbol()),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloy_primitives::address;
    use atr_manifest::Policy;
    use serde_json::{Value, json};

    use super::*;

    const OPERATOR: Address = address!("abcdefabcdef1234567890abcdefabcdef123456");
    const USDC: &str = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";

    fn price(amount: &str, asset: &str, recipient: &str, protocol: &str) -> Value {
        json!({ "amount": amount, "asset": asset, "recipient": recipient, "protocol": protocol })
    }

    fn of(prices: &[Value], operator: Option<Address>) -> Result<Offers, PriceError> {
        let mut manifest = json!({
            "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
            "name": "oracle",
            "description": "Returns prices.",
            "endpoint": "https://tools.example.com/oracle",
            "inputs": {},
            "outputs": {},
            "creatorAddress": "0xabcdefabcdef1234567890abcdefabcdef123456",
        });
        if !prices.is_empty() {
            manifest["pricing"] = prices.into();
        }
        let manifest = Manifest::parse(manifest.to_string(), Policy::consumer()).unwrap();
        let usdc = Token::usdc(Network::from_caip2("eip155:8453").unwrap()).unwrap();
        offers(&manifest, &Tokens::default(), operator, Some(&usdc))
    }

    fn recipient() -> String {
        format!("eip155:8453:{OPERATOR:#x}")
    }

    #[test]
    fn a_tool_without_prices_is_free_for_identified_callers() {
        let offers = of(&[], Some(OPERATOR)).unwrap();
        assert!(offers.is_free());
        assert_eq!(offers.iter().next().unwrap().pay_to(), OPERATOR);
        assert_eq!(of(&[], None), Err(PriceError::NoOperator));
        assert_eq!(check_price("0", &offers), Ok(()));
        assert!(check_price("0.01", &offers).is_err());
    }

    #[test]
    fn offers_what_the_manifest_says() {
        let prices = [
            price("5", USDC, &recipient(), "other"),
            price("10000", USDC, &recipient(), "x402"),
        ];
        for operator in [None, Some(OPERATOR)] {
            let offers = of(&prices, operator).unwrap();
            let all: Vec<_> = offers.iter().map(Offer::amount).collect();
            assert_eq!(all, [U256::from(10_000)]);
            assert_eq!(check_price("0.01", &offers), Ok(()));
            assert_eq!(check_price("0.010", &offers), Ok(()));
            let error = check_price("0.02", &offers).unwrap_err();
            assert_eq!(
                error.to_string(),
                "the price is 0.02, but the manifest says 0.01 USDC"
            );
            assert!(check_price("free", &offers).is_err());
        }
    }

    #[test]
    fn rejects_prices_that_cannot_be_collected() {
        let other = "eip155:8453/erc20:0x1111111111111111111111111111111111111111";
        let native = "eip155:8453/slip44:60";
        for asset in [other, native] {
            let prices = [price("1", asset, &recipient(), "x402")];
            assert!(matches!(
                of(&prices, None),
                Err(PriceError::UnknownToken { .. })
            ));
        }
        let prices = [price("1", USDC, &recipient(), "x402")];
        let error = of(&prices, Some(Address::repeat_byte(1)));
        assert!(matches!(error, Err(PriceError::Recipient { .. })));
        let prices = [price("1", USDC, &recipient(), "lightning")];
        assert_eq!(of(&prices, None), Err(PriceError::Protocol));
    }
}
