//! What the user allows a call to cost.

use alloy_primitives::{Address, U256};
use atr_auth::Network;

/// Limits that hold for every signature of a call. The default signs proofs of identity only and never moves money.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpendPolicy {
    /// Maximum amount of one call, in base units of the token. Zero allows proofs of identity only (M-03).
    pub max_amount: U256,
    /// The only payees that are signed for. Empty means any (M-05).
    pub allowed_recipients: Vec<Address>,
    /// The only chains that are signed for. Empty means any chain of a known token.
    pub allowed_networks: Vec<Network>,
}

/// Why a demand is outside the policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyViolation {
    /// The demand costs money, and the policy allows none.
    #[error("the tool demands a payment of {amount} base units, and payments are not allowed")]
    #[expect(missing_docs, reason = "plain data")]
    PaymentNotAllowed { amount: U256 },
    /// The demand exceeds the maximum.
    #[error("the tool demands {amount} base units, more than the maximum of {maximum}")]
    #[expect(missing_docs, reason = "plain data")]
    TooExpensive { amount: U256, maximum: U256 },
    /// The payee is not on the list.
    #[error("the payee {payee} is not an allowed recipient")]
    #[expect(missing_docs, reason = "plain data")]
    Recipient { payee: Address },
    /// The chain is not on the list.
    #[error("the chain {network} is not an allowed network")]
    #[expect(missing_docs, reason = "plain data")]
    Network { network: Network },
}

impl SpendPolicy {
    /// Checks a demand. `payee` is the operator if the payee is bound to an audience.
    ///
    /// # Errors
    ///
    /// If the demand is outside the policy.
    pub fn check(
        &self,
        amount: U256,
        payee: Address,
        network: Network,
    ) -> Result<(), PolicyViolation> {
        if !amount.is_zero() && self.max_amount.is_zero() {
            return Err(PolicyViolation::PaymentNotAllowed { amount });
        }
        if amount > self.max_amount {
            return Err(PolicyViolation::TooExpensive {
                amount,
                maximum: self.max_amount,
            });
        }
        if !self.allowed_recipients.is_empty() && !self.allowed_recipients.contains(&payee) {
            return Err(PolicyViolation::Recipient { payee });
        }
        if !self.allowed_networks.is_empty() && !self.allowed_networks.contains(&network) {
            return Err(PolicyViolation::Network { network });
        }
        Ok(())
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
        policy.check(U256::from(amount), PAYEE, base())
    }

    #[test]
    fn the_default_signs_no_payment() {
        // M-03
        let policy = SpendPolicy::default();
        assert_eq!(check(&policy, 0), Ok(()));
        let amount = U256::from(1);
        assert_eq!(
            check(&policy, 1),
            Err(PolicyViolation::PaymentNotAllowed { amount })
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
        let amount = U256::from(101);
        assert_eq!(
            check(&policy, 101),
            Err(PolicyViolation::TooExpensive { amount, maximum })
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
