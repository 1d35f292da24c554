//! `tags`: at most 16, each a lower-case word, none twice.

use std::collections::BTreeSet;

use atr_ids::{MAX_TAG_CODE_POINTS, Tag};

use super::{
    member::Member,
    scope::{Scope, shown},
};
use crate::{Code, Kind, MAX_TAGS, Violation};

pub(super) fn check(scope: &mut Scope<'_>) {
    let Some(tags) = scope.optional_member(Member::Tags, Kind::Array) else {
        return;
    };
    if tags.len() > MAX_TAGS {
        scope.refuse(Violation {
            code: Code::TooManyTags,
            pointer: tags.pointer(),
            found: format!("{} tags", tags.len()),
            allowed: format!("at most {MAX_TAGS}").into(),
            fix: format!("remove {}", tags.len() - MAX_TAGS).into(),
        });
    }
    let mut seen = BTreeSet::new();
    for tag in tags.elements() {
        if scope.is_full() {
            return;
        }
        let Some(text) = scope
            .of_kind(tag, Kind::String)
            .and_then(|tag| tag.as_str())
        else {
            continue;
        };
        if !Tag::is_valid(text) {
            scope.refuse(Violation {
                code: Code::BadTag,
                pointer: tag.pointer(),
                found: shown(tag),
                allowed: format!(
                    "1 to {MAX_TAG_CODE_POINTS} characters of a-z, 0-9 and inner hyphens"
                )
                .into(),
                fix: match suggestion(text) {
                    Some(tag) => format!("write \"{tag}\"").into(),
                    None => "use lower-case letters, digits and hyphens only".into(),
                },
            });
        } else if !seen.insert(text) {
            scope.refuse(Violation {
                code: Code::DuplicateTag,
                pointer: tag.pointer(),
                found: format!("{} again", shown(tag)),
                allowed: "every tag once".into(),
                fix: "remove one of the two".into(),
            });
        }
    }
}

/// What was probably meant.
fn suggestion(text: &str) -> Option<String> {
    let tag = text
        .trim()
        .to_ascii_lowercase()
        .replace([' ', '_', '.', '/'], "-");
    let tag = tag.trim_matches('-');
    Tag::is_valid(tag).then(|| tag.to_owned())
}
