//! Small or large inputs that cost a lot elsewhere.

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) schema: String,
    pub(crate) instance: String,
    /// "valid", "invalid", "unknown", or "rejected" for the schema.
    pub(crate) expected: &'static str,
}

/// A schema of `count` definitions; `link` writes one, given a reference to the next.
pub(crate) fn chain(count: usize, link: impl Fn(&str) -> String, last: &str) -> String {
    let definition = |index: usize| {
        let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, index + 1);
        format!(r#""d{index}":{},"#, link(&next))
    };
    let definitions: String = (0..count).map(definition).collect();
    format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{definitions}"d{count}":{last}}}}}"##)
}

pub(crate) fn nested(levels: usize, open: &str, inner: &str, close: &str) -> String {
    open.repeat(levels) + inner + &close.repeat(levels)
}

pub(crate) fn repeated(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

fn array(count: usize, item: impl Fn(usize) -> String) -> String {
    format!("[{}]", repeated(count, item))
}

fn object(count: usize, member: impl Fn(usize) -> String) -> String {
    format!("{{{}}}", repeated(count, member))
}

/// A schema with one keyword.
fn keyword(name: &str, value: &str) -> String {
    format!(r#"{{"{name}":{value}}}"#)
}

fn pattern(pattern: &str) -> String {
    keyword("pattern", &format!("\"{}\"", pattern.replace('\\', r"\\")))
}

/// `patternProperties` with `count` patterns. `item` escapes backslashes.
fn patterns(count: usize, item: impl Fn(usize) -> String) -> String {
    let members = object(count, |index| format!("\"{}\":true", item(index)));
    keyword("patternProperties", &members)
}

/// `keyword` with the same schema `count` times.
fn same(name: &str, count: usize, schema: &str) -> String {
    keyword(name, &array(count, |_| schema.into()))
}

/// `dependentRequired` of 30 names, each with a list of 3,000.
fn dependent(name: impl Fn(usize) -> usize) -> String {
    let list = array(3_000, |index| format!("\"n{}\"", name(index)));
    let lists = object(30, |index| format!("\"n{index}\":{list}"));
    keyword("dependentRequired", &lists)
}

/// The binary digits of `index` as nested arrays: distinct values without a scalar.
fn brackets(index: usize) -> String {
    let digits = (0..17).map(|bit| if index >> bit & 1 == 1 { "[[]]" } else { "[]" });
    format!("[{}]", digits.collect::<Vec<_>>().join(","))
}

fn doubling(keywords: fn(&str) -> String, last: &str) -> String {
    chain(200, keywords, last)
}

/// One row per case: name, schema, instance, expected outcome.
macro_rules! cases {
    ($($name:literal, $schema:expr, $instance:expr, $expected:ident;)*) => {
        vec![$(Case {
            name: $name,
            schema: $schema.into(),
            instance: $instance.into(),
            expected: stringify!($expected),
        }),*]
    };
}

pub(crate) fn cases() -> Vec<Case> {
    let zeros = format!("[{}0]", "0,".repeat(500_000));
    let long_text = format!("\"{}\"", "ab".repeat(500_000));
    let numbers = array(150_000, |index| index.to_string());
    let name = "x".repeat(40_000);
    let long_name = "x".repeat(400_000);
    let names = object(32, |index| format!(r#""n{index}":0"#));
    let unique = r#"{"uniqueItems":true}"#;
    let row = |last: usize| format!("[{}{last}]", "0,".repeat(63));
    let members = |count, prefix| object(count, move |index| format!(r#""{prefix}{index}":0"#));
    let deep_object = nested(100, r#"{"a":"#, "1", "}");

    cases! {
        // Patterns that are costly to translate or to compile.
        "4,000 × \\d", pattern(&r"\d".repeat(4_000)), "\"1\"", rejected;
        "1,024 × \\d", pattern(&r"\d".repeat(1_024)), "\"1\"", invalid;
        "\\p{L} × 170,000", pattern(&r"\p{L}".repeat(170_000)), "\"1\"", rejected;
        "\\p{L} × 400", pattern(&r"\p{L}".repeat(400)), "\"1\"", rejected;
        "[\\p{L} × 400] × 4", patterns(4, |index| format!("[{}]{index}", r"\\p{L}".repeat(400))), "{}", valid;
        "[^\\P{Lu} × 290] × 4", patterns(4, |index| format!("[^{}]{index}", r"\\P{Lu}".repeat(290))), "{}", valid;
        "\\S × 1,000 × 4", patterns(4, |index| r"\\S".repeat(1_000) + &index.to_string()), "{}", valid;
        "repetition", pattern("((a{100}){100}){100}"), "\"1\"", rejected;
        "repetition", pattern("a{1000000}"), "\"1\"", rejected;
        "repetition", pattern(r"\p{L}{5000}"), "\"1\"", rejected;
        "repetition", pattern("((a{0,400}){0,400}){0,400}"), "\"1\"", rejected;
        "repetition", pattern("(a?){60000}"), "\"1\"", rejected;
        "nested groups", pattern(&nested(2_000, "(", "", ")")), "\"1\"", rejected;
        "4,000 patterns", patterns(4_000, |index| format!("[ab]*a[ab]{{9}}{index}")), "{}", rejected;

        // Patterns that are costly to match.
        "(a+)+$", pattern("(a+)+$"), &long_text, invalid;
        "[ab]*a[ab]{3000}c", pattern("[ab]*a[ab]{3000}c"), &long_text, unknown;
        "(.*a){20}$", pattern("(.*a){20}$"), &long_text, unknown;
        "^(\\p{L}|\\w|[^x])*$", pattern(r"^(\p{L}|\w|[^x])*$"), &long_text, unknown;
        "\\p{L}{1,64}", keyword("items", &pattern(r"\p{L}{60}|\p{N}{60}")),
            array(60_000, |_| "\"\u{10ffff}é\u{4e00}\"".into()), invalid;
        "patternProperties", patterns(200, |index| format!("[a-z]{index}")), members(60_000, "abc"), unknown;

        // Comparisons of whole values.
        "distinct nested arrays", unique, array(14_000, brackets), valid;
        "distinct short arrays", unique, array(100_000, |index| format!("[{index}]")), valid;
        "nested arrays", unique, array(60, |index| nested(120 - index, "[", "", "]")), valid;
        "unique numbers", unique, &numbers, valid;
        "common prefixes", unique, array(1_000, |index| format!(r#""{}{index}""#, "x".repeat(1_000))), valid;
        "unique × 1,000", same("allOf", 1_000, unique), &numbers, unknown;
        "enum of arrays", keyword("items", &keyword("enum", &array(7_000, row))), array(7_000, |_| row(7_001)), rejected;
        "const of an object", keyword("anyOf", &array(20, |index| format!(r#"{{"const":{{"{index}":0}}}}"#))),
            members(40_000, ""), unknown;
        "long numbers", r#"{"items":{"maximum":1e308,"multipleOf":3}}"#, array(3_000, |_| "1".repeat(300)), valid;
        "multipleOf of huge numbers", r#"{"items":{"multipleOf":1.7e-308}}"#, array(150_000, |_| "1e308".into()), invalid;
        "a long fraction", r#"{"items":{"multipleOf":0.3,"minimum":0}}"#, format!("[0.{}1]", "0".repeat(1_000_000)), invalid;

        // Names and lists of names.
        "a long required name", format!(r#"{{"items":{{"required":["{name}"]}}}}"#), array(300_000, |_| "{}".into()), invalid;
        "required × 80,000", keyword("required", &array(80_000, |index| format!("\"n{index}\""))), &names, invalid;
        "dependentRequired", dependent(|index| index), &names, invalid;
        "dependentRequired × 4,000", keyword("items", &dependent(|index| index % 32)), array(2_000, |_| names.clone()), unknown;
        "a long name", r#"{"additionalProperties":{"items":{"type":"string"}}}"#,
            format!(r#"{{"{long_name}":[{}0]}}"#, "0,".repeat(10_000)), invalid;
        "a long name in the schema", format!(r#"{{"properties":{{"{long_name}":{}}}}}"#, same("prefixItems", 1_000, "{}")),
            "{}", valid;
        "a long name above many schemas", format!(r#"{{"properties":{{"{name}":{}}}}}"#, same("allOf", 900, r#"{"type":"null"}"#)),
            format!(r#"{{"{name}":1}}"#), invalid;

        // Schemas that apply many times.
        "doubling allOf", doubling(|next| format!(r#"{{"allOf":[{next},{next}]}}"#), "{}"), "1", unknown;
        "doubling anyOf", doubling(|next| format!(r#"{{"anyOf":[{next},{next}]}}"#), "false"), "1", unknown;
        "doubling unevaluatedProperties",
            doubling(|next| format!(r#"{{"oneOf":[{next}],"anyOf":[{next}],"unevaluatedProperties":false}}"#), "{}"),
            "{}", unknown;
        "doubling items", chain(100, |next| format!(r#"{{"items":{next},"contains":{next}}}"#), "{}"),
            nested(100, "[", "1", "]"), unknown;
        "doubling recursion", r##"{"properties":{"a":{"$ref":"#"}},"patternProperties":{"^a":{"$ref":"#"}}}"##,
            &deep_object, unknown;
        "doubling recursion",
            r##"{"anyOf":[{"allOf":[{"properties":{"a":{"$ref":"#"}}},false]},{"properties":{"a":{"$ref":"#"}}}]}"##,
            &deep_object, unknown;
        "doubling recursion",
            r##"{"allOf":[{"additionalProperties":{"$ref":"#"}}],"additionalProperties":{"$ref":"#"}}"##,
            &deep_object, unknown;
        "allOf × elements", keyword("items", &same("allOf", 1_000, "{}")), &zeros, unknown;
        "allOf of nothing", same("allOf", 1_000, "{}"), &zeros, valid;
        "true × elements", keyword("items", &same("allOf", 100_000, "true")), &zeros, unknown;
        "contains × 1,000", same("allOf", 1_000, r#"{"contains":true,"minContains":0,"maxContains":600000}"#), &zeros, unknown;
        "unevaluatedProperties × 900", format!(r#"{{"anyOf":{},"unevaluatedProperties":{{"type":"integer"}}}}"#,
            array(900, |_| r#"{"properties":{"a":true}}"#.into())), members(80_000, "k"), unknown;
        "unevaluatedItems × 900", format!(r#"{{"anyOf":{},"unevaluatedItems":false}}"#,
            array(900, |_| r#"{"contains":true}"#.into())), &zeros, unknown;
        "a large object on a loop", keyword("properties", &object(300, |index| format!(r##""p{index}":{{"$ref":"#"}}"##))),
            nested(100, r#"{"p0":"#, "1", "}"), valid;

        // References.
        "references into a large object", format!(r#"{{"allOf":{},"$defs":{}}}"#,
            array(900, |_| r##"{"$ref":"#/$defs/d59999"}"##.into()),
            object(60_000, |index| format!(r#""d{index}":true"#))), "1", valid;
        "long base URIs", format!(r#"{{"$id":"https://example.com/","allOf":{}}}"#,
            array(400, |index| format!(r#"{{"$id":"{}{index}/","$ref":"../x"}}"#, "a/".repeat(500)))), "1", rejected;
        "dynamic references", keyword("allOf", &array(500, |index| {
            format!(r##"{{"$id":"r{index}","$dynamicAnchor":"a","$dynamicRef":"#a"}}"##)
        })), "1", unknown;
        "contentMediaType",
            r#"{"contentMediaType":"application/json","contentEncoding":"base64","contentSchema":{"type":"null"}}"#,
            &long_text, valid;
        "many faults", r#"{"items":{"type":"string","enum":["a","b"]}}"#, &zeros, invalid;
    }
}
