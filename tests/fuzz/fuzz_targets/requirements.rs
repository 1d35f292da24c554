//! Introspection data of a predicate decodes within the limits or is rejected.
#![no_main]

use atr_registry::{IntrospectionLimits, Introspection};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = IntrospectionLimits::default();
    if let Introspection::Known { requirements, .. } = Introspection::decode(bytes, limits) {
        assert!(requirements.len() <= 256);
        for requirement in &requirements {
            assert!(requirement.data.len() <= 4096 && requirement.label.len() <= 256);
            let _ = requirement.to_string();
        }
    }
});
