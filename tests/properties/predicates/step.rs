//! Steps of a scenario. They refer to tools, tokens and accounts by index, so that a scenario stays valid when steps are removed.

use atr_harness::model::tokens::TokenBehavior;

use super::data::Data;

/// Selects an element; the index is taken modulo the length.
pub(crate) fn pick<T: Clone>(number: u8, from: &[T]) -> T {
    from[usize::from(number) % from.len()].clone()
}

/// The sender.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Caller {
    Creator,
    OtherCreator,
    Account(u8),
    Registry,
}

/// The function of an access check.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AccessTarget {
    /// `tryHasAccess` of the registry.
    TryHasAccess,
    /// `hasAccess` of the registry.
    HasAccess,
    Predicate(u8),
}

/// The terms of a composite: predicates, and whether they are negated.
#[derive(Clone, Debug)]
pub(crate) enum Terms {
    /// For `setComposition`.
    Flat(Vec<(u8, bool)>),
    /// For `setClauses`, with the default stipends or the same stipend for each term.
    Clauses(Vec<Vec<(u8, bool)>>, TermGas),
}

/// The argument `termGas` of `setClauses`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TermGas {
    Default,
    Each(u32),
    /// One entry too many.
    WrongNumber,
}

/// One step. Numbers are indices.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Register,
    Deregister {
        tool: u8,
        by: Caller,
    },
    SetAccessPredicate {
        tool: u8,
        predicate: u8,
        by: Caller,
    },
    SetCollections {
        tool: u8,
        collections: Vec<u8>,
        stipend: Option<u32>,
        by: Caller,
    },
    SetCollectionTokens {
        tool: u8,
        groups: Vec<(u8, Vec<u8>)>,
        stipend: Option<u32>,
        by: Caller,
    },
    ConfigureErc20 {
        tool: u8,
        token: u8,
        min_balance: u8,
        stipend: Option<u32>,
        by: Caller,
    },
    ConfigureSubscription {
        tool: u8,
        token: u8,
        tier: u8,
        stipend: Option<u32>,
        by: Caller,
    },
    ConfigureTrait {
        tool: u8,
        collection: u8,
        traits: u8,
        values: Vec<u8>,
        stipend: Option<u32>,
        by: Caller,
    },
    SetAllowlist {
        tool: u8,
        members: u8,
        by: Caller,
    },
    /// The stipend of `AccessProofPredicate`.
    SetProofStipend {
        tool: u8,
        stipend: u32,
        by: Caller,
    },
    SetComposition {
        tool: u8,
        inner: bool,
        op: u8,
        terms: Terms,
        by: Caller,
    },
    SetErc20Balance {
        token: u8,
        account: u8,
        amount: u8,
    },
    TransferErc20 {
        token: u8,
        from: u8,
        to: u8,
        amount: u8,
    },
    ApproveErc20 {
        token: u8,
        from: u8,
        to: u8,
        amount: u8,
    },
    SetErc721Owner {
        collection: u8,
        token: u8,
        to: Option<u8>,
    },
    SetErc1155Balance {
        token: u8,
        id: u8,
        to: u8,
        amount: u8,
    },
    /// One id, or a batch of two.
    TransferErc1155 {
        token: u8,
        id: u8,
        from: u8,
        to: u8,
        amount: u8,
        two: bool,
    },
    Subscribe {
        collection: u8,
        account: u8,
        token: u8,
        seconds_left: i8,
        tier: u8,
    },
    SetTraitValue {
        token: u8,
        value: u8,
    },
    SetTokenBehavior {
        token: u8,
        behavior: TokenBehavior,
    },
    AdvanceTime {
        seconds: u8,
    },
    CheckAccess {
        target: AccessTarget,
        tool: u8,
        account: u8,
        data: Data,
    },
    GetSubscriptionStatus {
        tool: u8,
        account: u8,
    },
    GetRequirements {
        predicate: u8,
        tool: u8,
    },
}
