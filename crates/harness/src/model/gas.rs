//! Gas ceilings: the execution gas with which a call must do what the model says.
//!
//! | call | ceiling |
//! |---|---|
//! | calls of the registry, configuration of a predicate | a row of [`ROWS`]: a fixed part and gas per byte of calldata |
//! | `hasAccess` of a predicate | `LEAF` or `COMPOSITE`, and for each inner call its stipend and `INNER_CALL`, all times 64/63 |
//! | `getRequirements` | `DESCRIBE` for a leaf; for a composite also per term, `GAS_PER_INTROSPECTION` for one that is not a leaf |
//!
//! The figures are measured. The random sequences of `tests/properties` make their calls with exactly the ceiling, and fail if no
//! call of a row uses a third of it. Below the ceiling a call may run out of gas instead, in the ways
//! [`ChainModel::is_out_of_gas`] lists. A term of a composite runs out of gas in the same way if the stipend stored for it is
//! below its ceiling.

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, SolError, SolValue};
use atr_bindings::{
    AccessRequirement,
    CompositePredicate::{
        CodeStoreFailed, InvalidTerm, NoAnswer, NotEnoughGas, setComposition_0Call,
        setComposition_1Call,
    },
    ERC20BalancePredicate::configureToolERC20Call,
    ERC721OwnerPredicate::setCollectionsCall,
    ERC1155OwnerPredicate::setCollectionTokensCall,
    IAccessPredicate::getRequirementsCall,
    IToolRegistry::{
        InvalidAccessPredicate, deregisterToolCall, getToolConfigCall, hasAccessCall, nameCall,
        registerToolCall, setAccessPredicateCall, toolCountCall, tryHasAccessCall,
        updateToolMetadataCall, versionCall,
    },
    MerkleAllowlistPredicate::setAllowlistRootCall,
    SubscriptionPredicate::{configureToolGatingCall, getSubscriptionStatusCall},
    TraitGatedPredicate::configureToolTraitCall,
};

use super::{
    ChainModel, Context, ExternalContracts, Registry,
    calldata::Arguments,
    predicates::{read_access_call, unknown},
};
use crate::{Fork, Outcome, Transaction};

/// The gas limit of the registry's call to a predicate.
pub const PREDICATE_GAS_CAP: u64 = 200_000;

/// Gas of a composite for the introspection of one term (`ICompositePredicate.GAS_PER_INTROSPECTION`).
pub const GAS_PER_INTROSPECTION: u64 = 300_000;

/// A call kind: selector, name, fixed part, gas per byte of calldata.
type Row = ([u8; 4], &'static str, u64, u64);

macro_rules! rows {
    ($($call:ident $name:literal $fixed:expr, $per_byte:literal;)*) => {
        &[$(($call::SELECTOR, $name, $fixed, $per_byte)),*]
    };
}

/// Calls whose ceiling depends on their calldata only. The registry's are for URIs of up to 2,048 bytes, the predicates' for the
/// lists of the random sequences. `tryHasAccess` forwards the cap, and the caller keeps 1/64.
pub const ROWS: &[Row] = rows! {
    registerToolCall        "registerTool"        200_000, 720;
    updateToolMetadataCall  "updateToolMetadata"  420_000, 720;
    setAccessPredicateCall  "setAccessPredicate"  110_000, 0;
    deregisterToolCall      "deregisterTool"      400_000, 0;
    getToolConfigCall       "getToolConfig"       200_000, 0;
    tryHasAccessCall        "tryHasAccess"        PREDICATE_GAS_CAP * 64 / 63 + 10_000, 8;
    toolCountCall           "toolCount"           3_000, 0;
    nameCall                "name"                1_000, 0;
    versionCall             "version"             1_000, 0;
    setAllowlistRootCall    "setAllowlistRoot"    60_000, 0;
    configureToolGatingCall "configureToolGating" 60_000, 0;
    configureToolERC20Call  "configureToolERC20"  80_000, 0;
    setCollectionsCall      "setCollections"      90_000, 240;
    setCollectionTokensCall "setCollectionTokens" 90_000, 240;
    configureToolTraitCall  "configureToolTrait"  90_000, 240;
    setComposition_0Call    "setComposition"      130_000, 600;
    setComposition_1Call    "setComposition"      130_000, 600;
};

/// `hasAccess` of a predicate that is not a composite: its own gas, and per byte of `data`.
const LEAF: (u64, u64) = (20_000, 25);

/// `hasAccess` of a composite: its own gas as its interface documents it, and per byte of `data`.
const COMPOSITE: (u64, u64) = (10_500, 8);

/// An inner call: a cold account, and the gas kept in reserve.
const INNER_CALL: u64 = 3_500;

/// `getRequirements`: of a leaf, and of a composite without its terms.
const DESCRIBE: u64 = 60_000;

/// The gas a composite needs to decode and copy the description of a term.
const INCLUDE: u64 = 10_000;

/// The ceiling of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// The call kind.
    pub call: &'static str,
    /// Execution gas.
    pub gas: u64,
}

