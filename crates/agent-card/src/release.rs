//! Two releases of a card.

use atr_manifest::{Document, Kind, Pointer, Value};
use serde::Serialize;

use crate::{Card, Code, Finding, Timestamp, finding::describe};

/// Changes that are listed.
const MAX_CHANGES: usize = 256;

/// A member or element that differs between two releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Location in both releases.
    pub pointer: Pointer,
    /// The value before, as an excerpt. `None` if it was added.
    pub before: Option<String>,
    /// The value after, as an excerpt. `None` if it was removed.
    pub after: Option<String>,
}

/// What changed between two releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReleaseComparison {
    /// Visible changes without `updated_at`. Formatting and the order of members are not visible.
    pub changes: Vec<Change>,
    /// Why `updated_at` is not what the changes require (P-11).
    pub violation: Option<Finding>,
}

/// Compares two releases (P-11): a visible change moves `updated_at` forward.
#[must_use]
pub fn compare_releases(before: &Document, after: &Document) -> ReleaseComparison {
    let mut changes = Vec::new();
    differences(before.root(), after.root(), &Pointer::root(), &mut changes);
    changes.retain(|change| change.pointer.as_str() != "/updated_at");
    let updated = |document| {
        let card = Card::new(document);
        let text = card.text("updated_at");
        (text, text.and_then(|text| text.parse::<Timestamp>().ok()))
    };
    let (text_before, time_before) = updated(before);
    let (text_after, time_after) = updated(after);
    let is_later =
        matches!((time_before, time_after), (Some(before), Some(after)) if after > before);
    let is_moved_back =
        matches!((time_before, time_after), (Some(before), Some(after)) if after < before);
    let is_violated = (!changes.is_empty() && !is_later) || is_moved_back;
    let violation = is_violated.then(|| {
        Finding::new(
            Code::StaleUpdatedAt,
            Pointer::root().member("updated_at"),
            text_after.map_or_else(
                || "nothing".to_owned(),
                |text| format!("\"{}\"", atr_ids::excerpt(text)),
            ),
            text_before.map_or_else(
                || "a timestamp in both releases".to_owned(),
                |text| format!("a timestamp after {}", atr_ids::excerpt(text)),
            ),
            "set updated_at to the time of the change",
        )
    });
    ReleaseComparison { changes, violation }
}

/// Recursion is bounded by the 128 levels of documents.
fn differences(before: Value<'_>, after: Value<'_>, pointer: &Pointer, changes: &mut Vec<Change>) {
    if changes.len() >= MAX_CHANGES {
        return;
    }
    let change = |before: Option<Value<'_>>, after: Option<Value<'_>>, pointer: Pointer| Change {
        pointer,
        before: before.map(describe),
        after: after.map(describe),
    };
    match (before.kind(), after.kind()) {
        (Kind::Object, Kind::Object) => {
            for (name, value) in before.members() {
                let pointer = pointer.clone().member(name);
                match after.get(name) {
                    Some(other) => differences(value, other, &pointer, changes),
                    None => changes.push(change(Some(value), None, pointer)),
                }
            }
            for (name, value) in after.members() {
                if before.get(name).is_none() {
                    changes.push(change(None, Some(value), pointer.clone().member(name)));
                }
            }
        }
        (Kind::Array, Kind::Array) if before.len() == after.len() => {
            let pairs = before.elements().zip(after.elements());
            for (index, (before, after)) in pairs.enumerate() {
                differences(before, after, &pointer.clone().element(index), changes);
            }
        }
        _ if !is_equal(before, after) => {
            changes.push(change(Some(before), Some(after), pointer.clone()));
        }
        _ => {}
    }
    changes.truncate(MAX_CHANGES);
}

/// Whether two values that are not both objects, or arrays of one length, are equal.
fn is_equal(before: Value<'_>, after: Value<'_>) -> bool {
    before.kind() == after.kind()
        && before.len() == after.len()
        && before.as_str() == after.as_str()
        && before.as_bool() == after.as_bool()
        && before.as_f64() == after.as_f64()
}
