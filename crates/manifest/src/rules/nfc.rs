//! Every string and every name is in NFC, extensions included (ERC-8257 § 2; names by T-10).

use super::scope::Scope;
use crate::{
    Code, Violation,
    document::{node::Tag, walk::Walk},
    nfc::{is_nfc, to_nfc},
};

pub(super) fn check(scope: &mut Scope<'_>) {
    let document = scope.document();
    if document.is_ascii() {
        return;
    }
    let mut walk = Walk::new(document);
    while let Some(stop) = walk.step() {
        let node = document.node(stop.index);
        if !matches!(node.tag(), Tag::Verbatim | Tag::Unescaped) {
            continue;
        }
        let text = document.slice(node);
        if is_nfc(text) {
            continue;
        }
        let code_points = |text: &str| text.chars().count();
        let is_kept = scope.refuse(Violation {
            code: if stop.is_name {
                Code::NameNotNfc
            } else {
                Code::NotNfc
            },
            pointer: walk.pointer(),
            found: format!("{} code points that are not in NFC", code_points(text)),
            allowed: format!("NFC: {} code points", code_points(&to_nfc(text))).into(),
            fix: "`atr manifest canonicalize --nfc` writes every text in NFC".into(),
        });
        if !is_kept {
            return;
        }
    }
}
