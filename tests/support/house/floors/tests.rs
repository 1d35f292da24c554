use super::*;

/// `name floor: normal edges | dev edges`, one crate to a line; an edge to one of ours starts with `atr-`.
fn crates(text: &str) -> Vec<Package> {
    let edge = |kind: Option<&str>, name: &str| Dependency {
        name: name.to_owned(),
        kind: kind.map(str::to_owned),
        path: name
            .strip_prefix("atr-")
            .map(|folder| format!("crates/{folder}")),
    };
    text.lines()
        .map(|line| {
            let (head, edges) = line.split_once(':').unwrap();
            let (folder, floor) = head.trim().split_once(' ').unwrap();
            let (normal, dev) = edges.split_once('|').unwrap_or((edges, ""));
            let normal = normal.split_whitespace().map(|name| edge(None, name));
            let dev = dev.split_whitespace().map(|name| edge(Some("dev"), name));
            Package {
                name: format!("atr-{folder}"),
                folder: folder.to_owned(),
                floor: serde_json::from_str(floor).ok(),
                dependencies: normal.chain(dev).collect(),
            }
        })
        .collect()
}

#[track_caller]
fn assert_only(text: &str, expected: &str) {
    let faults = check(&crates(text));
    assert_eq!(faults.len(), 1, "{faults:#?}");
    assert!(faults[0].contains(expected), "{faults:#?}");
}

const HOUSE: &str = "ids 0: url
bindings 0: alloy-sol-types | atr-harness tokio
manifest 1: atr-ids
registry 3: atr-ids atr-bindings tokio | atr-manifest
cli 6: atr-registry atr-manifest tokio axum | atr-harness
harness \"dev\": atr-bindings tokio
artifacts \"dev\": foundry-compilers";

#[test]
fn a_house_in_order_has_no_fault() {
    assert_eq!(check(&crates(HOUSE)), [""; 0]);
}

#[test]
fn an_upward_edge_is_named_with_both_floors() {
    let text = HOUSE.replace("ids 0: url", "ids 0: atr-manifest");
    assert_only(&text, "atr-ids (floor 0) depends on atr-manifest (floor 1)");
}

#[test]
fn a_sideways_edge_is_named_with_both_floors() {
    let text = HOUSE.replace("ids 0: url", "ids 0: atr-bindings");
    assert_only(&text, "atr-ids (floor 0) depends on atr-bindings (floor 0)");
}

#[test]
fn an_edge_in_tests_must_go_down_too() {
    let text = HOUSE.replace("ids 0: url", "ids 0: | atr-registry");
    assert_only(&text, "atr-ids (floor 0) depends on atr-registry (floor 3)");
}

#[test]
fn an_edge_down_that_the_table_does_not_name_is_refused() {
    let text = HOUSE.replace("manifest 1: atr-ids", "manifest 1: atr-bindings");
    assert_only(
        &text,
        "atr-manifest (floor 1) depends on atr-bindings (floor 0), which its row",
    );
}

#[test]
fn a_missing_or_unreadable_floor_is_refused() {
    for floor in ["-", "7", "-1", "1.5", "\"top\"", "null"] {
        let text = HOUSE.replace("artifacts \"dev\"", &format!("artifacts {floor}"));
        assert_only(
            &text,
            "atr-artifacts must state `[package.metadata.house] floor`",
        );
    }
}

#[test]
fn a_floor_other_than_the_tables_is_refused() {
    let text = HOUSE.replace("registry 3", "registry 4");
    assert_only(
        &text,
        "atr-registry says it is on floor 4, the table of floors says floor 3",
    );
}

#[test]
fn a_crate_without_a_row_asks_for_one() {
    assert_only(
        &format!("{HOUSE}\nattic 6:"),
        "crates/attic has no row in the table of floors",
    );
}

#[test]
fn a_crate_with_a_name_of_its_own_is_refused() {
    let mut packages = crates(HOUSE);
    packages[0].name = "identifiers".to_owned();
    assert!(check(&packages)[0].contains("crates/ids is named identifiers, not atr-ids"));
}

#[test]
fn nothing_impure_is_linked_below_the_line() {
    for library in IMPURE {
        let text = HOUSE.replace("manifest 1: atr-ids", &format!("manifest 1: {library}"));
        assert_only(
            &text,
            &format!("atr-manifest (floor 1) must not depend on {library}"),
        );
    }
}

#[test]
fn a_library_the_row_rules_out_is_refused_except_in_tests() {
    assert_only(
        &format!("{HOUSE}\ngate 5: axum"),
        "atr-gate (floor 5) must not depend on axum",
    );
    assert_eq!(
        check(&crates(&format!("{HOUSE}\ngate 5: tower | axum"))),
        [""; 0]
    );
}

#[test]
fn tools_of_the_house_are_no_dependency_of_what_we_ship() {
    for tool in ["atr-harness", "atr-artifacts"] {
        let text = HOUSE.replace("manifest 1: atr-ids", &format!("manifest 1: {tool}"));
        assert_only(&text, "in its [dependencies]");
    }
    let text = HOUSE.replace("artifacts \"dev\":", "artifacts \"dev\": atr-harness");
    assert_only(
        &text,
        "atr-artifacts (floor dev) has atr-harness (floor dev)",
    );
}

#[test]
fn one_of_ours_that_is_no_room_cannot_be_used() {
    let mut packages = crates(HOUSE);
    packages[0].dependencies.push(Dependency {
        name: "acceptance".to_owned(),
        kind: None,
        path: Some("tests".to_owned()),
    });
    assert!(check(&packages)[0].contains("acceptance at tests, which is no room"));
}
