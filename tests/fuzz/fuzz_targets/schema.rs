//! Any document as a schema, and any as a call: the first line is the schema, the rest the call.
#![no_main]

use atr_manifest::Document;
use atr_schema::CallSchema;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let (Some(schema), Some(call)) = (parts.next(), parts.next()) else {
        return;
    };
    let (Ok(schema), Ok(call)) = (Document::parse(schema), Document::parse(call)) else {
        return;
    };
    if let Ok(schema) = CallSchema::try_new(schema.root()) {
        let _ = schema.check(&call);
    }
});
