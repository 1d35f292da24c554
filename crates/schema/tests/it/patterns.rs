use atr_schema::{Error, Exhausted, Outcome};

use crate::support::{assert_valid, compile, document, failures, validate};

#[test]
fn patterns_that_backtrack_elsewhere_take_linear_time() {
    // I-13
    let text = "a".repeat(50_000) + "b";
    for pattern in ["(a+)+$", "^(a|aa)+$", "^(a|a?)+$", "(.*a){20}$"] {
        let schema = format!(r#"{{"pattern":"{pattern}"}}"#);
        assert_eq!(
            failures(&schema, &format!("\"{text}\"")).len(),
            1,
            "{pattern}"
        );
    }
    let names = format!(r#"{{"{text}":1}}"#);
    assert_valid(r#"{"patternProperties":{"(a+)+$":false}}"#, &names);
    assert_eq!(
        failures(r#"{"propertyNames":{"pattern":"(a+)+$"}}"#, &names).len(),
        1
    );
}

#[test]
fn patterns_without_a_linear_matcher_are_rejected_with_the_reason() {
    // I-13
    for (pattern, reason) in [
        ("(?=a)b", "lookaround"),
        ("(?!a)b", "lookaround"),
        ("(?<=a)b", "lookaround"),
        (r"(a)\1", "backreferences"),
        (r"(?<n>a)\k<n>", "backreferences"),
        ("(", "valid"),
    ] {
        let quoted = serde_json::to_string(pattern).unwrap();
        for (schema, expected) in [
            (
                format!(r#"{{"properties":{{"x":{{"pattern":{quoted}}}}}}}"#),
                "/properties/x/pattern".to_owned(),
            ),
            (
                format!(r#"{{"patternProperties":{{{quoted}:true}}}}"#),
                format!("/patternProperties/{pattern}"),
            ),
        ] {
            match compile(schema) {
                Err(Error::Pattern {
                    location,
                    pattern: excerpt,
                    reason: found,
                }) => {
                    assert_eq!(
                        (location.as_str(), excerpt.as_str()),
                        (expected.as_str(), pattern)
                    );
                    assert!(found.contains(reason), "{pattern}: {found}");
                }
                other => panic!("{pattern}: {other:?}"),
            }
        }
    }
}

#[test]
fn large_patterns_on_long_texts_are_unknown() {
    // I-13
    let schema = r#"{"items":{"pattern":"[ab]*a[ab]{3000}c"}}"#;
    assert_eq!(
        failures(schema, &format!(r#"["{}"]"#, "ab".repeat(50))),
        ["/0 /items/pattern"]
    );
    let long = format!(r#"["{}"]"#, "ab".repeat(500_000));
    assert_eq!(validate(schema, &long), Outcome::Unknown(Exhausted::Fuel));
}

#[test]
fn a_long_text_beside_a_large_pattern_is_validated() {
    let schema = r#"{"properties":{"name":{"pattern":"^\\p{L}{1,64}$"},"text":{"type":"string"}}}"#;
    assert_valid(
        schema,
        &format!(r#"{{"name":"Zoë","text":"{}"}}"#, "x".repeat(500_000)),
    );
}

#[test]
fn patterns_of_published_schemas_are_supported() {
    let email =
        r"^(?:[A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$";
    for (pattern, text) in [
        ("^0x[0-9a-fA-F]{64}$", format!("0x{}", "aB".repeat(32))),
        (r"^[\p{L}\p{N} _-]{1,64}$", "Zürich 8".into()),
        ("^.{1,1024}$", "x".repeat(1_024)),
        (r"^[^\s@]{1,64}@[^\s@]{1,255}$", "a@example.com".into()),
        (
            r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$",
            "2025-01-31T12:00:00Z".into(),
        ),
        (
            r"^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
            "01890a5d-ac96-774b-bcce-b302099a8057".into(),
        ),
        (email, "jo.doe+x@mail.example.com".into()),
        (
            r"^(\p{Extended_Pictographic}|\p{Emoji_Component})+$",
            "\u{1f600}\u{1f3fd}".into(),
        ),
    ] {
        let schema = format!(
            r#"{{"pattern":{}}}"#,
            serde_json::to_string(pattern).unwrap()
        );
        let schema = compile(schema).unwrap();
        assert_eq!(
            schema.validate(&document(format!("\"{text}\""))),
            Outcome::Valid,
            "{pattern}"
        );
        assert!(!schema.validate(&document("\"\"")).is_valid(), "{pattern}");
    }
    // A list of a thousand addresses and more.
    let addresses = vec![format!("\"0x{}\"", "0aBcDeF123".repeat(4)); 20_000].join(",");
    assert_valid(
        r#"{"items":{"pattern":"^0x[0-9a-fA-F]{40}$"}}"#,
        &format!("[{addresses}]"),
    );
}
