use atr_schema::Error;

use crate::support::{check, compile, in_time};

#[test]
fn a_pattern_that_backtracks_elsewhere_takes_linear_time() {
    // I-13
    for pattern in ["(a+)+$", "^(a|aa)+$", "^(a|a?)+$", "(.*a){20}$"] {
        let schema = format!(r#"{{"pattern":"{pattern}"}}"#);
        let call = format!("\"{}b\"", "a".repeat(50_000));
        assert!(in_time(move || check(&schema, &call)).is_err(), "{pattern}");
    }
}

#[test]
fn names_are_matched_in_linear_time_as_well() {
    // I-13
    let call = format!(r#"{{"{}b":1}}"#, "a".repeat(50_000));
    let properties = r#"{"patternProperties":{"(a+)+$":false}}"#;
    let names = r#"{"propertyNames":{"pattern":"(a+)+$"}}"#;
    let other = call.clone();
    assert_eq!(in_time(move || check(properties, &call)), Ok(()));
    assert!(in_time(move || check(names, &other)).is_err());
}

#[test]
fn what_no_linear_matcher_can_run_is_refused_by_name() {
    // I-13
    for (pattern, text) in [
        ("(?=a)b", "(?=a)b"),
        ("(?!a)b", "(?!a)b"),
        ("(?<=a)b", "(?<=a)b"),
        (r"(a)\\1", r"(a)\1"),
        (r"(?<n>a)\\k<n>", r"(?<n>a)\k<n>"),
        ("(", "("),
    ] {
        let Err(Error::Pattern {
            pointer,
            pattern: told,
        }) = compile(format!(
            r#"{{"properties":{{"x":{{"pattern":"{pattern}"}}}}}}"#
        ))
        else {
            panic!("{pattern} was taken");
        };
        assert_eq!(
            (pointer.as_str(), told.as_str()),
            ("/properties/x/pattern", text)
        );
        let Err(Error::Pattern { pattern: told, .. }) =
            compile(format!(r#"{{"patternProperties":{{"{pattern}":true}}}}"#))
        else {
            panic!("{pattern} was taken for names");
        };
        assert_eq!(told, text);
    }
}

#[test]
fn a_pattern_that_grows_when_compiled_is_refused() {
    // I-13
    for pattern in [
        "(((a{100}){100}){100})",
        "((a{400}){400})",
        "a{1000000}",
        r"\\p{L}{5000}",
    ] {
        for schema in [
            format!(r#"{{"pattern":"{pattern}"}}"#),
            format!(r#"{{"patternProperties":{{"{pattern}":{{}}}}}}"#),
            format!(
                r#"{{"patternProperties":{{"{pattern}":{{}}}},"unevaluatedProperties":false}}"#
            ),
        ] {
            let refused = in_time(|| compile(schema));
            assert!(
                matches!(refused, Err(Error::Pattern { .. })),
                "{pattern}: {refused:?}"
            );
        }
    }
}

#[test]
fn a_pattern_nested_without_end_is_refused() {
    // I-13
    let pattern = "(".repeat(100_000) + &")".repeat(100_000);
    let refused = in_time(move || compile(format!(r#"{{"pattern":"{pattern}"}}"#)));
    assert!(matches!(refused, Err(Error::Pattern { .. })));
}

#[test]
fn large_patterns_and_long_texts_do_not_meet() {
    // I-13
    let schema = r#"{"items":{"pattern":"[ab]*a[ab]{3000}c"}}"#;
    let call = |bytes: usize| format!(r#"["{}"]"#, "ab".repeat(bytes / 2));
    let short = call(100);
    assert_eq!(
        in_time(move || check(schema, &short)).unwrap_err()[0].rule,
        "/items/pattern"
    );
    let long = call(1_000_000);
    let found = in_time(move || check(schema, &long)).unwrap_err();
    assert!(
        found[0].message.contains("patterns"),
        "{}",
        found[0].message
    );
}

#[test]
fn a_long_text_beside_a_large_pattern_is_no_matter() {
    let schema = r#"{"properties":{"name":{"pattern":"^\\p{L}{1,64}$"},"text":{"type":"string"}}}"#;
    let call = format!(r#"{{"name":"Zoë","text":"{}"}}"#, "x".repeat(500_000));
    assert_eq!(in_time(move || check(schema, &call)), Ok(()));
}

#[test]
fn ordinary_patterns_fit() {
    for (pattern, call) in [
        ("^0x[0-9a-fA-F]{64}$", format!("0x{}", "aB".repeat(32))),
        (r"^[\\p{L}\\p{N} _-]{1,64}$", "Zürich 8".into()),
        ("^.{1,1024}$", "x".repeat(1_024)),
        (r"^[^\\s@]{1,64}@[^\\s@]{1,255}$", "a@example.com".into()),
        (
            r"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$",
            "2025-01-31T12:00:00Z".into(),
        ),
    ] {
        let schema = format!(r#"{{"pattern":"{pattern}"}}"#);
        assert_eq!(check(&schema, &format!("\"{call}\"")), Ok(()), "{pattern}");
        assert!(check(&schema, "\"\"").is_err(), "{pattern}");
    }
}
