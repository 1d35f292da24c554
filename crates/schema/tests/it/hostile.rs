use std::thread;

use atr_schema::{Error, Exhausted, Outcome};

use crate::{
    hostile_cases::{chain, nested, repeated},
    support::{assert_valid, compile, document, failures, validate},
};

/// Half the stack of an ordinary thread.
const STACK_BYTES: usize = 1 << 20;

/// Runs `work` on a small stack: an overflow would end the process.
fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    thread.spawn(work).unwrap().join().unwrap()
}

#[test]
fn schemas_beyond_the_limits_of_the_erc_are_rejected() {
    // I-05, I-06
    let deep = |levels| nested(levels, r#"{"not":"#, "{}", "}");
    assert!(compile(deep(15)).is_ok());
    assert!(matches!(
        compile(deep(16)),
        Err(Error::TooLarge { depth: 17, .. })
    ));
    let wide = |count| format!(r#"{{"allOf":[{}]}}"#, vec!["{}"; count].join(","));
    assert!(compile(wide(1_023)).is_ok());
    assert!(matches!(
        compile(wide(1_024)),
        Err(Error::TooLarge { nodes: 1_025, .. })
    ));
}

#[test]
fn endless_references_are_unknown() {
    for schema in [
        r##"{"$ref":"#"}"##,
        r#"{"$ref":""}"#,
        r##"{"allOf":[{"$ref":"#"},{"$ref":"#"}]}"##,
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}}}"##,
        r##"{"$dynamicAnchor":"x","anyOf":[{"$dynamicRef":"#x"}]}"##,
        r##"{"if":{"$ref":"#"}}"##,
        r##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##,
    ] {
        assert_eq!(
            validate(schema, r#"{"a":1}"#),
            Outcome::Unknown(Exhausted::Nesting),
            "{schema}"
        );
    }
    // Not endless where the instance ends.
    assert_valid(r##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##, "{}");
}

#[test]
fn the_deepest_instance_and_the_deepest_schema_fit_a_small_stack() {
    for link in [
        |next: &str| next.to_owned(),
        |next: &str| format!(r#"{{"anyOf":[{next},false]}}"#),
        |next: &str| format!(r#"{{"oneOf":[{next}]}}"#),
        |next: &str| format!(r#"{{"not":{{"not":{next}}}}}"#),
        |next: &str| format!(r#"{{"if":{next},"else":false}}"#),
        |next: &str| format!(r#"{{"allOf":[{next}],"minItems":0,"unevaluatedItems":true}}"#),
        |next: &str| format!(r#"{{"dependentSchemas":{{"a":{next}}},"allOf":[{next}]}}"#),
    ] {
        for (open, close, down) in [
            ("[", "]", r#"{"type":"array","items":{"$ref":"D"}}"#),
            ("[", "]", r#"{"contains":{"$ref":"D"}}"#),
            (
                r#"{"a":"#,
                "}",
                r#"{"type":"object","properties":{"a":{"$ref":"D"}}}"#,
            ),
            (
                r#"{"b":"#,
                "}",
                r#"{"type":"object","unevaluatedProperties":{"$ref":"D"}}"#,
            ),
        ] {
            // Ends on the instance's last level, or at the limit of nested schemas.
            let schema = chain(300, link, &down.replace('D', "#/$defs/d300"));
            let schema = compile(schema).unwrap();
            let instance = document(nested(127, open, "1", close));
            let outcome = on_a_small_stack(move || schema.validate(&instance));
            assert!(
                !matches!(outcome, Outcome::Unknown(Exhausted::Memory)),
                "{outcome:?}"
            );
        }
    }
}

#[test]
fn large_honest_instances_are_validated() {
    let row = r#"{"id":1,"kind":"a","tags":["x","y"],"at":{"x":1,"y":2}}"#;
    let schema = r#"{"type":"array","uniqueItems":true,"items":{"type":"object",
        "properties":{"id":{"type":"integer"},"kind":{"enum":["a","b"]},"tags":{"type":"array","uniqueItems":true,
        "items":{"type":"string"}},"at":{"properties":{"x":{},"y":{}},"additionalProperties":false}},
        "required":["id"],"unevaluatedProperties":false}}"#;
    let rows = repeated(15_000, |index| row.replacen('1', &index.to_string(), 1));
    assert_valid(schema, &format!("[{rows}]"));

    let numbers = format!("[{}0]", "0,".repeat(500_000));
    assert_valid(r#"{"items":{"type":"integer","minimum":0}}"#, &numbers);
    let allowed = repeated(10_000, |index| index.to_string());
    assert_valid(
        &format!(r#"{{"items":{{"enum":[{allowed}]}}}}"#),
        &format!("[{}9999]", "0,".repeat(200_000)),
    );
    assert_eq!(
        failures(r#"{"items":{"type":"string"}}"#, &numbers).len(),
        32
    );

    let names = repeated(60_000, |index| format!(r#""key{index}":{index}"#));
    let schema =
        r#"{"propertyNames":{"pattern":"^key[0-9]+$"},"additionalProperties":{"type":"integer"}}"#;
    assert_valid(schema, &format!("{{{names}}}"));
}
