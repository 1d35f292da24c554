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

fn pattern(pattern: &str) -> String {
    format!(r#"{{"pattern":"{}"}}"#, pattern.replace('\\', r"\\"))
}

/// The binary digits of `index` as nested arrays: distinct values without a scalar.
fn brackets(index: usize) -> String {
    let digits = (0..17).map(|bit| if index >> bit & 1 == 1 { "[[]]" } else { "[]" });
    format!("[{}]", digits.collect::<Vec<_>>().join(","))
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name, schema: String, instance: String, expected| {
        cases.push(Case {
            name,
            schema,
            instance,
            expected,
        });
    };
    let numbers = |count: usize| format!("[{}0]", "0,".repeat(count));
    let zeros = numbers(500_000);
    let text = |count: usize| format!("\"{}\"", "ab".repeat(count));
    let name = "x".repeat(40_000);

    // Patterns that are costly to translate or to compile.
    let one = "\"1\"".to_owned();
    add(
        "4,000 × \\d",
        pattern(&r"\d".repeat(4_000)),
        one.clone(),
        "rejected",
    );
    add(
        "1,024 × \\d",
        pattern(&r"\d".repeat(1_024)),
        one.clone(),
        "invalid",
    );
    add(
        "\\p{L} × 170,000",
        pattern(&r"\p{L}".repeat(170_000)),
        one.clone(),
        "rejected",
    );
    add(
        "\\p{L} × 400",
        pattern(&r"\p{L}".repeat(400)),
        one.clone(),
        "rejected",
    );
    let classes = |index: usize| format!(r#""[{}]{index}":true"#, r"\\p{L}".repeat(400));
    add(
        "[\\p{L} × 400] × 4",
        format!(r#"{{"patternProperties":{{{}}}}}"#, repeated(4, classes)),
        "{}".into(),
        "valid",
    );
    let classes = |index: usize| format!(r#""[^{}]{index}":true"#, r"\\P{Lu}".repeat(290));
    add(
        "[^\\P{Lu} × 290] × 4",
        format!(r#"{{"patternProperties":{{{}}}}}"#, repeated(4, classes)),
        "{}".into(),
        "valid",
    );
    let spaces = |index: usize| format!(r#""{}{index}":true"#, r"\\S".repeat(1_000));
    add(
        "\\S × 1,000 × 4",
        format!(r#"{{"patternProperties":{{{}}}}}"#, repeated(4, spaces)),
        "{}".into(),
        "valid",
    );
    for repetition in [
        "((a{100}){100}){100}",
        "a{1000000}",
        r"\p{L}{5000}",
        "((a{0,400}){0,400}){0,400}",
        "(a?){60000}",
    ] {
        add("repetition", pattern(repetition), one.clone(), "rejected");
    }
    let empty = "(".repeat(2_000) + &")".repeat(2_000);
    add("nested groups", pattern(&empty), one, "rejected");
    let many = repeated(4_000, |index| format!(r#""[ab]*a[ab]{{9}}{index}":true"#));
    add(
        "4,000 patterns",
        format!(r#"{{"patternProperties":{{{many}}}}}"#),
        "{}".into(),
        "rejected",
    );

    // Patterns that are costly to match.
    add("(a+)+$", pattern("(a+)+$"), text(500_000), "invalid");
    add(
        "[ab]*a[ab]{3000}c",
        pattern("[ab]*a[ab]{3000}c"),
        text(500_000),
        "unknown",
    );
    add(
        "(.*a){20}$",
        pattern("(.*a){20}$"),
        text(500_000),
        "unknown",
    );
    add(
        "^(\\p{L}|\\w|[^x])*$",
        pattern(r"^(\p{L}|\w|[^x])*$"),
        text(500_000),
        "unknown",
    );
    let letters = array(60_000, |_| "\"\u{10ffff}é\u{4e00}\"".into());
    add(
        "\\p{L}{1,64}",
        format!(r#"{{"items":{}}}"#, pattern(r"\p{L}{60}|\p{N}{60}")),
        letters,
        "invalid",
    );
    let patterns = repeated(200, |index| format!(r#""[a-z]{index}":true"#));
    let members = repeated(60_000, |index| format!(r#""abc{index}":0"#));
    add(
        "patternProperties",
        format!(r#"{{"patternProperties":{{{patterns}}}}}"#),
        format!("{{{members}}}"),
        "unknown",
    );

    // Comparisons of whole values.
    let unique = r#"{"uniqueItems":true}"#.to_owned();
    add(
        "distinct nested arrays",
        unique.clone(),
        array(14_000, brackets),
        "valid",
    );
    add(
        "distinct short arrays",
        unique.clone(),
        array(100_000, |index| format!("[{index}]")),
        "valid",
    );
    let deep = array(60, |index| nested(120 - index, "[", "", "]"));
    add("nested arrays", unique.clone(), deep, "valid");
    add(
        "unique numbers",
        unique.clone(),
        array(150_000, |index| index.to_string()),
        "valid",
    );
    let alike = array(1_000, |index| format!(r#""{}{index}""#, "x".repeat(1_000)));
    add("common prefixes", unique.clone(), alike, "valid");
    add(
        "unique × 1,000",
        format!(r#"{{"allOf":{}}}"#, array(1_000, |_| unique.clone())),
        array(150_000, |index| index.to_string()),
        "unknown",
    );
    let row = |last: usize| format!("[{}{last}]", "0,".repeat(63));
    let rows = format!(r#"{{"items":{{"enum":{}}}}}"#, array(7_000, row));
    add(
        "enum of arrays",
        rows,
        array(7_000, |_| row(7_001)),
        "rejected",
    );
    let names = repeated(40_000, |index| format!(r#""{index}":0"#));
    let constant = format!(
        r#"{{"anyOf":{}}}"#,
        array(20, |index| format!(r#"{{"const":{{"{index}":0}}}}"#))
    );
    add(
        "const of an object",
        constant,
        format!("{{{names}}}"),
        "unknown",
    );
    let digits = "1".repeat(300);
    add(
        "long numbers",
        r#"{"items":{"maximum":1e308,"multipleOf":3}}"#.into(),
        array(3_000, |_| digits.clone()),
        "valid",
    );
    let floats = array(150_000, |_| "1e308".into());
    add(
        "multipleOf of huge numbers",
        r#"{"items":{"multipleOf":1.7e-308}}"#.into(),
        floats,
        "invalid",
    );
    let zeros_behind = format!("[0.{}1]", "0".repeat(1_000_000));
    add(
        "a long fraction",
        r#"{"items":{"multipleOf":0.3,"minimum":0}}"#.into(),
        zeros_behind,
        "invalid",
    );

    // Names and lists of names.
    let objects = array(300_000, |_| "{}".into());
    add(
        "a long required name",
        format!(r#"{{"items":{{"required":["{name}"]}}}}"#),
        objects,
        "invalid",
    );
    let list = array(80_000, |index| format!("\"n{index}\""));
    let many = repeated(32, |index| format!(r#""n{index}":0"#));
    add(
        "required × 80,000",
        format!(r#"{{"required":{list}}}"#),
        format!("{{{many}}}"),
        "invalid",
    );
    let lists = repeated(30, |index| {
        format!(
            r#""n{index}":{}"#,
            array(3_000, |name| format!("\"n{name}\""))
        )
    });
    add(
        "dependentRequired",
        format!(r#"{{"dependentRequired":{{{lists}}}}}"#),
        format!("{{{many}}}"),
        "invalid",
    );
    let lists = repeated(30, |index| {
        format!(
            r#""n{index}":{}"#,
            array(3_000, |name| format!("\"n{}\"", name % 32))
        )
    });
    let dependent = format!(r#"{{"items":{{"dependentRequired":{{{lists}}}}}}}"#);
    add(
        "dependentRequired × 4,000",
        dependent,
        array(2_000, |_| format!("{{{many}}}")),
        "unknown",
    );
    let long = format!(r#"{{"{}":{}}}"#, "x".repeat(400_000), numbers(10_000));
    add(
        "a long name",
        r#"{"additionalProperties":{"items":{"type":"string"}}}"#.into(),
        long,
        "invalid",
    );
    let schema = format!(
        r#"{{"properties":{{"{}":{{"prefixItems":{}}}}}}}"#,
        "x".repeat(400_000),
        array(1_000, |_| "{}".into())
    );
    add("a long name in the schema", schema, "{}".into(), "valid");
    let schema = format!(
        r#"{{"properties":{{"{name}":{{"allOf":{}}}}}}}"#,
        array(900, |_| r#"{"type":"null"}"#.into())
    );
    add(
        "a long name above many schemas",
        schema,
        format!(r#"{{"{name}":1}}"#),
        "invalid",
    );

    // Schemas that apply many times.
    let double = |next: &str| format!(r#"{{"allOf":[{next},{next}]}}"#);
    add(
        "doubling allOf",
        chain(200, double, "{}"),
        "1".into(),
        "unknown",
    );
    let double = |next: &str| format!(r#"{{"anyOf":[{next},{next}]}}"#);
    add(
        "doubling anyOf",
        chain(200, double, "false"),
        "1".into(),
        "unknown",
    );
    let double = |next: &str| {
        format!(r#"{{"oneOf":[{next}],"anyOf":[{next}],"unevaluatedProperties":false}}"#)
    };
    add(
        "doubling unevaluatedProperties",
        chain(200, double, "{}"),
        "{}".into(),
        "unknown",
    );
    let double = |next: &str| format!(r#"{{"items":{next},"contains":{next}}}"#);
    add(
        "doubling items",
        chain(100, double, "{}"),
        nested(100, "[", "1", "]"),
        "unknown",
    );
    for schema in [
        r##"{"properties":{"a":{"$ref":"#"}},"patternProperties":{"^a":{"$ref":"#"}}}"##,
        r##"{"anyOf":[{"allOf":[{"properties":{"a":{"$ref":"#"}}},false]},{"properties":{"a":{"$ref":"#"}}}]}"##,
        r##"{"allOf":[{"additionalProperties":{"$ref":"#"}}],"additionalProperties":{"$ref":"#"}}"##,
    ] {
        add(
            "doubling recursion",
            schema.into(),
            nested(100, r#"{"a":"#, "1", "}"),
            "unknown",
        );
    }
    add(
        "allOf × elements",
        format!(
            r#"{{"items":{{"allOf":{}}}}}"#,
            array(1_000, |_| "{}".into())
        ),
        zeros.clone(),
        "unknown",
    );
    add(
        "allOf of nothing",
        format!(r#"{{"allOf":{}}}"#, array(1_000, |_| "{}".into())),
        zeros.clone(),
        "valid",
    );
    add(
        "true × elements",
        format!(
            r#"{{"items":{{"allOf":{}}}}}"#,
            array(100_000, |_| "true".into())
        ),
        zeros.clone(),
        "unknown",
    );
    let count = r#"{"contains":true,"minContains":0,"maxContains":600000}"#;
    add(
        "contains × 1,000",
        format!(r#"{{"allOf":{}}}"#, array(1_000, |_| count.into())),
        zeros.clone(),
        "unknown",
    );
    let marks = array(900, |_| r#"{"properties":{"a":true}}"#.into());
    let members = repeated(80_000, |index| format!(r#""k{index}":0"#));
    let schema = format!(r#"{{"anyOf":{marks},"unevaluatedProperties":{{"type":"integer"}}}}"#);
    add(
        "unevaluatedProperties × 900",
        schema,
        format!("{{{members}}}"),
        "unknown",
    );
    let contains = array(900, |_| r#"{"contains":true}"#.into());
    add(
        "unevaluatedItems × 900",
        format!(r#"{{"anyOf":{contains},"unevaluatedItems":false}}"#),
        zeros.clone(),
        "unknown",
    );
    let members = repeated(300, |index| format!(r##""p{index}":{{"$ref":"#"}}"##));
    add(
        "a large object on a loop",
        format!(r#"{{"properties":{{{members}}}}}"#),
        nested(100, r#"{"p0":"#, "1", "}"),
        "valid",
    );

    // References.
    let definitions = repeated(60_000, |index| format!(r#""d{index}":true"#));
    let references = array(900, |_| r##"{"$ref":"#/$defs/d59999"}"##.into());
    let schema = format!(r#"{{"allOf":{references},"$defs":{{{definitions}}}}}"#);
    add(
        "references into a large object",
        schema,
        "1".into(),
        "valid",
    );
    let bases = array(400, |index| {
        format!(r#"{{"$id":"{}{index}/","$ref":"../x"}}"#, "a/".repeat(500))
    });
    add(
        "long base URIs",
        format!(r#"{{"$id":"https://example.com/","allOf":{bases}}}"#),
        "1".into(),
        "rejected",
    );
    let anchors = array(500, |index| {
        format!(r##"{{"$id":"r{index}","$dynamicAnchor":"a","$dynamicRef":"#a"}}"##)
    });
    add(
        "dynamic references",
        format!(r#"{{"allOf":{anchors}}}"#),
        "1".into(),
        "unknown",
    );
    let content = r#"{"contentMediaType":"application/json","contentEncoding":"base64","contentSchema":{"type":"null"}}"#;
    add("contentMediaType", content.into(), text(500_000), "valid");
    add(
        "many faults",
        r#"{"items":{"type":"string","enum":["a","b"]}}"#.into(),
        zeros,
        "invalid",
    );
    cases
}
