//! Gas ceilings: the execution gas with which a call must do what the model says.
//!
//! | call | ceiling |
//! |---|---|
//! | calls of the registry, configuration of a predicate | a row of [`ROWS`]: a fixed part and gas per byte of calldata |
//! | `hasAccess` of a leaf | `LEAF` or `DATA_READER`, and for each call to a token `TOKEN_CALL` and what the token uses at most; enough to forward each stipend |
//! | `hasAccess` of a composite | `COMPOSITE`, and for each term `TERM_CALL` and 64/63 of its stipend: what the composite reports as `gasNeeded` |
//! | `getRequirements` | `DESCRIBE` for a leaf; for a composite also per term, `GAS_PER_INTROSPECTION` for one that is not a leaf |
//!
//! The figures are measured. The random sequences of `tests/properties` make their calls with exactly the ceiling, and fail if no
//! call of a row uses a third of it. Below the ceiling a call may run out of gas instead, in the ways
//! [`ChainModel::is_out_of_gas`] lists. A term of a composite runs out of gas in the same way if the stipend stored for it is
//! below its ceiling, and so does a token whose stipend is below what it may use.

use std::cell::Cell;

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, SolError, SolValue};
use atr_bindings::{
    AccessProofPredicate::setStipendCall,
    AccessRequirement,
    CompositePredicate::{
        CallFailed, CodeStoreFailed, InvalidTerm, NotEnoughGas, setClausesCall, setCompositionCall,
    },
    ERC20BalancePredicate::{configureToolERC20_0Call, configureToolERC20_1Call},
    ERC721OwnerPredicate::{setCollections_0Call, setCollections_1Call},
    ERC1155OwnerPredicate::{setCollectionTokens_0Call, setCollectionTokens_1Call},
    IAccessPredicate::getRequirementsCall,
    IToolRegistry::{
        InvalidAccessPredicate, deregisterToolCall, getToolConfigCall, hasAccessCall, nameCall,
        registerToolCall, setAccessPredicateCall, toolCountCall, tryHasAccessCall,
        updateToolMetadataCall, versionCall,
    },
    MerkleAllowlistPredicate::setAllowlistRootCall,
    SubscriptionPredicate::{
        configureToolGating_0Call, configureToolGating_1Call, getSubscriptionStatusCall,
    },
    TraitGatedPredicate::{configureToolTrait_0Call, configureToolTrait_1Call},
};

use super::{
    ChainModel, Context, ExternalContracts, Registry,
    calldata::Arguments,
    predicates::{ClauseRequirements, read_access_call, view},
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
    setStipendCall          "setStipend"          60_000, 0;
    configureToolGating_0Call "configureToolGating" 60_000, 0;
    configureToolGating_1Call "configureToolGating" 60_000, 0;
    configureToolERC20_0Call  "configureToolERC20"  80_000, 0;
    configureToolERC20_1Call  "configureToolERC20"  80_000, 0;
    setCollections_0Call      "setCollections"      90_000, 240;
    setCollections_1Call      "setCollections"      90_000, 240;
    setCollectionTokens_0Call "setCollectionTokens" 90_000, 240;
    setCollectionTokens_1Call "setCollectionTokens" 90_000, 240;
    configureToolTrait_0Call  "configureToolTrait"  90_000, 240;
    configureToolTrait_1Call  "configureToolTrait"  90_000, 240;
    setCompositionCall        "setComposition"      130_000, 700;
    setClausesCall            "setClauses"          130_000, 500;
};

/// `hasAccess` of a predicate that neither is a composite nor reads `data`: its own gas.
const LEAF: (u64, u64) = (3_800, 0);

/// `hasAccess` of a predicate that reads `data`: its own gas with the recovery of a signer, and per byte of `data`.
const DATA_READER: (u64, u64) = (14_000, 25);

/// `hasAccess` of a composite: its own gas, and per byte of `data` beyond the first [`SHORT_DATA`].
const COMPOSITE: (u64, u64) = (9_000, 12);
const SHORT_DATA: usize = 64;