/// What may run out of gas in a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The gas limit of the call itself is below its ceiling.
    pub of_call: bool,
    /// The stipend of a term of a composite is below its ceiling.
    pub of_terms: bool,
}

impl Shortage {
    /// Whether the call must do what the model says.
    #[must_use]
    pub const fn is_none(self) -> bool {
        !self.of_call && !self.of_terms
    }
}

/// The ceiling of a call of the registry; none for `supportsInterface` and unknown functions.
#[must_use]
pub fn registry_ceiling(calldata: &[u8]) -> Option<Ceiling> {
    let selector = calldata.first_chunk::<4>()?;
    let selector = match *selector {
        // Does what `tryHasAccess` does.
        hasAccessCall::SELECTOR => tryHasAccessCall::SELECTOR,
        other => other,
    };
    let (_, call, fixed, per_byte) = ROWS.iter().copied().find(|row| row.0 == selector)?;
    Some(Ceiling {
        call,
        gas: fixed + per_byte * calldata.len() as u64,
    })
}

impl Registry {
    /// Whether a lack of gas explains an outcome that the model does not predict: out of gas, `InvalidAccessPredicate`, and for a
    /// gated tool `(false, false)` from `tryHasAccess` and false from `hasAccess`.
    #[must_use]
    pub fn is_out_of_gas(
        &self,
        calldata: &[u8],
        expected: &Outcome,
        found: &Outcome,
        others: &impl ExternalContracts,
    ) -> bool {
        let selector = calldata.first_chunk::<4>().copied().unwrap_or_default();
        match found {
            Outcome::Halted(reason) => reason.starts_with("OutOfGas"),
            Outcome::Reverted(error) => {
                let probes = [registerToolCall::SELECTOR, setAccessPredicateCall::SELECTOR];
                let rejected = InvalidAccessPredicate::abi_decode(error);
                probes.contains(&selector)
                    && rejected.is_ok_and(|error| others.has_code(error.predicate))
            }
            Outcome::Returned(data) if matches!(expected, Outcome::Returned(_)) => {
                let id = calldata.get(4..36).map(U256::from_be_slice);
                let tool = id.and_then(|id| self.tool(id).ok());
                let Some(predicate) = tool.map(|tool| tool.predicate).filter(|at| !at.is_zero())
                else {
                    return false;
                };
                match selector {
                    // A predicate may deny access because it receives less gas: third-party code that the registry cannot bind.
                    tryHasAccessCall::SELECTOR => {
                        let is_denied = **data == (true, false).abi_encode();
                        **data == (false, false).abi_encode()
                            || is_denied && others.depends_on_gas(predicate)
                    }
                    hasAccessCall::SELECTOR => **data == false.abi_encode(),
                    _ => false,
                }
            }
            Outcome::Returned(_) | Outcome::Created(_) => false,
        }
    }
}

