//! What the user allows a call to cost.

use alloy_primitives::{Address, U256};
use atr_auth::{Network, Token};

/// Limits that hold for every signature of a call. The default never moves money, and proves the identity only to a payee that the
/// tool was created by or that is bound to the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpendPolicy {
    /// Maximum amount of one call, in base units of the token. Zero allows proofs of identity only (M-03).
    pub max_amount: U256,
    /// Maximum of all payments of 24 hours in the ledger, this one included, in base units of the token: units of all tokens count
    /// the same. `None` is no limit.
    pub max_per_day: Option<U256>,
    /// The only payees that are signed for. Empty means any (M-05).
    pub allowed_recipients: Vec<Address>,
    /// The only chains that are signed for. Empty means any chain of a known token.
    pub allowed_networks: Vec<Network>,
    /// The payees that an identity is proved to.
    pub identity: IdentityPolicy,
}

/// To whom an identity is proved. A proof is valid at every gate of its payee: a tool that demands one for the payee of another
/// tool could use it there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdentityPolicy {
    /// Payees that are bound to the tool and its endpoint: the proof is worthless elsewhere.
    Bound,
    /// Also the creator of the tool, and [`SpendPolicy::allowed_recipients`].
    #[default]
    Named,
    /// Any payee. The user was asked.
    Any,
}

/// Why a demand is outside the policy. Amounts have a unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyViolation {
    /// The demand costs money, and the policy allows none.
    #[error("the tool demands a payment of {price}, and payments are not allowed")]
    #[expect(missing_docs, reason = "plain data")]
    PaymentNotAllowed { price: String },
    /// The demand exceeds the maximum.
    #[error("the tool demands {price}, more than the maximum of {maximum}")]
    #[expect(missing_docs, reason = "plain data")]
    TooExpensive { price: String, maximum: String },
    /// The payments of 24 hours would exceed their maximum.
    #[error(
        "the tool demands {price}, and payments of the last 24 hours are {spent}: together more than the maximum of {maximum}"
    )]
    #[expect(missing_docs, reason = "plain data")]
    DailyLimit {
        price: String,
        spent: String,
        maximum: String,
    },
    /// The payee is not on the list.
    #[error("the payee {payee} is not an allowed recipient")]
    #[expect(missing_docs, reason = "plain data")]
    Recipient { payee: Address },
    /// The chain is not on the list.
    #[error("the chain {network} is not an allowed network")]
    #[expect(missing_docs, reason = "plain data")]
    Network { network: Network },
    /// The payee of a proof of identity is neither the creator nor allowed.
    #[error(
        "the tool demands a proof of identity for {payee}, which is not its creator: it could be used at another tool"
    )]
    #[expect(missing_docs, reason = "plain data")]
    UnnamedPayee { payee: Address },
    /// The payee of a proof of identity is not bound to the tool.
    #[error(
        "the tool demands a proof of identity that is not bound to it: it is valid for all tools of {payee}"
    )]
    #[expect(missing_docs, reason = "plain data")]
    NotBound { payee: Address },
}

impl SpendPolicy {
    /// Checks an amount of a token. `payee` is the operator if the payee is bound to an audience.
    ///
    /// # Errors
    ///
    /// If the demand is outside the policy.
    pub fn check(
        &self,
        amount: U256,
        payee: Address,
        token: &Token,
    ) -> Result<(), PolicyViolation> {
        let price = |amount| format!("{} {}", token.format_amount(amount), token.symbol());
        if !amount.is_zero() && self.max_amount.is_zero() {
            return Err(PolicyViolation::PaymentNotAllowed {
                price: price(amount),
            });
        }
        if amount > self.max_amount {
            return Err(PolicyViolation::TooExpensive {
                price: price(amount),
                maximum: price(self.max_amount),
            });
        }
        if !self.allowed_recipients.is_empty() && !self.allowed_recipients.contains(&payee) {
            return Err(PolicyViolation::Recipient { payee });
        }
        let network = token.network();
        if !self.allowed_networks.is_empty() && !self.allowed_networks.contains(&network) {
            return Err(PolicyViolation::Network { network });
        }
        Ok(())
    }

    /// Checks an amount of a token, after `spent` base units of the last 24 hours.
    ///
    /// # Errors
    ///
    /// If both are above the maximum of a day.
    pub fn check_day(
        &self,
        amount: U256,
        spent: U256,
        token: &Token,
    ) -> Result<(), PolicyViolation> {
        let price = |amount| format!("{} {}", token.format_amount(amount), token.symbol());
        match self.max_per_day {
            Some(maximum) if spent.saturating_add(amount) > maximum => {
                Err(PolicyViolation::DailyLimit {
                    price: price(amount),
                    spent: price(spent),
                    maximum: price(maximum),
                })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAYEE: Address = Address::repeat_byte(1);

    fn base() -> Network {
        Network::from_chain_id(8453).unwrap()
    }

    fn check(policy: &SpendPolicy, amount: u64) -> Result<(), PolicyViolation> {
        policy.check(U256::from(amount), PAYEE, &Token::usdc(base()).unwrap())
    }

    #[test]
    fn the_default_signs_no_payment() {
        // M-03
        let policy = SpendPolicy::default();
        assert_eq!(check(&policy, 0), Ok(()));
        let price = "0.000001 USDC".to_owned();
        assert_eq!(
            check(&policy, 1),
            Err(PolicyViolation::PaymentNotAllowed { price })
        );
    }

    #[test]
    fn the_maximum_is_inclusive() {
        // M-04
        let maximum = U256::from(100);
        let policy = SpendPolicy {
            max_amount: maximum,
            ..SpendPolicy::default()
        };
        assert_eq!(check(&policy, 100), Ok(()));
        let (price, maximum) = ("0.000101 USDC".to_owned(), "0.0001 USDC".to_owned());
        assert_eq!(
            check(&policy, 101),
            Err(PolicyViolation::TooExpensive { price, maximum })
        );
    }

    #[test]
    fn lists_restrict_payee_and_network() {
        // M-05
        let other = SpendPolicy {
            allowed_recipients: vec![Address::repeat_byte(2)],
            ..SpendPolicy::default()
        };
        assert_eq!(
            check(&other, 0),
            Err(PolicyViolation::Recipient { payee: PAYEE })
        );
        let ethereum = SpendPolicy {
            allowed_recipients: vec![PAYEE],
            allowed_networks: vec![Network::from_chain_id(1).unwrap()],
            ..SpendPolicy::default()
        };
        let network = base();
        assert_eq!(
            check(&ethereum, 0),
            Err(PolicyViolation::Network { network })
        );
        let both = SpendPolicy {
            allowed_networks: vec![base()],
            ..ethereum
        };
        assert_eq!(check(&both, 0), Ok(()));
    }
}