/// A call to a token: a cold account and the loop.
const TOKEN_CALL: u64 = 3_400;

/// A call to a term: a cold account, the encoding of the call, and the gas kept in reserve.
const TERM_CALL: u64 = 4_000;

/// Reading a list from code: a cold account, and per word.
const LIST: (u64, u64) = (2_700, 120);

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
    /// The stipend of a token or of a term of a composite is below its ceiling.
    pub of_stipend: bool,
}

/// The calls of a predicate to tokens.
#[derive(Debug, Default)]
pub struct Meter {
    used: Cell<u64>,
    /// The highest amount with which every stipend so far could be forwarded.
    needed: Cell<u64>,
    is_short: Cell<bool>,
    slack: u64,
}

impl Meter {
    pub(super) fn record(&self, stipend: u64, (used, is_short): (u64, bool)) {
        let before = self.used.get() + TOKEN_CALL + self.slack;
        let to_forward = before + stipend + stipend / 63;
        self.needed.set(self.needed.get().max(to_forward));
        self.used.set(before + used);
        self.is_short.set(self.is_short.get() || is_short);
    }

    pub(super) fn record_list(&self, words: usize) {
        self.used
            .set(self.used.get() + LIST.0 + LIST.1 * words as u64);
    }

    fn ceiling(&self) -> u64 {
        self.needed.get().max(self.used.get())
    }
}

