use atr_agent_card::{Code, compare_releases};
use serde_json::{Value, json};

use crate::support::{changed, document, example, set};

#[test]
fn a_visible_change_moves_updated_at() {
    // P-11
    let before = document(&example());
    for (pointer, value) in [
        ("/description", json!("Another text.")),
        ("/meta/tags/3", json!("new")),
        ("/meta/note", json!(1)),
        ("/meta", Value::Null),
        ("/implements", json!(["summarize", "parse"])),
        ("/capabilities/operations/1", json!("compress")),
    ] {
        let mut card = changed(pointer, value);
        let comparison = compare_releases(&before, &document(&card));
        assert_eq!(
            comparison.changes.len(),
            1,
            "{pointer} {:?}",
            comparison.changes
        );
        assert_eq!(
            comparison.violation.unwrap().code,
            Code::StaleUpdatedAt,
            "{pointer}"
        );
        for (updated, is_violated) in [
            ("2025-11-22T00:00:01Z", false),
            ("2025-11-22T01:00:00+01:00", true),
            ("2025-11-21T00:00:00Z", true),
            ("soon", true),
        ] {
            set(&mut card, "/updated_at", json!(updated));
            let comparison = compare_releases(&before, &document(&card));
            assert_eq!(
                comparison.violation.is_some(),
                is_violated,
                "{pointer} {updated}"
            );
        }
    }
}

#[test]
fn formatting_is_not_a_visible_change() {
    // P-11
    let card = example();
    let before = document(&card);
    let after = atr_manifest::Document::parse(format!("{card:#}\n")).unwrap();
    let comparison = compare_releases(&before, &after);
    assert_eq!((comparison.changes, comparison.violation), (vec![], None));
    // Moving the time alone is allowed, moving it back is not.
    let later = document(&changed("/updated_at", json!("2026-01-01T00:00:00Z")));
    assert_eq!(compare_releases(&before, &later).violation, None);
    assert!(compare_releases(&later, &before).violation.is_some());
}

#[test]
fn changes_show_both_values() {
    let before = document(&example());
    let comparison = compare_releases(&before, &document(&changed("/status", json!("deprecated"))));
    let change = &comparison.changes[0];
    assert_eq!(change.pointer.as_str(), "/status");
    assert_eq!(change.before.as_deref(), Some("\"protocol_reference\""));
    assert_eq!(change.after.as_deref(), Some("\"deprecated\""));
    let removed = compare_releases(&before, &document(&changed("/meta", Value::Null)));
    assert_eq!(removed.changes[0].after, None);
}
