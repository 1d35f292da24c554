//! Call data with one entry per term of a composite.

use std::fmt;

use acceptance::{
    mutation::{Mutation, any_mutation},
    property,
};
use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::SolValue;
use atr_bindings::{
    CompositePredicate::{Term, setCompositionCall},
    ERC721OwnerPredicate::setCollections_1Call,
    MerkleAllowlistPredicate::setAllowlistRootCall,
    TraitGatedPredicate::configureToolTrait_0Call,
};
use atr_harness::model::{Access, predicates::MerkleAllowlist};
use proptest::{collection::vec, option, prelude::*};

use super::{actors::Actors, data::per_term, execute::TRAIT_KEY, fixture::Fixture};

const TOOL: U256 = U256::ONE;
const TOKEN: U256 = U256::ONE;

/// The predicates of the terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Allowlist,
    Trait,
    /// Negated: the account holds no token.
    NotHolder,
}

/// What the caller passes for a term.
#[derive(Clone, Debug)]
enum Entry {
    /// What the predicate of the term needs.
    Right,
    /// What another predicate needs.
    Other,
    Bytes(Vec<u8>),
}

/// The terms with their entries, and a mutation of the encoded entries.
#[derive(Clone, Debug)]
struct Entries {
    terms: Vec<(Kind, Entry)>,
    mutation: Option<Mutation>,
}

impl fmt::Display for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {self:?}")
    }
}

fn any_entries() -> impl Strategy<Value = Entries> {
    let kind = prop_oneof![
        2 => Just(Kind::Allowlist),
        2 => Just(Kind::Trait),
        1 => Just(Kind::NotHolder),
    ];
    let entry = prop_oneof![
        6 => Just(Entry::Right),
        1 => Just(Entry::Other),
        1 => vec(any::<u8>(), 0..70).prop_map(Entry::Bytes),
    ];
    let terms = vec((kind, entry), 1..=4);
    (terms, option::weighted(0.7, any_mutation()))
        .prop_map(|(terms, mutation)| Entries { terms, mutation })
}

/// A proof of two elements.
fn proof() -> Vec<B256> {
    vec![B256::repeat_byte(1), B256::repeat_byte(2)]
}

/// The account is on the allowlist and owns a token with the trait, but none of the collection.
fn configure(fixture: &mut Fixture<'_>, account: Address) -> Result<(), String> {
    let actors = fixture.actors;
    let at = actors.contracts;
    let leaf = MerkleAllowlist::leaf(TOOL, account);
    let root = proof().into_iter().fold(leaf, MerkleAllowlist::parent);
    let call = setAllowlistRootCall { toolId: TOOL, root };
    fixture.call_as_creator(TOOL, at.merkle_allowlist, &call)?;
    let value = B256::repeat_byte(3);
    fixture.set_owner(actors.erc7496, TOKEN, Some(account));
    fixture.set_trait(TOKEN, TRAIT_KEY, value);
    let call = configureToolTrait_0Call {
        toolId: TOOL,
        collection: actors.erc7496,
        traitsContract: actors.erc7496,
        traitKey: TRAIT_KEY,
        allowedValues: vec![value],
    };
    fixture.call_as_creator(TOOL, at.trait_gated, &call)?;
    let call = setCollections_1Call {
        toolId: TOOL,
        collections: vec![actors.erc721s[0]],
    };
    fixture.call_as_creator(TOOL, at.erc721_owner, &call)
}

#[test]
fn each_term_receives_its_own_entry() {
    let actors = Actors::deploy();
    let account = actors.signers[0].address;
    let at = actors.contracts;
    property::holds(400, any_entries(), |Entries { terms, mutation }| {
        let mut fixture = Fixture::new(&actors);
        configure(&mut fixture, account)?;
        let term = |(kind, _): &(Kind, Entry)| Term {
            predicate: match kind {
                Kind::Allowlist => at.merkle_allowlist,
                Kind::Trait => at.trait_gated,
                Kind::NotHolder => at.erc721_owner,
            },
            negate: *kind == Kind::NotHolder,
        };
        let call = setCompositionCall {
            toolId: TOOL,
            op: 0,
            terms: terms.iter().map(term).collect(),
        };
        fixture.call_as_creator(TOOL, at.composite, &call)?;
        let entry = |(kind, entry): &(Kind, Entry)| match (entry, kind) {
            (Entry::Bytes(bytes), _) => bytes.clone(),
            (Entry::Right, Kind::Allowlist) | (Entry::Other, Kind::Trait) => proof().abi_encode(),
            _ => TOKEN.abi_encode(),
        };
        let entries = terms.iter().map(|term| entry(term).into());
        let mut data = per_term(entries.collect());
        let Some(mutation) = mutation else {
            // The entry of a negated term has no effect.
            let is_granted = |(kind, entry): &(Kind, Entry)| {
                *kind == Kind::NotHolder || matches!(entry, Entry::Right)
            };
            let expected = Access::from(terms.iter().all(is_granted));
            return fixture.expect_access(expected, (at.composite, TOOL, account), data);
        };
        mutation.apply(&mut data);
        // Compares the result with the model.
        fixture
            .check_access(at.composite, TOOL, account, data)
            .map(drop)
    });
}