impl Context<'_> {
    /// The ceiling of `hasAccess` of a contract that a composite calls or a transaction.
    #[must_use]
    pub fn has_access_ceiling(self, account: Address, id: U256, data: &[u8]) -> u64 {
        let Some(predicate) = self.predicate(account) else {
            return self.scripts().has_access_ceiling(account);
        };
        let terms = predicate.terms(id, data);
        let (own, per_byte) = match predicate.is_composite() {
            true => COMPOSITE,
            false => LEAF,
        };
        let stipends = predicate.stipends(id).into_iter();
        let stipends = stipends.chain(terms.iter().map(|term| term.gas));
        let inner: u64 = stipends.map(|stipend| stipend + INNER_CALL).sum();
        let used = own + per_byte * data.len() as u64 + inner;
        used + used / 63
    }

    /// Whether the stipend of a term of this predicate, or of a term of a term, is below its ceiling.
    #[must_use]
    pub fn has_short_term(self, account: Address, id: U256, data: &[u8]) -> bool {
        // Ends in a cycle too: the stipend of a term is less than the ceiling of its composite.
        let terms = self.predicate(account).map(|found| found.terms(id, data));
        terms.unwrap_or_default().into_iter().any(|term| {
            term.gas < self.has_access_ceiling(term.predicate, id, &term.data)
                || self.has_short_term(term.predicate, id, &term.data)
        })
    }

    /// The ceiling of `getRequirements`.
    fn requirements_ceiling(self, account: Address, id: U256) -> u64 {
        let each = self.terms(account, id).into_iter().map(|term| {
            let is_leaf = self.predicate(term).is_some() && self.terms(term, id).is_empty();
            INCLUDE
                + if is_leaf {
                    DESCRIBE
                } else {
                    GAS_PER_INTROSPECTION
                }
        });
        DESCRIBE + each.sum::<u64>()
    }

    /// Whether `introspect` of a term may run out of its gas.
    fn has_short_introspection(self, term: Address, id: U256) -> bool {
        !self.terms(term, id).is_empty()
            && self.requirements_ceiling(term, id) > GAS_PER_INTROSPECTION * 63 / 64
    }

    fn terms(self, account: Address, id: U256) -> Vec<Address> {
        let terms = self.predicate(account).map(|found| found.terms(id, &[]));
        let terms = terms.unwrap_or_default().into_iter();
        terms.map(|term| term.predicate).collect()
    }
}

impl ChainModel {
    /// The ceiling of a transaction; none for getters and unknown functions.
    #[must_use]
    pub fn gas_ceiling(&self, transaction: &Transaction) -> Option<Ceiling> {
        let (context, data) = (self.environment.context(), &transaction.data);
        let to = transaction.to?;
        let is_predicate = self.environment.predicates.contains_key(&to);
        let (selector, arguments) = Arguments::split(data)?;
        match selector {
            hasAccessCall::SELECTOR if is_predicate => {
                let (id, _, data) = read_access_call(arguments)?;
                let call = match context.terms(to, id).is_empty() {
                    true => "hasAccess of a leaf",
                    false => "hasAccess of a composite",
                };
                let gas = context.has_access_ceiling(to, id, data);
                Some(Ceiling { call, gas })
            }
            getSubscriptionStatusCall::SELECTOR => {
                // Makes the calls of `hasAccess`.
                let gas = context.has_access_ceiling(to, arguments.number(0)?, &[]);
                let call = "hasAccess of a leaf";
                Some(Ceiling { call, gas })
            }
            getRequirementsCall::SELECTOR => {
                let id = arguments.number(0)?;
                let call = match context.terms(to, id).is_empty() {
                    true => "getRequirements of a leaf",
                    false => "getRequirements of a composite",
                };
                let gas = context.requirements_ceiling(to, id);
                Some(Ceiling { call, gas })
            }
            _ => registry_ceiling(data),
        }
    }

    /// The gas limit at which a transaction has exactly the gas of its ceiling.
    #[must_use]
    pub fn gas_limit(&self, transaction: &Transaction) -> Option<u64> {
        let ceiling = self.gas_ceiling(transaction)?;
        let limit = transaction.intrinsic_gas().saturating_add(ceiling.gas);
        let limit = limit.max(transaction.minimum_gas());
        (limit < Fork::TRANSACTION_GAS).then_some(limit)
    }

    /// What may run out of gas in a transaction.
    #[must_use]
    pub fn shortage(&self, transaction: &Transaction) -> Shortage {
        let is_limited = transaction.gas < Fork::TRANSACTION_GAS;
        let ceiling = self.gas_ceiling(transaction);
        let is_enough = ceiling.is_some_and(|ceiling| ceiling.gas <= transaction.execution_gas());
        Shortage {
            of_call: is_limited && !is_enough,
            of_terms: self.has_short_term(transaction).unwrap_or_default(),
        }
    }

    fn has_short_term(&self, transaction: &Transaction) -> Option<bool> {
        let context = self.environment.context();
        let to = transaction.to?;
        let (selector, arguments) = Arguments::split(&transaction.data)?;
        match selector {
            hasAccessCall::SELECTOR | tryHasAccessCall::SELECTOR => {
                let (id, _, data) = read_access_call(arguments)?;
                let predicate = match to == self.address {
                    true => self.registry.tool(id).ok()?.predicate,
                    false => to,
                };
                Some(context.has_short_term(predicate, id, data))
            }
            getRequirementsCall::SELECTOR => {
                let id = arguments.number(0)?;
                let mut terms = context.terms(to, id).into_iter();
                Some(terms.any(|term| context.has_short_introspection(term, id)))
            }
            _ => None,
        }
    }

