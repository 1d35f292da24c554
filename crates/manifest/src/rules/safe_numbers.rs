//! Producers must not publish numbers outside ±(2^53-1): libraries round them differently or fail (T-14). Consumers hash the
//! double as RFC 8785 prints it.

use atr_ids::excerpt;

use super::context::RuleContext;
use crate::{
    Code, MAX_SAFE_INTEGER, Violation,
    document::{
        node::{Node, Tag},
        walk::Walk,
    },
};

/// A number with at most this many bytes is safe unless it has an exponent.
const SAFE_BYTES: usize = 15;

/// Avoids parsing most numbers.
fn may_be_unsafe(text: &str) -> bool {
    text.len() > SAFE_BYTES || text.contains(['e', 'E'])
}

pub(super) fn check(context: &mut RuleContext<'_>) {
    let document = context.document();
    let is_unsafe = |node: Node| {
        node.tag() == Tag::Number && {
            let text = document.slice(node);
            may_be_unsafe(text)
                && text
                    .parse::<f64>()
                    .is_ok_and(|number| number.abs() > MAX_SAFE_INTEGER)
        }
    };
    if !document.nodes.iter().any(|node| is_unsafe(*node)) {
        return;
    }
    let mut walk = Walk::new(document);
    while let Some(visit) = walk.next() {
        let node = document.node(visit.index);
        if !is_unsafe(node) {
            continue;
        }
        let is_recorded = context.reject_for_producers(Violation {
            code: Code::UnsafeInteger,
            pointer: walk.pointer(),
            found: excerpt(document.slice(node)),
            allowed: "numbers from -(2^53-1) to 2^53-1".into(),
            fix: "use a string: a double cannot represent the number exactly".into(),
        });
        if !is_recorded {
            return;
        }
    }
}
