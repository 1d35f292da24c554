//! From the bytes a predicate returned to requirements: bounded in size, count and depth, strict about what it knows.

use alloy_primitives::{FixedBytes, fixed_bytes};
use atr_bindings::{
    ACCESS_PROOF_ID, ALWAYS_DENIED_ID, ERC20_BALANCE_ID, ERC721_HOLDING_ID, ERC1155_HOLDING_ID,
    ERC7496_TRAIT_ID, MERKLE_ALLOWLIST_ID, NEGATED_REQUIREMENT_ID, NESTED_REQUIREMENTS_ID,
    SUBSCRIPTION_ID,
};

use crate::{
    IntrospectionLimits, Limit, Logic, Requirement, RequirementKind,
    abi::{Encoded, Malformed, padded},
};

/// Bytes of one ABI word.
const WORD: usize = 32;

/// Requirement kind "attested by an issuer"; in the wild, not ours. Data is `(string issuerJwksUri, bytes32 conditionHash)`.
const WALLET_STATE_ATTESTATION_ID: FixedBytes<4> = fixed_bytes!("0x7a111640");

/// The sentinel for what a predicate could not name.
const UNKNOWN_ID: FixedBytes<4> = FixedBytes::ZERO;

/// Why a list is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    Malformed(Malformed),
    OverLimit {
        what: Limit,
        found: usize,
        limit: usize,
    },
}

impl From<Malformed> for Flaw {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

/// One reading of a list, with what is left of its allowance.
#[derive(Debug)]
pub(crate) struct Decoder {
    caps: IntrospectionLimits,
    nested_left: usize,
}

impl Decoder {
    pub(crate) const fn new(caps: IntrospectionLimits) -> Self {
        Self {
            caps,
            nested_left: caps.nested_entries,
        }
    }

    /// What `getRequirements` returned: `(AccessRequirement[], uint8 logic)`.
    pub(crate) fn returned(&mut self, bytes: &[u8]) -> Result<(Logic, Vec<Requirement>), Flaw> {
        let values = Encoded::new(bytes);
        let logic = logic(values.byte(1)?)?;
        Ok((logic, self.list(values.tail(0)?, 0)?))
    }

    fn list(&mut self, list: Encoded<'_>, depth: usize) -> Result<Vec<Requirement>, Flaw> {
        let count = list.count()?;
        within(Limit::Entries, count, self.caps.entries)?;
        if depth > 0 {
            let spent = self.caps.nested_entries - self.nested_left;
            within(
                Limit::NestedEntries,
                spent + count,
                self.caps.nested_entries,
            )?;
            self.nested_left -= count;
        }
        let entries = list.after(1)?;
        (0..count)
            .map(|place| self.entry(entries.tail(place)?, depth))
            .collect()
    }

    fn entry(&mut self, entry: Encoded<'_>, depth: usize) -> Result<Requirement, Flaw> {
        let kind = entry.selector(0)?;
        let data = entry.tail(1)?.content()?;
        within(Limit::Data, data.len(), self.caps.data_bytes)?;
        let label = entry.tail(2)?;
        within(Limit::Label, label.content()?.len(), self.caps.label_bytes)?;
        Ok(Requirement {
            kind,
            data: data.to_vec().into(),
            label: label.text()?.to_owned(),
            meaning: self.meaning(kind, data, depth)?,
        })
    }

    /// What a kind we know says with this data. Data that is not exactly what the marker promises has no meaning.
    fn meaning(
        &mut self,
        kind: FixedBytes<4>,
        data: &[u8],
        depth: usize,
    ) -> Result<RequirementKind, Flaw> {
        let meaning = match kind {
            NEGATED_REQUIREMENT_ID => self.negated(data, depth),
            NESTED_REQUIREMENTS_ID => self.nested(data, depth),
            _ => simple(kind, Encoded::new(data)).map_err(Flaw::Malformed),
        };
        match meaning {
            Err(Flaw::Malformed(_)) => Ok(RequirementKind::Malformed),
            settled => settled,
        }
    }

    fn negated(&mut self, data: &[u8], depth: usize) -> Result<RequirementKind, Flaw> {
        within(Limit::Depth, depth + 1, self.caps.depth)?;
        let values = Encoded::new(data);
        let inner = content_at_end(values, 1, 2)?;
        let kind = values.selector(0)?;
        Ok(RequirementKind::Negated(Box::new(Requirement {
            kind,
            data: inner.to_vec().into(),
            label: String::new(),
            meaning: self.meaning(kind, inner, depth + 1)?,
        })))
    }