impl Shortage {
    /// Whether the call must do what the model says.
    #[must_use]
    pub const fn is_none(self) -> bool {
        !self.of_call && !self.of_stipend
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
    /// The ceiling of `hasAccess`, called by a composite or a transaction.
    #[must_use]
    pub fn has_access_ceiling(self, at: Address, check: Check<'_>) -> u64 {
        let Some(predicate) = self.predicate(at) else {
            return self.scripts().has_access_ceiling(at);
        };
        if !predicate.is_composite() {
            let meter = self.metered(at, &check.calldata());
            let (own, per_byte) = match predicate.reads_data() {
                true => DATA_READER,
                false => LEAF,
            };
            let own = own + self.gas_slack();
            return own + per_byte * check.data.len() as u64 + meter.ceiling();
        }
        let terms = predicate.terms(check.id, check.data).into_iter();
        let call = TERM_CALL + self.gas_slack();
        let inner: u64 = terms.map(|term| term.gas + term.gas / 63 + call).sum();
        let (own, per_byte) = COMPOSITE;
        own + self.gas_slack()
            + per_byte * check.data.len().saturating_sub(SHORT_DATA) as u64
            + inner
    }

    /// The calls to tokens that a view function of a leaf makes.
    fn metered(self, at: Address, calldata: &[u8]) -> Meter {
        let meter = Meter {
            slack: self.gas_slack(),
            ..Meter::default()
        };
        if let Some(predicate) = self.predicate(at) {
            view(predicate, calldata, self.with_meter(&meter));
        }
        meter
    }

    /// Whether the stipend of a token or term of this predicate, or of a term of a term, is below its ceiling.
    #[must_use]
    pub fn has_short_stipend(self, at: Address, check: Check<'_>) -> bool {
        let Some(predicate) = self.predicate(at) else {
            return false;
        };
        if !predicate.is_composite() {
            return self.metered(at, &check.calldata()).is_short.get();
        }
        // Ends in a cycle too: the stipend of a term is less than the ceiling of its composite.
        let terms = predicate.terms(check.id, check.data);
        terms.into_iter().any(|term| {
            let inner = Check {
                data: &term.data,
                ..check
            };
            term.gas < self.has_access_ceiling(term.predicate, inner)
                || self.has_short_stipend(term.predicate, inner)
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

/// The arguments of `hasAccess`.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Check<'a> {
    pub id: U256,
    pub account: Address,
    pub data: &'a [u8],
}

impl<'a> Check<'a> {
    fn read(arguments: Arguments<'a>) -> Option<Self> {
        let (id, account, data) = read_access_call(arguments)?;
        Some(Self { id, account, data })
    }

    fn calldata(self) -> Vec<u8> {
        let call = hasAccessCall {
            toolId: self.id,
            account: self.account,
            data: Bytes::copy_from_slice(self.data),
        };
        call.abi_encode()
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
                let check = Check::read(arguments)?;
                let call = match context.terms(to, check.id).is_empty() {
                    true => "hasAccess of a leaf",
                    false => "hasAccess of a composite",
                };
                let gas = context.has_access_ceiling(to, check);
                Some(Ceiling { call, gas })
            }
            getSubscriptionStatusCall::SELECTOR => {
                let call = "hasAccess of a leaf";
                let gas = LEAF.0 + context.gas_slack() + context.metered(to, data).ceiling();
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
        let of_stipend = self.has_short_stipend(transaction).unwrap_or_default();
        // A token that runs out of gas may be followed by calls that the model does not make.
        let predicate = transaction
            .to
            .and_then(|to| self.environment.context().predicate(to));
        let is_leaf = predicate.is_some_and(|predicate| !predicate.is_composite());
        Shortage {
            of_call: is_limited && (!is_enough || (is_leaf && of_stipend)),
            of_stipend,
        }
    }

    fn has_short_stipend(&self, transaction: &Transaction) -> Option<bool> {
        let context = self.environment.context();
        let to = transaction.to?;
        let (selector, arguments) = Arguments::split(&transaction.data)?;
        match selector {
            hasAccessCall::SELECTOR | tryHasAccessCall::SELECTOR => {
                let check = Check::read(arguments)?;
                let predicate = match to == self.address {
                    true => self.registry.tool(check.id).ok()?.predicate,
                    false => to,
                };
                Some(context.has_short_stipend(predicate, check))
            }
            getSubscriptionStatusCall::SELECTOR => {
                Some(context.metered(to, &transaction.data).is_short.get())
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
    /// - `hasAccess` of a predicate with a short stipend reverts with `CallFailed`;
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
            let may_be_unknown = shortage.of_stipend && matches!(found, Outcome::Returned(_));
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
                    || shortage.of_stipend && is_unknown(data) && may_be_unknown(expected)
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
        let is_short = |term| shortage.of_call || context.has_short_introspection(term, id);
        let clauses = predicate.requirements_by_clause(id, context);
        !clauses.is_empty()
            && found.logic == u8::from(expected.any)
            && is_concatenation(&found.requirements, &clauses, &is_short)
            && getRequirementsCall::abi_encode_returns(&found) == *returned
    }
}

/// Whether the list is all clauses in order, each with any of its short terms unknown.
fn is_concatenation(
    list: &[AccessRequirement],
    clauses: &[ClauseRequirements],
    is_short: &impl Fn(Address) -> bool,
) -> bool {
    let Some((clause, others)) = clauses.split_first() else {
        return list.is_empty();
    };
    let each = clause.terms.iter().enumerate();
    let short = each.map(|(index, (term, _))| u32::from(is_short(*term)) << index);
    let short: u32 = short.sum();
    let subsets = (0..=short).filter(|unknown| unknown & short == *unknown);
    let mut parts = subsets.map(|unknown| clause.entries(|index| unknown >> index & 1 == 1));
    parts.any(|part| {
        list.strip_prefix(&*part)
            .is_some_and(|rest| is_concatenation(rest, others, is_short))
    })
}

fn is_unknown(revert_data: &[u8]) -> bool {
    CallFailed::abi_decode(revert_data).is_ok()
}

/// Whether the model returns a result or `CallFailed`; any other revert has nothing to do with stipends.
fn may_be_unknown(expected: &Outcome) -> bool {
    match expected {
        Outcome::Returned(_) => true,
        Outcome::Reverted(data) => is_unknown(data),
        _ => false,
    }
}
