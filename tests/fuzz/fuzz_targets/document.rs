//! Bytes are parsed or rejected. The canonical form of a document is a fixed point and valid JSON for serde_json.
#![no_main]

use atr_manifest::{Document, Error};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let theirs = serde_json::from_slice::<serde_json::Value>(bytes);
    match Document::parse(bytes) {
        Ok(document) => {
            let form = document.canonical();
            assert_eq!(document.hash(), form.hash());
            let again = Document::parse(form.as_bytes()).expect("the canonical form is a document");
            assert_eq!(again.canonical(), form);
            // The only difference: one more nesting level than serde_json.
            if let Err(error) = theirs {
                assert!(error.to_string().contains("recursion limit"), "{error}");
            }
        }
        Err(Error::DuplicateName { .. } | Error::TooDeep { .. } | Error::TooLarge { .. }) => {}
        Err(error) => assert!(theirs.is_err(), "{error}"),
    }
});
