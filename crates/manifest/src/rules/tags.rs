//! `tags`: at most 16, unique, lower case.

use std::collections::BTreeSet;

use atr_ids::{MAX_TAG_CODE_POINTS, Tag};

use super::{
    context::{RuleContext, display},
    member::Member,
};
use crate::{Code, Kind, MAX_TAGS, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(tags) = context.optional_member(Member::Tags, Kind::Array) else {
        return;
    };
    if tags.len() > MAX_TAGS {
        context.reject(Violation {
            code: Code::TooManyTags,
            pointer: tags.pointer(),
            found: format!("{} tags", tags.len()),
            allowed: format!("at most {MAX_TAGS} tags").into(),
            fix: format!("remove {} tags", tags.len() - MAX_TAGS).into(),
        });
    }
    let mut seen = BTreeSet::new();
    for tag in tags.elements() {
        if context.is_full() {
            return;
        }
        let Some(text) = context
            .expect_kind(tag, Kind::String)
            .and_then(|tag| tag.as_str())
        else {
            continue;
        };
        if !Tag::is_valid(text) {
            context.reject(Violation {
                code: Code::BadTag,
                pointer: tag.pointer(),
                found: display(tag),
                allowed: format!(
                    "1 to {MAX_TAG_CODE_POINTS} characters of a-z, 0-9 and inner hyphens"
                )
                .into(),
                fix: match suggestion(text) {
                    Some(tag) => format!("use \"{tag}\"").into(),
                    None => "use lower-case letters, digits and hyphens only".into(),
                },
            });
        } else if !seen.insert(text) {
            context.reject(Violation {
                code: Code::DuplicateTag,
                pointer: tag.pointer(),
                found: format!("duplicate {}", display(tag)),
                allowed: "unique tags".into(),
                fix: "remove the duplicate".into(),
            });
        }
    }
}

/// A valid tag that resembles the text.
fn suggestion(text: &str) -> Option<String> {
    let tag = text
        .trim()
        .to_ascii_lowercase()
        .replace([' ', '_', '.', '/'], "-");
    let tag = tag.trim_matches('-');
    Tag::is_valid(tag).then(|| tag.to_owned())
}
