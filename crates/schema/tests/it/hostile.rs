use std::fmt::Write;

use atr_schema::{CallSchema, Error};

use crate::support::{bounded, check, compile, document, in_time};

/// A schema of `count` definitions; `link` writes one, given its number and a reference to the next.
fn chain(count: usize, link: impl Fn(&str) -> String, last: &str) -> String {
    let mut definitions = String::new();
    for index in 0..count {
        let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, index + 1);
        write!(definitions, r#""d{index}":{},"#, link(&next)).unwrap();
    }
    format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{definitions}"d{count}":{last}}}}}"##)
}

fn nested(levels: usize, open: &str, inner: &str, close: &str) -> String {
    open.repeat(levels) + inner + &close.repeat(levels)
}

#[track_caller]
fn refused(schema: String) -> Error {
    in_time(move || compile(schema)).expect_err("the schema was taken")
}

#[test]
fn references_that_never_leave_their_place_are_refused() {
    for schema in [
        r##"{"$ref":"#"}"##,
        r#"{"$ref":""}"#,
        r##"{"allOf":[{"$ref":"#"},{"$ref":"#"}]}"##,
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}}}"##,
        r##"{"$dynamicAnchor":"x","anyOf":[{"$dynamicRef":"#x"}]}"##,
        r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","if":{"$recursiveRef":"#"}}"##,
        r##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##,
    ] {
        let error = refused(schema.into());
        assert!(
            matches!(error, Error::EndlessRef { .. }),
            "{schema}: {error}"
        );
    }
}

