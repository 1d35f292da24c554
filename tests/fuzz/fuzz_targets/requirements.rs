//! Whatever a predicate returns is a list within the limits, beyond them, or no list.
#![no_main]

use atr_registry::{IntrospectionLimits, Introspection};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let caps = IntrospectionLimits::default();
    if let Introspection::Known { requirements, .. } = Introspection::of_bytes(bytes, caps) {
        assert!(requirements.len() <= 256);
        for requirement in &requirements {
            assert!(requirement.data.len() <= 4096 && requirement.label.len() <= 256);
            let _ = requirement.to_string();
        }
    }
});
