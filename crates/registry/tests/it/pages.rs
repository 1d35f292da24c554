use alloy_primitives::{Address, B256, U256, hex};
use atr_registry::{Error, MAX_TOOLS};

use crate::chain::Chain;

/// Returns this word, whatever it is asked.
fn says(word: U256) -> Vec<u8> {
    let mut code = vec![0x7f];
    code.extend(B256::from(word));
    code.extend(hex!("5f5260205ff3"));
    code
}

fn ids(page: &[(U256, atr_registry::ToolState)]) -> Vec<u64> {
    page.iter().map(|(id, _)| id.to()).collect()
}

#[tokio::test]
async fn pages_come_as_they_are_wanted_and_end() {
    let chain = Chain::start().await;
    for _ in 0..5 {
        chain.register(Address::ZERO).await;
    }
    let mut pages = chain.registry.pages_from(2).await.unwrap();
    // Registered too late for this walk.
    chain.register(Address::ZERO).await;
    assert_eq!(pages.count(), U256::from(5));
    assert_eq!(ids(&pages.next(1).await.unwrap()), [2]);
    assert_eq!(pages.next_id(), Some(3));
    assert_eq!(ids(&pages.next_page().await.unwrap()), [3, 4, 5]);
    assert_eq!(pages.next_id(), None);
    assert!(pages.next_page().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_registry_that_claims_too_much_is_not_walked_through() {
    let chain = Chain::start().await;
    let liar = Address::repeat_byte(0x1a);
    for count in [U256::from(MAX_TOOLS + 1), U256::from(u64::MAX), U256::MAX] {
        chain.set_code(liar, &says(count));
        let registry = chain.registry_at(liar).await;
        let error = registry.pages().await.unwrap_err();
        assert!(matches!(error, Error::TooManyTools { .. }), "{error}");
        assert!(!error.is_refusal() && !error.is_retryable());
        // The last id there can be does not overflow.
        let mut pages = registry.pages_from(u64::MAX).await.unwrap();
        assert_eq!(pages.count(), count);
        assert!(pages.next_id().is_none() || pages.next(1).await.is_err());
    }
    chain.set_code(liar, &says(U256::from(MAX_TOOLS)));
    let registry = chain.registry_at(liar).await;
    assert!(
        registry.pages().await.is_ok(),
        "nothing is asked before it is wanted"
    );
}
