//! Any document is judged, for both roles, and what the rules let through can be viewed.
#![no_main]

use atr_manifest::{Document, Manifest, Policy, check};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = Document::parse(bytes) else {
        return;
    };
    let consumer = check(&document, Policy::consumer());
    let producer = check(&document, Policy::producer());
    assert!(consumer.is_valid() || !producer.is_valid());
    let normal = document.to_nfc();
    if consumer.is_valid() {
        assert_eq!(normal.expect("NFC already").hash(), document.hash());
        Manifest::try_new(document, Policy::consumer()).expect("valid");
    }
});
