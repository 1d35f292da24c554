//! Both policies accept any document as input; a valid manifest can be read through the typed view.
#![no_main]

use atr_manifest::{CheckedDocument, Document, Policy, check};
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
        assert_eq!(normal.expect("already NFC").hash(), document.hash());
        let checked = CheckedDocument::new(document, Policy::consumer());
        checked.into_manifest().expect("valid");
    }
});
