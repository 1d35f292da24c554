//! EIP-3009 tokens and amounts.

use std::borrow::Cow;

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::Eip712Domain;
use atr_ids::parse_decimal;

use crate::{CHAINS, Network};

/// An EIP-3009 token. Its EIP-712 domain comes from the table or from configuration, never from a challenge (T-45).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    network: Network,
    address: Address,
    name: Cow<'static, str>,
    version: Cow<'static, str>,
    decimals: u8,
    symbol: Cow<'static, str>,
    separator: B256,
}

impl Token {
    /// Describes a token. `name` and `version` are those of its EIP-712 domain.
    pub fn new(
        network: Network,
        address: Address,
        name: impl Into<Cow<'static, str>>,
        version: impl Into<Cow<'static, str>>,
        decimals: u8,
        symbol: impl Into<Cow<'static, str>>,
    ) -> Self {
        let mut token = Self {
            network,
            address,
            name: name.into(),
            version: version.into(),
            decimals,
            symbol: symbol.into(),
            separator: B256::ZERO,
        };
        token.separator = token.domain().separator();
        token
    }

    /// USDC of a chain, if the table has it.
    #[must_use]
    pub fn usdc(network: Network) -> Option<Self> {
        let usdc = network.known()?.usdc?;
        Some(Self::new(
            network,
            usdc.address,
            usdc.domain_name,
            "2",
            6,
            "USDC",
        ))
    }

    /// The chain of the token.
    #[must_use]
    pub const fn network(&self) -> Network {
        self.network
    }

    /// Contract address.
    #[must_use]
    pub const fn address(&self) -> Address {
        self.address
    }

    /// Name of the EIP-712 domain.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Version of the EIP-712 domain.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Number of decimals of one unit.
    #[must_use]
    pub const fn decimals(&self) -> u8 {
        self.decimals
    }

    /// Symbol for display.
    #[must_use]
    pub fn symbol(&self) -> &str {
        &self.symbol
    }

    /// The EIP-712 domain.
    #[must_use]
    pub fn domain(&self) -> Eip712Domain {
        Eip712Domain::new(
            Some(self.name.clone()),
            Some(self.version.clone()),
            Some(U256::from(self.network.chain_id())),
            Some(self.address),
            None,
        )
    }

    /// The hash of the EIP-712 domain. Computed once per token.
    #[must_use]
    pub const fn domain_separator(&self) -> B256 {
        self.separator
    }

    /// An amount of base units as a decimal number without trailing zeros: `10000` of USDC is `0.01`.
    #[must_use]
    pub fn format_amount(&self, amount: U256) -> String {
        let digits = amount.to_string();
        let decimals = usize::from(self.decimals);
        let padded = format!("{digits:0>width$}", width = decimals + 1);
        let (integer, fraction) = padded.split_at(padded.len() - decimals);
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() {
            integer.to_owned()
        } else {
            format!("{integer}.{fraction}")
        }
    }

    /// Base units of a decimal number: `0.01` of USDC is `10000`. No sign, no exponent, no leading zeros, and not more
    /// decimals than the token has.
    pub fn parse_amount(&self, text: &str) -> Result<U256, AmountError> {
        let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
        let is_number = !(text.ends_with('.') || integer.is_empty())
            && fraction.bytes().all(|byte| byte.is_ascii_digit())
            && (integer == "0" || !integer.starts_with('0'));
        if !is_number {
            return Err(AmountError::NotANumber);
        }
        let decimals = usize::from(self.decimals);
        if fraction.len() > decimals {
            return Err(AmountError::TooManyDecimals {
                decimals: self.decimals,
            });
        }
        let digits = format!("{integer}{fraction:0<decimals$}");
        let significant = digits.trim_start_matches('0');
        let significant = if significant.is_empty() {
            "0"
        } else {
            significant
        };
        parse_decimal(significant).map_err(|_| {
            if integer.bytes().all(|byte| byte.is_ascii_digit()) {
                AmountError::OutOfRange
            } else {
                AmountError::NotANumber
            }
        })
    }
}

/// Why a text is not an amount of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    /// Not digits with an optional decimal point.
    #[error("not a decimal number")]
    NotANumber,
    /// More decimals than the token has.
    #[error("more than {decimals} decimals")]
    TooManyDecimals {
        /// Decimals of the token.
        decimals: u8,
    },
    /// More than 2^256-1 base units.
    #[error("the amount exceeds 2^256-1 base units")]
    OutOfRange,
}

/// The tokens that are accepted or signed for: USDC of the known chains, and configured tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens(Vec<Token>);

impl Default for Tokens {
    fn default() -> Self {
        let networks = CHAINS
            .iter()
            .filter_map(|chain| Network::from_chain_id(chain.chain_id));
        Self(networks.filter_map(Token::usdc).collect())
    }
}

impl Tokens {
    /// No tokens.
    #[must_use]
    pub const fn empty() -> Self {
        Self(Vec::new())
    }

    /// Adds a token. It replaces a token of the same chain and address.
    pub fn insert(&mut self, token: Token) {
        let is_same =
            |other: &Token| (other.network, other.address) == (token.network, token.address);
        self.0.retain(|other| !is_same(other));
        self.0.push(token);
    }

    /// The token with this address.
    #[must_use]
    pub fn get(&self, network: Network, address: Address) -> Option<&Token> {
        self.iter()
            .find(|token| (token.network, token.address) == (network, address))
    }

    /// All tokens.
    pub fn iter(&self) -> impl Iterator<Item = &Token> {
        self.0.iter()
    }
}
