//! What it takes to be let in, one requirement at a time.

use alloy_primitives::{Address, B256, Bytes, FixedBytes, U256};
use serde::Serialize;

use crate::decimal;

/// How the entries of a list combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Logic {
    /// All of them are needed.
    #[serde(rename = "AND")]
    All,
    /// One is enough.
    #[serde(rename = "OR")]
    Any,
}

/// One entry of a predicate's list. It is a hint: the predicate decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Requirement {
    /// What sort of requirement it is: the id of a published marker.
    pub kind: FixedBytes<4>,
    /// Details, laid out as the marker says.
    pub data: Bytes,
    /// Text for people. Untrusted: escape it before showing it.
    pub label: String,
    /// What kind and data say, as far as we know the kind.
    pub meaning: RequirementKind,
}

/// What a requirement asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum RequirementKind {
    /// A token of an ERC-721 collection.
    Erc721 {
        /// The collection.
        collection: Address,
    },
    /// A given token of an ERC-1155 collection.
    Erc1155 {
        /// The collection.
        collection: Address,
        /// The token.
        #[serde(serialize_with = "decimal::serialize")]
        token_id: U256,
    },
    /// A running subscription.
    Subscription {
        /// The collection.
        collection: Address,
        /// Of this tier or higher.
        min_tier: u8,
    },
    /// A token with a trait (ERC-7496).
    Erc7496Trait {
        /// The collection.
        collection: Address,
        /// The contract that knows the traits.
        traits_contract: Address,
        /// The trait.
        trait_key: B256,
        /// Its value is one of these.
        allowed_values: Vec<B256>,
    },
    /// An amount of an ERC-20 token.
    Erc20 {
        /// The token.
        token: Address,
        /// At least this much, in its smallest unit.
        #[serde(serialize_with = "decimal::serialize")]
        min_balance: U256,
    },
    /// An attestation about the wallet's state.
    WalletStateAttestation {
        /// Where the issuer's keys are. Chosen by a stranger: fetch it only through the guarded door.
        issuer_jwks_uri: String,
        /// The condition.
        condition_hash: B256,
    },
    /// A place on a list.
    MerkleAllowlist {
        /// The list's Merkle root.
        root: B256,
    },
    /// A signature under the ERC's AccessProof.
    AccessProof {
        /// The domain it is for.
        domain_separator: B256,
    },
    /// Nobody gets in.
    AlwaysDenied,
    /// The opposite of another requirement, which has no label of its own here.
    Negated(Box<Requirement>),
    /// Several that count as one.
    Nested {
        /// How they combine.
        logic: Logic,
        /// The requirements.
        requirements: Vec<Requirement>,
    },
    /// The predicate could not say: the ERC's sentinel.
    Unknown,
    /// A kind we do not know, passed through untouched.
    Other,
    /// A kind we know with data that is not what its marker promises.
    Malformed,
}
