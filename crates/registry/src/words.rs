//! Requirements in words people understand. Labels are left out: they are a stranger's words.

use std::fmt;

use crate::{Logic, Requirement, RequirementKind};

impl fmt::Display for Logic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => "all of",
            Self::Any => "any of",
        })
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.meaning {
            RequirementKind::Erc721 { collection } => {
                write!(f, "hold a token of {collection} (ERC-721)")
            }
            RequirementKind::Erc1155 {
                collection,
                token_id,
            } => write!(f, "hold token {token_id} of {collection} (ERC-1155)"),
            RequirementKind::Subscription {
                collection,
                min_tier,
            } => write!(
                f,
                "have a running subscription of tier {min_tier} or higher with {collection}"
            ),
            RequirementKind::Erc7496Trait {
                collection,
                traits_contract,
                trait_key,
                allowed_values,
            } => write!(
                f,
                "hold a token of {collection} whose trait {trait_key} at {traits_contract} is one of {} values (ERC-7496); \
                 name the token in the call's data",
                allowed_values.len()
            ),
            RequirementKind::Erc20 { token, min_balance } => write!(
                f,
                "hold at least {min_balance} of the smallest unit of {token} (ERC-20)"
            ),
            RequirementKind::WalletStateAttestation { condition_hash, .. } => {
                write!(f, "have an attestation of condition {condition_hash}")
            }
            RequirementKind::MerkleAllowlist { root } => write!(
                f,
                "be on the list with Merkle root {root}; the proof goes in the call's data"
            ),
            RequirementKind::AccessProof { .. } => {
                f.write_str("sign an AccessProof; deadline and signature go in the call's data")
            }
            RequirementKind::AlwaysDenied => f.write_str("nobody gets in"),
            RequirementKind::Negated(opposite) => write!(f, "not: {opposite}"),
            RequirementKind::Nested {
                logic,
                requirements,
            } => {
                write!(f, "{logic} (")?;
                for (place, requirement) in requirements.iter().enumerate() {
                    let between = if place == 0 { "" } else { "; " };
                    write!(f, "{between}{requirement}")?;
                }
                f.write_str(")")
            }
            RequirementKind::Unknown => f.write_str("something the predicate could not name"),
            RequirementKind::Other => write!(f, "a requirement of unknown kind {}", self.kind),
            RequirementKind::Malformed => write!(
                f,
                "a requirement of kind {} whose details make no sense",
                self.kind
            ),
        }
    }
}