#[test]
fn definitions_that_double_are_refused() {
    let double = |next: &str| format!(r#"{{"allOf":[{next},{next}]}}"#);
    let error = refused(chain(200, double, "{}"));
    assert!(
        matches!(error, Error::TooCostly { levels: 0, .. }),
        "{error}"
    );
    let ask = |next: &str| format!(r#"{{"oneOf":[{next}],"unevaluatedProperties":false}}"#);
    assert!(matches!(
        refused(chain(200, ask, "{}")),
        Error::TooCostly { .. }
    ));
    let down = |next: &str| format!(r#"{{"items":{next},"contains":{next}}}"#);
    assert!(matches!(
        refused(chain(100, down, "{}")),
        Error::TooCostly { .. }
    ));
}

#[test]
fn overlaps_on_a_circle_are_refused() {
    for schema in [
        r##"{"properties":{"a":{"$ref":"#"}},"patternProperties":{"^a":{"$ref":"#"}}}"##,
        r##"{"items":{"$ref":"#"},"contains":{"$ref":"#"}}"##,
        r##"{"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"},"minItems":1}]}"##,
        r##"{"allOf":[{"additionalProperties":{"$ref":"#"}}],"unevaluatedProperties":false}"##,
    ] {
        let error = refused(schema.into());
        assert!(
            matches!(error, Error::TooCostly { .. }),
            "{schema}: {error}"
        );
    }
}

#[test]
fn what_is_tried_twice_when_it_fails_is_counted_twice() {
    let members = r#"{"type":"object","anyOf":[{}],"unevaluatedProperties":"#;
    let elements = r#"{"type":"array","unevaluatedItems":"#;
    for (ask, open, close) in [(members, r#"{"a":"#, "}"), (elements, "[", "]")] {
        let asking = move |count, levels| {
            chain(
                count,
                |next| nested(levels, ask, next, "}"),
                r#"{"type":"null"}"#,
            )
        };
        for (count, levels) in [(7, 4), (100, 1)] {
            let error = refused(asking(count, levels));
            assert!(matches!(error, Error::TooCostly { .. }), "{error}");
        }
        let schema = compile(asking(4, 2)).unwrap();
        let call = document(nested(8, open, "1", close));
        assert!(in_time(move || schema.check(&call)).is_err());
    }
}

#[test]
fn schemas_larger_than_the_erc_allows_are_refused() {
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
fn the_deepest_call_meets_the_deepest_schema_on_an_ordinary_stack() {
    // As many schemas inside one another as are allowed, in each way they can be, down to the last level and wrong there.
    for link in [
        |next: &str| next.to_owned(),
        |next: &str| format!(r#"{{"anyOf":[{next},false]}}"#),
        |next: &str| format!(r#"{{"oneOf":[{next}]}}"#),
        |next: &str| format!(r##"{{"if":{next},"else":{{"$ref":"#/$defs/never"}}}}"##),
        |next: &str| format!(r#"{{"allOf":[{next}],"minItems":0}}"#),
    ] {
        for (open, close, down) in [
            ("[", "]", r#"{"type":"array","items":{"$ref":"D"}}"#),
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
            let last = down.replace('D', "#/$defs/d0") + r#","never":false"#;
            let deepest = (1..8)
                .rev()
                .find_map(|count| compile(chain(count, link, &last)).ok());
            let schema = deepest.expect("one of them is within the limit");
            let call = document(nested(127, open, "1", close));
            let found = in_time(move || schema.check(&call)).unwrap_err();
            assert!(!found.is_empty());
        }
    }
}

#[test]
fn ordinary_recursion_is_taken_to_any_depth() {
    let tree = r##"{
        "type": "object",
        "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["value"],
        "additionalProperties": false
    }"##;
    let call = |leaf| nested(60, r#"{"value":1,"children":["#, leaf, "]}");
    assert_eq!(check(tree, &call(r#"{"value":2}"#)), Ok(()));
    let found = check(tree, &call(r#"{"value":"2"}"#)).unwrap_err();
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].pointer.as_str(),
        "/children/0".repeat(60) + "/value"
    );
    assert_eq!(found[0].rule, "/properties/value/type");
}

#[test]
fn a_large_call_full_of_faults_does_not_fill_the_memory() {
    let call = format!("[{}0]", "0,".repeat(500_000));
    let schema = r#"{"items":{"type":"string","enum":["a","b"]}}"#;
    let found = in_time(move || check(schema, &call)).unwrap_err();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].pointer.as_str(), "");
    // A long name is part of every pointer below it.
    let call = format!(
        r#"{{"{}":[{}0]}}"#,
        "x".repeat(500_000),
        "0,".repeat(10_000)
    );
    let schema = r#"{"additionalProperties":{"items":{"type":"string"}}}"#;
    let found = in_time(move || check(schema, &call)).unwrap_err();
    assert_eq!(found.len(), 1);
}

#[test]
fn a_large_call_against_a_long_list_is_refused_before_the_work() {
    let numbers: Vec<_> = (0..10_000).map(|number: u32| number.to_string()).collect();
    let schema = format!(r#"{{"items":{{"enum":[{}]}}}}"#, numbers.join(","));
    let schema: CallSchema = compile(schema).unwrap();
    let small = document(format!("[{}9999]", "9999,".repeat(5_000)));
    assert_eq!(schema.check(&small), Ok(()));
    let large = document(format!("[{}0]", "0,".repeat(500_000)));
    let found = in_time(move || schema.check(&large)).unwrap_err();
    assert!(found[0].message.contains("steps"), "{}", found[0].message);
}

/// A schema of definitions, with whatever `root` adds to it.
fn defined(root: &str, definitions: &[String]) -> String {
    format!(r#"{{{root}"$defs":{{{}}}}}"#, definitions.join(","))
}

fn repeated(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().join(",")
}

#[test]
fn references_that_multiply_while_compiling_are_refused() {
    bounded(
        "references_that_multiply_while_compiling_are_refused",
        || {
            for ask in ["unevaluatedProperties", "unevaluatedItems"] {
                let next = |index| format!(r##"{{"$ref":"#/$defs/d{index}","{ask}":false}}"##);
                let double = |index| match ask {
                    "unevaluatedItems" => format!(
                        r#""d{index}":{{"contains":{0},"unevaluatedItems":{0}}}"#,
                        next(index + 1)
                    ),
                    _ => format!(
                        r#""d{index}":{{"additionalProperties":{0},"patternProperties":{{"^x":{0}}}}}"#,
                        next(index + 1)
                    ),
                };
                let mut definitions: Vec<_> = (0..40).map(double).collect();
                definitions.push(r#""d40":{}"#.into());
                let root = format!(r#""properties":{{"a":{}}},"#, next(0));
                refused(defined(&root, &definitions));
            }
        },
    );
}

#[test]
fn references_that_pile_up_while_compiling_are_refused() {
    bounded(
        "references_that_pile_up_while_compiling_are_refused",
        || {
            let mut definitions: Vec<_> = (0..500)
            .map(|index| {
                format!(
                    r##""d{index}":{{"additionalProperties":{{"$ref":"#/$defs/d{}","unevaluatedProperties":false}}}}"##,
                    index + 1
                )
            })
            .collect();
            definitions.push(r#""d500":{}"#.into());
            refused(defined(r##""$ref":"#/$defs/d0","##, &definitions));
        },
    );
}

/// `count` definitions of `levels` members inside one another, each with the next at its end.
fn members_of_members(count: usize, levels: usize) -> String {
    let open =
        r#"{"properties":{"b":true},"patternProperties":{"^x":true},"additionalProperties":"#;
    chain(count, |next| nested(levels, open, next, "}"), "{}")
}

#[test]
fn the_most_that_may_be_compiling_fits_an_ordinary_stack() {
    bounded(
        "the_most_that_may_be_compiling_fits_an_ordinary_stack",
        || {
            let counts = 1..20;
            let taken = counts.map(|count| compile(members_of_members(count, 9)).is_ok());
            let taken = taken.filter(|is_taken| *is_taken).count();
            assert_eq!(taken, 7);
            assert!(matches!(
                compile(members_of_members(20, 12)),
                Err(Error::TooDeepCompiled { .. })
            ));
            // No longer chain has more than eight in the works at once.
            compile(members_of_members(60, 7)).unwrap();
        },
    );
}

#[test]
fn references_on_a_circle_are_compiled_once() {
    let way = |end: &str| nested(13, r#"{"properties":{"a":"#, end, "}}");
    in_time(move || compile(way(r##"{"$ref":"#"}"##))).unwrap();
    let closed = r##"{
        "$ref": "#/$defs/closed",
        "$defs": {
            "open": {"patternProperties": {"^x-": {"$ref": "#/$defs/closed"}}},
            "closed": {"$ref": "#/$defs/open", "unevaluatedProperties": false}
        }
    }"##;
    assert_eq!(check(closed, r#"{"x-a":{"x-b":{}}}"#), Ok(()));
    assert!(check(closed, r#"{"x-a":{"x-b":{"b":1}}}"#).is_err());
    let within = r##"{"$ref":"#/$defs/d","$defs":{
        "d":{"patternProperties":{"^x":{"$ref":"#/$defs/d","unevaluatedProperties":false}}}}}"##;
    assert!(matches!(
        compile(within),
        Err(Error::EndlessUnfolding { .. })
    ));
}

#[test]
fn what_no_call_meets_is_not_measured() {
    let definitions = [
        format!(
            r##""P":{{"properties":{{{}}}}}"##,
            repeated(340, |index| format!(
                r##""p{index}":{{"$ref":"#/$defs/P"}}"##
            ))
        ),
        repeated(340, |index| {
            format!(r##""a{index}":{{"$anchor":"a","$ref":"#/$defs/P"}}"##)
        }),
        format!(
            r##""u":{{"allOf":[{}]}}"##,
            repeated(340, |_| r##"{"$dynamicRef":"#a"}"##.into())
        ),
    ];
    let schema = defined("", &definitions);
    let error = in_time(|| compile(schema)).unwrap_err();
    assert!(matches!(error, Error::AmbiguousRef { .. }), "{error}");
}

#[test]
fn keywords_that_read_whole_values_are_billed_for_them() {
    let schema = format!(
        r#"{{"allOf":[{}]}}"#,
        vec![r#"{"uniqueItems":true}"#; 1_000].join(",")
    );
    let call = format!("[{}]", repeated(150_000, |index| index.to_string()));
    let found = in_time(move || check(&schema, &call)).unwrap_err();
    assert!(found[0].message.contains("steps"), "{}", found[0].message);

    let array = |last: usize| format!("[{}{last}]", "0,".repeat(63));
    let schema = format!(r#"{{"items":{{"enum":[{}]}}}}"#, repeated(7_000, array));
    let call = format!("[{}]", repeated(7_000, |_| array(7_001)));
    let found = in_time(move || check(&schema, &call)).unwrap_err();
    assert!(found[0].message.contains("steps"), "{}", found[0].message);
}

#[test]
fn keywords_that_go_through_members_or_elements_are_billed_for_each() {
    let count = r#"{"contains":true,"minContains":0,"maxContains":200000}"#;
    let count = format!(r#"{{"allOf":[{}]}}"#, vec![count; 1_000].join(","));
    let elements = format!("[{}0]", "0,".repeat(150_000));
    let mark = vec![r#"{"properties":{"a":true}}"#; 900].join(",");
    let mark = format!(r#"{{"anyOf":[{mark}],"unevaluatedProperties":{{"type":"integer"}}}}"#);
    let members = format!(
        "{{{}}}",
        repeated(80_000, |index| format!(r#""k{index}":0"#))
    );
    for (schema, call) in [(count, elements), (mark, members)] {
        let found = in_time(move || check(&schema, &call)).unwrap_err();
        assert!(found[0].message.contains("steps"), "{}", found[0].message);
    }
}

#[test]
fn large_calls_against_ordinary_schemas_are_checked() {
    let row = r#"{"id":1,"kind":"a","tags":["x","y"],"at":{"x":1,"y":2}}"#;
    let schema = r#"{"type":"array","uniqueItems":true,"items":{"type":"object",
        "properties":{"id":{"type":"integer"},"kind":{"enum":["a","b"]},"tags":{"type":"array","uniqueItems":true,
        "items":{"type":"string"}},"at":{"properties":{"x":{},"y":{}},"additionalProperties":false}},
        "required":["id"],"unevaluatedProperties":false}}"#;
    let rows = repeated(15_000, |index| row.replacen('1', &index.to_string(), 1));
    let call = format!("[{rows}]");
    assert_eq!(in_time(move || check(schema, &call)), Ok(()));
}

#[test]
fn schemas_with_nothing_to_say_about_elements_are_not_asked_about_each() {
    let schema = format!(
        r#"{{"allOf":[{}],"items":{{"type":"string"}}}}"#,
        vec!["{}"; 1_000].join(",")
    );
    let call = format!("[{}0]", "0,".repeat(500_000));
    let found = in_time(move || check(&schema, &call)).unwrap_err();
    assert_eq!(found.len(), 1);
}

#[test]
fn a_long_name_above_many_schemas_does_not_fill_the_memory() {
    bounded(
        "a_long_name_above_many_schemas_does_not_fill_the_memory",
        || {
            let name = "x".repeat(400_000);
            let many = vec!["true"; 16_000].join(",");
            refused(format!(
                r#"{{"properties":{{"{name}":{{"prefixItems":[{many}]}}}}}}"#
            ));
            let many = vec!["{}"; 1_000].join(",");
            refused(format!(
                r#"{{"properties":{{"{name}":{{"allOf":[{many}]}}}}}}"#
            ));
            let many = vec!["[]"; 150_000].join(",");
            compile(format!(
                r#"{{"properties":{{"{name}":{{"const":[[{many}]]}}}}}}"#
            ))
            .unwrap();
        },
    );
}

#[test]
fn the_patterns_of_a_schema_are_counted() {
    // I-13
    bounded("the_patterns_of_a_schema_are_counted", || {
        let patterns = repeated(4_000, |index| format!(r#""[ab]*a[ab]{{9}}{index}":true"#));
        let error = refused(format!(r#"{{"patternProperties":{{{patterns}}}}}"#));
        assert!(matches!(error, Error::Pattern { .. }), "{error}");
    });
}