    fn nested(&mut self, data: &[u8], depth: usize) -> Result<RequirementKind, Flaw> {
        within(Limit::Depth, depth + 1, self.caps.depth)?;
        let values = Encoded::new(data);
        Ok(RequirementKind::Nested {
            logic: logic(values.byte(0)?)?,
            requirements: self.list(values.tail(1)?, depth + 1)?,
        })
    }
}

fn simple(kind: FixedBytes<4>, values: Encoded<'_>) -> Result<RequirementKind, Malformed> {
    let exactly = |words: usize| expect_size(values, words * WORD);
    Ok(match kind {
        ERC721_HOLDING_ID => {
            exactly(1)?;
            RequirementKind::Erc721 {
                collection: values.address(0)?,
            }
        }
        ERC1155_HOLDING_ID => {
            exactly(2)?;
            RequirementKind::Erc1155 {
                collection: values.address(0)?,
                token_id: values.number(1)?,
            }
        }
        SUBSCRIPTION_ID => {
            exactly(2)?;
            RequirementKind::Subscription {
                collection: values.address(0)?,
                min_tier: values.byte(1)?,
            }
        }
        ERC20_BALANCE_ID => {
            exactly(2)?;
            RequirementKind::Erc20 {
                token: values.address(0)?,
                min_balance: values.number(1)?,
            }
        }
        ERC7496_TRAIT_ID => {
            let list = tail_at(values, 3, 4)?;
            let count = list.count()?;
            exactly(5 + count)?;
            RequirementKind::Erc7496Trait {
                collection: values.address(0)?,
                traits_contract: values.address(1)?,
                trait_key: values.word(2)?,
                allowed_values: (1..=count)
                    .map(|place| list.word(place))
                    .collect::<Result<_, _>>()?,
            }
        }
        WALLET_STATE_ATTESTATION_ID => {
            let uri = content_at_end(values, 0, 2)?;
            let uri = std::str::from_utf8(uri).map_err(|_| Malformed::NOT_TEXT)?;
            RequirementKind::WalletStateAttestation {
                issuer_jwks_uri: uri.to_owned(),
                condition_hash: values.word(1)?,
            }
        }
        MERKLE_ALLOWLIST_ID => {
            exactly(1)?;
            RequirementKind::MerkleAllowlist {
                root: values.word(0)?,
            }
        }
        ACCESS_PROOF_ID => {
            exactly(1)?;
            RequirementKind::AccessProof {
                domain_separator: values.word(0)?,
            }
        }
        ALWAYS_DENIED_ID => {
            exactly(0)?;
            RequirementKind::AlwaysDenied
        }
        UNKNOWN_ID => RequirementKind::Unknown,
        _ => RequirementKind::Other,
    })
}

const fn logic(byte: u8) -> Result<Logic, Malformed> {
    match byte {
        0 => Ok(Logic::All),
        1 => Ok(Logic::Any),
        _ => Err(Malformed::NO_LOGIC),
    }
}

fn within(what: Limit, found: usize, limit: usize) -> Result<(), Flaw> {
    if found > limit {
        return Err(Flaw::OverLimit { what, found, limit });
    }
    Ok(())
}

fn expect_size(values: Encoded<'_>, size: usize) -> Result<(), Malformed> {
    if values.size() == size {
        return Ok(());
    }
    Err(Malformed::WRONG_SIZE)
}

/// The tail that a well-behaved encoder puts right behind so many words.
fn tail_at(values: Encoded<'_>, place: usize, words: usize) -> Result<Encoded<'_>, Malformed> {
    let tail = values.tail(place)?;
    expect_size(tail, values.after(words)?.size())?;
    Ok(tail)
}

/// The bytes that a well-behaved encoder puts right behind so many words, padded, and nothing after them.
fn content_at_end(values: Encoded<'_>, place: usize, words: usize) -> Result<&[u8], Malformed> {
    let tail = tail_at(values, place, words)?;
    let content = tail.content()?;
    expect_size(tail, padded(content.len()))?;
    Ok(content)
}

#[cfg(test)]
mod tests;
