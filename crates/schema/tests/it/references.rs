use atr_schema::Error;

use crate::support::{check, compile, places};

#[test]
fn a_local_reference_is_followed() {
    // J-08
    let schema = r##"{
        "properties": {"a": {"$ref": "#/$defs/amount"}, "b": {"$ref": "#amount"}},
        "$defs": {"amount": {"$anchor": "amount", "type": "integer"}}
    }"##;
    assert_eq!(check(schema, r#"{"a":1,"b":2}"#), Ok(()));
    let found = check(schema, r#"{"a":"1","b":"2"}"#).unwrap_err();
    assert_eq!(
        places(&found),
        [("/a", "/$defs/amount/type"), ("/b", "/$defs/amount/type")]
    );
}

#[test]
fn a_remote_reference_makes_no_request_and_is_named() {
    // J-08
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let file = format!("file://{}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    for target in [
        format!("http://{address}/schema"),
        file,
        "item.json".into(),
        "//x#/a".into(),
    ] {
        for place in [r#""items":"#, r#""$defs":{"x":"#] {
            let close = if place.ends_with("\"x\":") { "}" } else { "" };
            let schema = format!(r#"{{{place}{{"$ref":"{target}"}}{close}}}"#);
            let Err(Error::RemoteRef {
                pointer,
                target: told,
            }) = compile(schema)
            else {
                panic!("{target} was not refused");
            };
            assert_eq!(told, target);
            assert!(pointer.as_str().ends_with("/$ref"), "{pointer}");
        }
    }
    // The drafts' own schemas are no exception: nothing leads out.
    let draft = "https://json-schema.org/draft/2020-12/schema";
    let own = compile(format!(r#"{{"$ref":"{draft}"}}"#));
    assert!(matches!(own, Err(Error::RemoteRef { .. })));
    let accepted = listener.accept().map(|_| ()).map_err(|error| error.kind());
    assert_eq!(accepted, Err(std::io::ErrorKind::WouldBlock));
}

#[test]
fn a_base_of_its_own_does_not_bring_references_back_in() {
    // J-08
    let schema =
        r#"{"$id":"https://example.com/s","properties":{"a":{"$ref":"https://example.com/s"}}}"#;
    assert!(matches!(compile(schema), Err(Error::RemoteRef { .. })));
    let embedded = r##"{"$defs":{"a":{"$id":"http://169.254.169.254/","$ref":"#/b"}},"b":{}}"##;
    assert!(matches!(
        compile(embedded),
        Err(Error::EmbeddedResource { .. })
    ));
    let dynamic = r##"{"$dynamicRef":"http://169.254.169.254/#meta"}"##;
    assert!(matches!(compile(dynamic), Err(Error::RemoteRef { .. })));
    // Where no keyword leads, an unknown one may hold a base.
    let hidden =
        r##"{"$ref":"#/x/y","x":{"$id":"http://169.254.169.254/","y":{"$ref":"#/z"}},"z":{}}"##;
    assert!(matches!(
        compile(hidden),
        Err(Error::EmbeddedResource { .. })
    ));
}
