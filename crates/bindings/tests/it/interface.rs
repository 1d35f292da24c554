use atr_bindings::{
    IAccessPredicate, IERC721Holding, IERC1155Holding, ISubscription, IToolRegistry,
};

/// An interface as generated.
pub(crate) struct Interface {
    pub(crate) name: &'static str,
    pub(crate) selectors: &'static [[u8; 4]],
    pub(crate) signatures: &'static [&'static str],
}

/// All of them.
pub(crate) const INTERFACES: [Interface; 5] = [
    Interface {
        name: "IToolRegistry",
        selectors: IToolRegistry::IToolRegistryCalls::SELECTORS,
        signatures: IToolRegistry::IToolRegistryCalls::SIGNATURES,
    },
    Interface {
        name: "IAccessPredicate",
        selectors: IAccessPredicate::IAccessPredicateCalls::SELECTORS,
        signatures: IAccessPredicate::IAccessPredicateCalls::SIGNATURES,
    },
    Interface {
        name: "IERC721Holding",
        selectors: IERC721Holding::IERC721HoldingCalls::SELECTORS,
        signatures: IERC721Holding::IERC721HoldingCalls::SIGNATURES,
    },
    Interface {
        name: "IERC1155Holding",
        selectors: IERC1155Holding::IERC1155HoldingCalls::SELECTORS,
        signatures: IERC1155Holding::IERC1155HoldingCalls::SIGNATURES,
    },
    Interface {
        name: "ISubscription",
        selectors: ISubscription::ISubscriptionCalls::SELECTORS,
        signatures: ISubscription::ISubscriptionCalls::SIGNATURES,
    },
];
