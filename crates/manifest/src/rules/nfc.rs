//! Every string and every member name is in NFC, in extensions too (ERC-8257 § 2; names: T-10).

use super::context::RuleContext;
use crate::{
    Code, Violation,
    document::{node::Tag, walk::Walk},
    nfc::{is_nfc, to_nfc},
};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let document = context.document();
    if document.is_ascii() {
        return;
    }
    let mut walk = Walk::new(document);
    while let Some(visit) = walk.next() {
        let node = document.node(visit.index);
        if !matches!(node.tag(), Tag::Verbatim | Tag::Unescaped) {
            continue;
        }
        let text = document.slice(node);
        if is_nfc(text) {
            continue;
        }
        let code_points = |text: &str| text.chars().count();
        let is_recorded = context.reject(Violation {
            code: if visit.is_name {
                Code::NameNotNfc
            } else {
                Code::NotNfc
            },
            pointer: walk.pointer(),
            found: format!("{} code points, not in NFC", code_points(text)),
            allowed: format!("NFC ({} code points)", code_points(&to_nfc(text))).into(),
            fix: "normalize the text to NFC".into(),
        });
        if !is_recorded {
            return;
        }
    }
}
