//! Any bytes are read or refused; what is read has a canonical form that is a fixed point, and others read it as well.
#![no_main]

use atr_manifest::{Document, Error};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let theirs = serde_json::from_slice::<serde_json::Value>(bytes);
    match Document::parse(bytes) {
        Ok(document) => {
            let form = document.canonical();
            assert_eq!(document.hash(), form.hash());
            let again = Document::parse(form.as_bytes()).expect("a canonical form is a document");
            assert_eq!(again.canonical(), form);
            // One level more than serde_json, and nothing else.
            if let Err(error) = theirs {
                assert!(error.to_string().contains("recursion limit"), "{error}");
            }
        }
        Err(Error::DuplicateName { .. } | Error::TooDeep { .. } | Error::TooLarge { .. }) => {}
        Err(error) => assert!(theirs.is_err(), "{error}"),
    }
});
