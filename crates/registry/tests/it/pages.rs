use alloy_primitives::{Address, B256, U256, hex};
use atr_registry::{Error, MAX_TOOLS};

use crate::chain::Chain;

/// Runtime code that returns this value for every call.
fn returns(value: U256) -> Vec<u8> {
    let mut code = vec![0x7f];
    code.extend(B256::from(value));
    code.extend(hex!("5f5260205ff3"));
    code
}

fn ids(page: &[(U256, atr_registry::ToolState)]) -> Vec<u64> {
    page.iter().map(|(id, _)| id.to()).collect()
}

#[tokio::test]
async fn reads_pages_on_demand() {
    let chain = Chain::start().await;
    for _ in 0..5 {
        chain.register(Address::ZERO).await;
    }
    let mut pages = chain.registry.pages_from(2).await.unwrap();
    // Not included: the scan is pinned to one block.
    chain.register(Address::ZERO).await;
    assert_eq!(pages.count(), U256::from(5));
    assert_eq!(ids(&pages.next(1).await.unwrap()), [2]);
    assert_eq!(pages.next_id(), Some(3));
    assert_eq!(ids(&pages.next_page().await.unwrap()), [3, 4, 5]);
    assert_eq!(pages.next_id(), None);
    assert!(pages.next_page().await.unwrap().is_empty());
}

#[tokio::test]
async fn rejects_a_scan_of_too_many_tools() {
    let chain = Chain::start().await;
    let malicious = Address::repeat_byte(0x1a);
    for count in [U256::from(MAX_TOOLS + 1), U256::from(u64::MAX), U256::MAX] {
        chain.set_code(malicious, &returns(count));
        let registry = chain.registry_at(malicious).await;
        let error = registry.pages().await.unwrap_err();
        assert!(matches!(error, Error::TooManyTools { .. }), "{error}");
        assert!(!error.is_rejection() && !error.is_retryable());
        // The maximum id does not overflow.
        let mut pages = registry.pages_from(u64::MAX).await.unwrap();
        assert_eq!(pages.count(), count);
        assert!(pages.next_id().is_none() || pages.next(1).await.is_err());
    }
    chain.set_code(malicious, &returns(U256::from(MAX_TOOLS)));
    let registry = chain.registry_at(malicious).await;
    assert!(registry.pages().await.is_ok(), "pages are read on demand");
}
