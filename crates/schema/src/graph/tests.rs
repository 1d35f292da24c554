use serde_json::json;

use super::*;

fn graph(schema: &Value) -> Result<Graph, Error> {
    Graph::try_new(schema, Draft::Draft202012)
}

fn in_place(graph: &Graph, id: Id) -> Vec<&str> {
    let ids = graph.nodes[id].in_place.iter();
    ids.map(|(_, id)| graph.nodes[*id].pointer.as_str())
        .collect()
}

#[test]
fn one_object_is_one_schema_however_it_is_reached() {
    let schema = json!({
        "allOf": [{"$ref": "#/$defs/a~1b"}, {"$ref": "#/%24defs/a~1b"}, {"$ref": "#here"}, true],
        "$defs": {"a/b": {"$anchor": "here"}}
    });
    let graph = graph(&schema).unwrap();
    assert_eq!(graph.nodes.len(), 1 + 3 + 1);
    assert_eq!(in_place(&graph, 0), ["/allOf/0", "/allOf/1", "/allOf/2"]);
    for id in graph.nodes[0].in_place.iter().map(|(_, id)| *id) {
        assert_eq!(in_place(&graph, id), ["/$defs/a~1b"]);
    }
}

#[test]
fn a_reference_leads_into_a_list() {
    let graph = graph(&json!({"not": {"$ref": "#/allOf/1"}, "allOf": [{}, {}]})).unwrap();
    let not = graph.nodes[0].in_place[2].1;
    assert_eq!(graph.nodes[not].pointer.as_str(), "/not");
    assert_eq!(in_place(&graph, not), ["/allOf/1"]);
    for reference in ["#/allOf/2", "#/allOf/-1", "#/allOf/x"] {
        let schema = json!({"not": {"$ref": reference}, "allOf": [{}, {}]});
        assert!(matches!(
            Graph::try_new(&schema, Draft::Draft202012),
            Err(Error::DanglingRef { .. })
        ));
    }
}

#[test]
fn a_name_leads_to_where_it_stands() {
    let schema = json!({"$ref": "#here", "$defs": {"x": {"anyOf": [{"$anchor": "here"}]}}});
    let graph = graph(&schema).unwrap();
    assert_eq!(in_place(&graph, 0), ["/$defs/x/anyOf/0"]);
}

#[test]
fn members_of_maps_and_plain_data_are_no_keywords() {
    let schema = json!({
        "properties": {"$ref": {"type": "string"}, "$id": {"const": {"$ref": "https://example.com"}}},
        "enum": [{"$ref": "https://example.com", "$id": "x"}]
    });
    assert_eq!(graph(&schema).unwrap().nodes.len(), 3);
}

#[test]
fn references_are_found_wherever_they_stand() {
    // J-08
    for keyword in [
        "$defs",
        "definitions",
        "properties",
        "patternProperties",
        "dependencies",
    ] {
        let schema =
            json!({keyword: {"x": {"items": [{"$ref": "http://169.254.169.254/latest"}]}}});
        let expected = Error::RemoteRef {
            pointer: Pointer::root()
                .member(keyword)
                .member("x")
                .member("items")
                .element(0)
                .member("$ref"),
            target: "http://169.254.169.254/latest".into(),
        };
        assert_eq!(graph(&schema).unwrap_err(), expected);
    }
}

#[test]
fn references_to_nothing_are_told() {
    for target in ["#/$defs/b", "#b", "#/$defs/a/0", "#/allOf/2", "#/type/x"] {
        let schema = json!({"allOf": [{"$ref": target}], "type": "object", "$defs": {"a": {}}});
        let expected = Error::DanglingRef {
            pointer: Pointer::root().member("allOf").element(0).member("$ref"),
            target: target.into(),
        };
        assert_eq!(graph(&schema).unwrap_err(), expected);
    }
}

#[test]
fn only_the_outermost_schema_has_a_base() {
    let schema = json!({"$id": "https://example.com/s", "not": {"$id": "https://example.com/t"}});
    let expected = Error::EmbeddedResource {
        pointer: Pointer::root().member("not"),
        keyword: "$id",
    };
    assert_eq!(graph(&schema).unwrap_err(), expected);
    let old = json!({"not": {"id": "#t"}});
    assert!(graph(&old).is_ok());
    assert!(Graph::try_new(&old, Draft::Draft4).is_err());
}

#[test]
fn only_schemas_that_are_applied_have_a_number() {
    let schema = json!({
        "properties": {"a": {"$ref": "#/$defs/used"}},
        "$defs": {"unused": {"items": {"$ref": "#/$defs/unused"}}, "used": {"type": "string"}}
    });
    let graph = graph(&schema).unwrap();
    let pointers = graph.nodes.iter().map(|node| node.pointer.as_str());
    assert_eq!(
        pointers.collect::<Vec<_>>(),
        ["", "/$defs/used", "/properties/a"]
    );
    assert_eq!(in_place(&graph, 2), ["/$defs/used"]);
    assert_eq!(graph.targets, [1]);
}

#[test]
fn a_name_that_two_places_have_is_not_followed() {
    let schema = json!({
        "$ref": "#a",
        "$defs": {"x": {"$anchor": "a"}, "y": {"$dynamicAnchor": "a"}}
    });
    let expected = Error::AmbiguousRef {
        pointer: Pointer::root().member("$ref"),
        target: "#a".into(),
    };
    assert_eq!(graph(&schema).unwrap_err(), expected);
    let once = json!({"$ref": "#a", "$defs": {"x": {"$anchor": "a", "$dynamicAnchor": "a"}}});
    assert!(graph(&once).is_ok());
    let unnamed = json!({"$defs": {"x": {"$anchor": "a"}, "y": {"$anchor": "a"}}});
    assert!(graph(&unnamed).is_ok());
}
