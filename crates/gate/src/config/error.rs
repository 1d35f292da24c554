//! Why a configuration is not possible.

/// A configuration that cannot be used. No message names a flag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum ConfigError {
    /// Access is checked on the chain of the tool.
    #[error("the tool is on chain {tool}, but access is checked on chain {access}")]
    AccessChain { tool: u64, access: u64 },
    /// A gate that checks neither access nor payment would admit everyone who can sign.
    #[error("the gate checks neither access nor payment")]
    NothingToCheck,
    /// Without offers, only a SIWE message can identify a caller.
    #[error("no credential is accepted: there is neither an operator address nor the SIWE scheme")]
    NoCredential,
    /// A SIWE message is bound to a host.
    #[error("the SIWE scheme needs the public URL of the tool")]
    SiweWithoutPublicUrl,
    /// A smart account is asked on the chain of the token, by the node that checks access.
    #[error("smart accounts need access checks on the chain of the token")]
    SmartAccounts,
    /// Factories deploy smart accounts.
    #[error("account factories are of use only if signatures of smart accounts are accepted")]
    AccountFactories,
    /// Only an identity gate can precede a payment gate.
    #[error("only a free gate can be followed by a gate that takes payments")]
    FollowingOffers,
    /// There is a price, but nothing that takes payments.
    #[error("the tool has a price, but no way to take payments")]
    NoPayments,
    /// Payments are set up for a free tool.
    #[error("payments are set up, but the tool has no price")]
    NoPrice,
    /// Somebody has to send the transactions.
    #[error("no facilitator")]
    NoFacilitator,
    /// A crash would forget which payments were used and what was answered.
    #[error("payments need records that survive the process")]
    NotDurable,
    /// Clients sign for as long as the offer says: the gate must accept that.
    #[error(
        "the challenge asks for signatures of {offered} s, but at most {window} s are accepted"
    )]
    Timeout { offered: u64, window: u64 },
}
