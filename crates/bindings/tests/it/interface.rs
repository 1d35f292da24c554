use atr_bindings::{
    IAccessPredicate, IAccessProof, IAlwaysDenied, IERC20Balance, IERC721Holding, IERC1155Holding,
    IERC7496Trait, IMerkleAllowlist, INegatedRequirement, INestedRequirements, IReadsCallData,
    ISubscription, IToolRegistry,
};

/// An interface as generated.
pub(crate) struct Interface {
    pub(crate) name: &'static str,
    pub(crate) selectors: &'static [[u8; 4]],
    pub(crate) signatures: &'static [&'static str],
}

macro_rules! interfaces {
    ($($interface:ident :: $calls:ident),* $(,)?) => {
        /// All of them.
        pub(crate) const INTERFACES: &[Interface] = &[$(Interface {
            name: stringify!($interface),
            selectors: $interface::$calls::SELECTORS,
            signatures: $interface::$calls::SIGNATURES,
        }),*];
    };
}

interfaces!(
    IToolRegistry::IToolRegistryCalls,
    IAccessPredicate::IAccessPredicateCalls,
    IERC721Holding::IERC721HoldingCalls,
    IERC1155Holding::IERC1155HoldingCalls,
    ISubscription::ISubscriptionCalls,
    IERC20Balance::IERC20BalanceCalls,
    IERC7496Trait::IERC7496TraitCalls,
    IMerkleAllowlist::IMerkleAllowlistCalls,
    IAccessProof::IAccessProofCalls,
    IAlwaysDenied::IAlwaysDeniedCalls,
    INegatedRequirement::INegatedRequirementCalls,
    INestedRequirements::INestedRequirementsCalls,
    IReadsCallData::IReadsCallDataCalls,
);
