use super::*;

fn error(text: &str) -> Error {
    Document::parse(text).unwrap_err()
}

#[test]
fn invalid_json_is_reported_with_its_position() {
    for (text, position, found, expected) in [
        ("", (1, 1), "the end of the document", "a value"),
        (
            "{\n  \"a\": 1,\n}",
            (3, 1),
            "`}`",
            "a member name in double quotes",
        ),
        ("[1,]", (1, 4), "`]`", "a value"),
        ("[1 2]", (1, 4), "`2`", "`,` or `]`"),
        ("{\"é\" 1}", (1, 6), "`1`", "`:`"),
        ("{\"a\":1 \"b\"", (1, 8), "`\"`", "`,` or `}`"),
        ("nul", (1, 1), "`n`", "a value"),
        ("1 2", (1, 3), "`2`", "the end of the document"),
        ("01", (1, 1), "`0`", "a number"),
        (
            "\"a\nb\"",
            (1, 3),
            "`\\n`",
            "an escape instead of a control character",
        ),
        ("\"a", (1, 3), "the end of the document", "`\"`"),
        (
            r#""\x""#,
            (1, 3),
            "`x`",
            "one of \"\\/bfnrtu after a backslash",
        ),
        (r#""\u12g4""#, (1, 6), "`g`", "four hex digits after \\u"),
        ("\u{feff}{}", (1, 1), "", ""),
    ] {
        let error = error(text);
        if text.starts_with('\u{feff}') {
            assert_eq!(error, Error::ByteOrderMark);
            continue;
        }
        let (line, column) = position;
        let printed = format!("line {line} column {column}");
        assert!(error.to_string().contains(&printed), "{error}");
        assert_eq!(
            error,
            Error::NotJson {
                position: TextPosition { line, column },
                found: found.to_owned(),
                expected
            },
            "{text}"
        );
    }
}

#[test]
fn errors_have_the_pointer_of_their_member() {
    let pointer = |text: &str| match error(text) {
        Error::DuplicateName { pointer }
        | Error::LoneSurrogate { pointer, .. }
        | Error::NumberOutOfRange { pointer, .. } => pointer.as_str().to_owned(),
        other => panic!("{other}"),
    };
    assert_eq!(pointer(r#"{"x":0,"a":[{},{"b":1e999}]}"#), "/a/1/b");
    assert_eq!(
        pointer(r#"{"a":{"b":[0,{"c":1,"d":2,"c":3}]}}"#),
        "/a/b/1/c"
    );
    assert_eq!(pointer(r#"{"a":{"b":"\ud800"}}"#), "/a/b");
    assert_eq!(pointer(r#"{"":{"":1},"a/b":{"~":-1e400}}"#), "/a~1b/~0");
    assert_eq!(pointer("[[[1],[2,1e400]]]"), "/0/1/1");
}

#[test]
fn rejects_lone_surrogates_everywhere() {
    // F-09, T-12
    for text in [
        r#""\ud83d""#,
        r#""\ude00""#,
        r#""\ud83dx""#,
        r#""\ud83d\n""#,
        r#""\ud83d\u0041""#,
        r#""\ud83d\ud83d""#,
        r#"{"\udc00":1}"#,
        r#"[["\uDFFF"]]"#,
    ] {
        assert!(matches!(error(text), Error::LoneSurrogate { .. }), "{text}");
    }
    let Error::LoneSurrogate { position, .. } = error(r#"["ab\ud83d"]"#) else {
        panic!("expected a lone surrogate");
    };
    assert_eq!((position.line, position.column), (1, 5));
    assert_eq!(
        Document::parse(r#""\ud83d\ude00""#)
            .unwrap()
            .root()
            .as_str(),
        Some("😀")
    );
}

#[test]
fn accepts_128_levels_and_rejects_129() {
    // I-08, T-15
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |levels: usize| format!("{}0{}", open.repeat(levels), close.repeat(levels));
        let deep = Document::parse(nested(128)).unwrap();
        assert_eq!(deep.canonical().as_bytes(), nested(128).as_bytes());
        assert!(matches!(error(&nested(129)), Error::TooDeep { .. }));
        assert!(matches!(
            error(&open.repeat(100_000)),
            Error::TooDeep { .. }
        ));
    }
}

#[test]
fn finds_values_and_their_pointers() {
    let document =
        Document::parse(r#"{"b":[true,null,-1.5e1],"a":{"\u0061b":"\"x\""},"":[]}"#).unwrap();
    let root = document.root();
    assert_eq!(root.len(), 3);
    let names: Vec<_> = root.members().map(|(name, _)| name).collect();
    assert_eq!(names, ["b", "a", ""]);
    let inner = root.get("a").unwrap().get("ab").unwrap();
    assert_eq!(inner.as_str(), Some("\"x\""));
    assert_eq!(inner.pointer().as_str(), "/a/ab");
    let elements: Vec<_> = root.get("b").unwrap().elements().collect();
    assert_eq!(elements[0].as_bool(), Some(true));
    assert_eq!(elements[2].as_f64(), Some(-15.0));
    assert_eq!(elements[2].pointer().as_str(), "/b/2");
    assert!(root.get("c").is_none() && elements[1].get("a").is_none());
    assert!(root.get("").unwrap().is_empty());
}

#[test]
fn a_document_returns_its_input_text() {
    let text = " { \"a\" : [ 1e0 ] }\n";
    assert_eq!(Document::parse(text).unwrap().text(), text);
}
