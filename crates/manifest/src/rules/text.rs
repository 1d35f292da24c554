//! Human-readable text: `name`, `description`, `verifiability.description`.

use super::context::RuleContext;
use crate::{Code, Value, Violation};

/// Limits of a text.
pub(super) struct TextRule {
    /// In code points, not bytes (T-16): 128 emoji are a valid name.
    pub(super) max_code_points: usize,
    /// Whether LF, CR and TAB are allowed, for Markdown.
    pub(super) allows_breaks: bool,
}

pub(super) fn check(context: &mut RuleContext<'_>, value: Value<'_>, rule: &TextRule) {
    let Some(text) = value.as_str() else { return };
    let max = rule.max_code_points;
    // A text has at most as many code points as bytes, so short text is not counted.
    let code_points = if text.len() <= max && !text.is_empty() {
        1
    } else {
        text.chars().count()
    };
    if code_points == 0 {
        context.reject(Violation {
            code: Code::EmptyText,
            pointer: value.pointer(),
            found: "an empty string".to_owned(),
            allowed: format!("1 to {max} code points").into(),
            fix: "add a text".into(),
        });
    }
    if code_points > max {
        context.reject(Violation {
            code: Code::TextTooLong,
            pointer: value.pointer(),
            found: format!("{code_points} code points"),
            allowed: format!("1 to {max} code points").into(),
            fix: format!("shorten it by {} code points", code_points - max).into(),
        });
    }
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return;
    }
    // Cc is U+0000 to U+001F and U+007F to U+009F.
    let is_forbidden = |character: &char| {
        character.is_control() && !(rule.allows_breaks && matches!(character, '\n' | '\r' | '\t'))
    };
    if let Some((position, character)) = find(text, is_forbidden) {
        context.reject(Violation {
            code: Code::ControlCharacter,
            pointer: value.pointer(),
            found: format!("U+{:04X} at character {position}", u32::from(character)),
            allowed: if rule.allows_breaks {
                "no control characters except LF, CR and TAB".into()
            } else {
                "no control characters".into()
            },
            fix: "remove it, or replace it with a space".into(),
        });
    }
    if let Some((position, character)) = find(text, |character| is_invisible(*character)) {
        context.warn(Violation {
            code: Code::InvisibleCharacter,
            pointer: value.pointer(),
            found: format!("U+{:04X} at character {position}", u32::from(character)),
            allowed: "visible characters".into(),
            fix: "remove it; clients strip or flag it, because it can be used for spoofing".into(),
        });
    }
}

/// The first matching character and its position, starting at 1.
fn find(text: &str, matches: impl Fn(&char) -> bool) -> Option<(usize, char)> {
    text.chars()
        .enumerate()
        .find(|(_, character)| matches(character))
        .map(|(index, character)| (index + 1, character))
}

/// Bidirectional controls and zero-width characters, except the zero-width joiner, which emoji use.
const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}