    /// Whether a lack of gas explains an outcome that the model does not predict:
    ///
    /// - a short call runs out of gas, reverts without data, or reverts with `NotEnoughGas`, `CodeStoreFailed`, `InvalidTerm` or
    ///   `InvalidAccessPredicate`;
    /// - `hasAccess` of a composite with a short term reverts with `NoAnswer`;
    /// - `getRequirements` of a composite returns the unknown entry in place of a term;
    /// - the registry returns `(false, false)` from `tryHasAccess` and false from `hasAccess`.
    #[must_use]
    pub fn is_out_of_gas(
        &self,
        transaction: &Transaction,
        shortage: Shortage,
        expected: &Outcome,
        found: &Outcome,
    ) -> bool {
        let to = transaction.to.unwrap_or_default();
        if to == self.address {
            let may_be_unknown = shortage.of_terms && matches!(found, Outcome::Returned(_));
            let (data, others) = (&transaction.data, &self.environment);
            return (shortage.of_call || may_be_unknown)
                && self.registry.is_out_of_gas(data, expected, found, others);
        }
        match found {
            Outcome::Halted(reason) => shortage.of_call && reason.starts_with("OutOfGas"),
            Outcome::Reverted(data) if data.is_empty() => shortage.of_call,
            Outcome::Reverted(data) => {
                let has_code = |account| self.environment.has_code(account);
                let of_call = NotEnoughGas::abi_decode(data).is_ok()
                    || CodeStoreFailed::abi_decode(data).is_ok()
                    || InvalidTerm::abi_decode(data).is_ok_and(|error| has_code(error.predicate));
                shortage.of_call && of_call
                    || shortage.of_terms && is_unknown(data) && may_be_unknown(expected)
            }
            Outcome::Returned(data) => self.is_partial_description(transaction, shortage, data),
            Outcome::Created(_) => false,
        }
    }

    /// Whether a composite describes its terms as the model does, except for short ones, which are unknown.
    fn is_partial_description(
        &self,
        transaction: &Transaction,
        shortage: Shortage,
        returned: &Bytes,
    ) -> bool {
        let context = self.environment.context();
        let to = transaction.to.unwrap_or_default();
        let arguments = Arguments::of::<getRequirementsCall>(&transaction.data);
        let id = arguments.and_then(|arguments| arguments.number(0));
        let (Some(predicate), Some(id)) = (context.predicate(to), id) else {
            return false;
        };
        let found = getRequirementsCall::abi_decode_returns_validate(returned);
        let (Ok(found), Ok(expected)) = (found, predicate.requirements(id, context)) else {
            return false;
        };
        let by_term = predicate.requirements_by_term(id, context).into_iter();
        let parts: Vec<_> = by_term
            .map(|(term, entries)| {
                let is_short = shortage.of_call || context.has_short_introspection(term, id);
                (entries, is_short)
            })
            .collect();
        !parts.is_empty()
            && found.logic == u8::from(expected.any)
            && is_concatenation(&found.requirements, &parts)
            && getRequirementsCall::abi_encode_returns(&found) == *returned
    }
}

/// Whether the list is all parts in order, each unchanged or, if it is short, the unknown entry.
fn is_concatenation(list: &[AccessRequirement], parts: &[(Vec<AccessRequirement>, bool)]) -> bool {
    let Some(((entries, is_short), others)) = parts.split_first() else {
        return list.is_empty();
    };
    let continues_after = |part: &[AccessRequirement]| {
        list.strip_prefix(part)
            .is_some_and(|rest| is_concatenation(rest, others))
    };
    continues_after(entries) || (*is_short && continues_after(&[unknown()]))
}

fn is_unknown(revert_data: &[u8]) -> bool {
    NoAnswer::abi_decode(revert_data).is_ok()
}

/// Whether the model returns a result or `NoAnswer`; any other revert has nothing to do with terms.
fn may_be_unknown(expected: &Outcome) -> bool {
    match expected {
        Outcome::Returned(_) => true,
        Outcome::Reverted(data) => is_unknown(data),
        _ => false,
    }
}
