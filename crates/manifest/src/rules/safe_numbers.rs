//! Integers beyond 2^53-1 are not published: libraries round them differently or raise (T-14).
//! Consumers hash the double as RFC 8785 prints it.

use atr_ids::excerpt;

use super::scope::Scope;
use crate::{
    Code, MAX_SAFE_INTEGER, Violation,
    document::{
        node::{Node, Tag},
        walk::Walk,
    },
};

/// A number this short cannot exceed the limit unless it has an exponent.
const SAFE_BYTES: usize = 15;

pub(super) fn check(scope: &mut Scope<'_>) {
    let document = scope.document();
    let is_unsafe = |node: Node| {
        node.tag() == Tag::Number && {
            let text = document.slice(node);
            (text.len() > SAFE_BYTES || text.contains(['e', 'E']))
                && text
                    .parse::<f64>()
                    .is_ok_and(|number| number.abs() > MAX_SAFE_INTEGER)
        }
    };
    if !document.nodes.iter().any(|node| is_unsafe(*node)) {
        return;
    }
    let mut walk = Walk::new(document);
    while let Some(stop) = walk.step() {
        let node = document.node(stop.index);
        if !is_unsafe(node) {
            continue;
        }
        let is_kept = scope.refuse_to_publish(Violation {
            code: Code::UnsafeInteger,
            pointer: walk.pointer(),
            found: excerpt(document.slice(node)),
            allowed: "numbers from -(2^53-1) to 2^53-1".into(),
            fix: "write it as a string: a double cannot tell it from its neighbours".into(),
        });
        if !is_kept {
            return;
        }
    }
}
