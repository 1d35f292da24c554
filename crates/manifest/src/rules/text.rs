//! Texts for people: `name`, `description`, `verifiability.description`.

use super::scope::Scope;
use crate::{Code, Value, Violation};

/// What such a text may be.
pub(super) struct TextRule {
    /// Counted in code points (T-16): 128 emoji are a legal name.
    pub(super) max_code_points: usize,
    /// LF, CR and TAB, for Markdown.
    pub(super) allows_breaks: bool,
}

pub(super) fn check(scope: &mut Scope<'_>, value: Value<'_>, rule: &TextRule) {
    let Some(text) = value.as_str() else { return };
    let max = rule.max_code_points;
    // No more code points than bytes: short texts need not be counted.
    let code_points = if text.len() <= max && !text.is_empty() {
        1
    } else {
        text.chars().count()
    };
    if code_points == 0 {
        scope.refuse(Violation {
            code: Code::EmptyText,
            pointer: value.pointer(),
            found: "an empty text".to_owned(),
            allowed: format!("1 to {max} code points").into(),
            fix: "say what it is".into(),
        });
    }
    if code_points > max {
        scope.refuse(Violation {
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
    if let Some((at, character)) = find(text, is_forbidden) {
        scope.refuse(Violation {
            code: Code::ControlCharacter,
            pointer: value.pointer(),
            found: format!("U+{:04X} as character {at}", u32::from(character)),
            allowed: if rule.allows_breaks {
                "no control characters but LF, CR and TAB".into()
            } else {
                "no control characters".into()
            },
            fix: "remove it, or put a space in its place".into(),
        });
    }
    if let Some((at, character)) = find(text, |character| is_invisible(*character)) {
        scope.warn(Violation {
            code: Code::InvisibleCharacter,
            pointer: value.pointer(),
            found: format!("U+{:04X} as character {at}", u32::from(character)),
            allowed: "characters that can be seen".into(),
            fix: "remove it: surfaces strip or flag it, because it can disguise a text".into(),
        });
    }
}

/// The first such character and its number, from 1.
fn find(text: &str, is_sought: impl Fn(&char) -> bool) -> Option<(usize, char)> {
    text.chars()
        .enumerate()
        .find(|(_, character)| is_sought(character))
        .map(|(index, character)| (index + 1, character))
}

/// Direction marks and characters without a shape. The zero-width joiner is left out: emoji need it.
const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}
