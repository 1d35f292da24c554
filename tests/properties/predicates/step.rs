//! What can happen, told in a way that survives when steps before it are taken away: everything is a pick from what is
//! there when its turn comes.

use atr_harness::model::tokens::Voice;

use super::data::Data;

/// Takes one of several, whatever the number.
pub(crate) fn pick<T: Clone>(number: u8, of: &[T]) -> T {
    of[usize::from(number) % of.len()].clone()
}

/// Who sets something up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum By {
    Creator,
    OtherCreator,
    Account(u8),
    Registry,
}

/// Whom to ask about access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whom {
    /// `tryHasAccess` of the registry.
    Registry,
    /// `hasAccess` of the registry.
    RegistryFolded,
    Predicate(u8),
}

/// One step. Numbers are picks.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Register,
    Deregister {
        tool: u8,
        by: By,
    },
    Gate {
        tool: u8,
        predicate: u8,
        by: By,
    },
    SetCollections {
        tool: u8,
        collections: Vec<u8>,
        by: By,
    },
    SetEditions {
        tool: u8,
        groups: Vec<(u8, Vec<u8>)>,
        by: By,
    },
    SetBalance {
        tool: u8,
        coin: u8,
        least: u8,
        by: By,
    },
    SetGating {
        tool: u8,
        pass: u8,
        tier: u8,
        by: By,
    },
    SetTrait {
        tool: u8,
        collection: u8,
        traits: u8,
        values: Vec<u8>,
        by: By,
    },
    SetList {
        tool: u8,
        members: u8,
        by: By,
    },
    Compose {
        tool: u8,
        inner: bool,
        op: u8,
        terms: Vec<(u8, bool)>,
        budget: Option<u32>,
        by: By,
    },
    Pay {
        coin: u8,
        account: u8,
        amount: u8,
    },
    Transfer {
        coin: u8,
        from: u8,
        to: u8,
        amount: u8,
    },
    Approve {
        coin: u8,
        from: u8,
        to: u8,
        amount: u8,
    },
    GiveCollectible {
        collection: u8,
        token: u8,
        to: Option<u8>,
    },
    GiveEdition {
        edition: u8,
        token: u8,
        to: u8,
        amount: u8,
    },
    /// One id, or two at once.
    SendEdition {
        edition: u8,
        token: u8,
        from: u8,
        to: u8,
        amount: u8,
        two: bool,
    },
    Subscribe {
        pass: u8,
        account: u8,
        token: u8,
        seconds_left: i8,
        tier: u8,
    },
    PaintRelic {
        token: u8,
        value: u8,
    },
    Voice {
        token: u8,
        voice: Voice,
    },
    Wait {
        seconds: u8,
    },
    Ask {
        whom: Whom,
        tool: u8,
        account: u8,
        data: Data,
    },
    AskStatus {
        tool: u8,
        account: u8,
    },
    AskRequirements {
        predicate: u8,
        tool: u8,
    },
}
