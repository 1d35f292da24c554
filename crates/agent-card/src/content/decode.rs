//! Encodings that hide content from a reader, but not from the program that uses it.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;
use percent_encoding::percent_decode_str;

/// Rounds of decoding: a text may be encoded twice.
const ROUNDS: usize = 2;

/// The text, and what it is after undoing compatibility characters, percent-encoding, HTML entities and invisible characters.
pub(super) fn variants(text: &str) -> Vec<Cow<'_, str>> {
    let mut all = vec![Cow::Borrowed(text)];
    for _ in 0..ROUNDS {
        let last = all.last().map_or("", |last| &**last);
        let decoded = decode(last);
        if decoded == last {
            break;
        }
        all.push(Cow::Owned(decoded));
    }
    all
}

fn decode(text: &str) -> String {
    let mut text = Cow::Borrowed(text);
    if !text.is_ascii() {
        let normalized = ComposingNormalizerBorrowed::new_nfkc().normalize(&text);
        let visible = normalized.chars().filter(|one| !is_invisible(*one));
        text = visible.collect::<String>().into();
    }
    if text.contains('%') {
        let decoded = percent_decode_str(&text).decode_utf8();
        if let Ok(decoded) = decoded {
            text = decoded.into_owned().into();
        }
    }
    if text.contains('&') {
        text = entities(&text).into();
    }
    text.into_owned()
}

const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
    )
}

/// Resolves HTML entities that browsers resolve in attributes: numbers, and the names of ASCII characters.
fn entities(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        output.push_str(before);
        let end = after.char_indices().take(12).find(|(_, one)| *one == ';');
        let resolved = end.and_then(|(end, _)| Some((entity(&after[..end])?, end + 1)));
        if let Some((character, length)) = resolved {
            output.push(character);
            rest = &after[length..];
        } else {
            output.push('&');
            rest = after;
        }
    }
    output.push_str(rest);
    output
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let hex = number.strip_prefix(['x', 'X']);
        let code = hex.map_or_else(|| number.parse(), |hex| u32::from_str_radix(hex, 16));
        return char::from_u32(code.ok()?);
    }
    Some(match name {
        "lt" | "LT" => '<',
        "gt" | "GT" => '>',
        "amp" | "AMP" => '&',
        "quot" | "QUOT" => '"',
        "apos" => '\'',
        "colon" => ':',
        "sol" => '/',
        "lpar" => '(',
        "rpar" => ')',
        "Tab" => '\t',
        "NewLine" => '\n',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undoes_each_encoding_and_their_combination() {
        for (text, last) in [
            ("plain text", "plain text"),
            ("%3Cscript%3E", "<script>"),
            ("%253Cscript%253E", "<script>"),
            ("&#106;ava&#x73;cript&colon;x", "javascript:x"),
            ("ｌｏｃａｌｈｏｓｔ：８０", "localhost:80"),
            ("lo\u{200b}cal", "local"),
            ("100% & more; AT&T;", "100% & more; AT&T;"),
            ("%ff%fe", "%ff%fe"),
            ("&amp;lt;", "<"),
        ] {
            assert_eq!(
                variants(text).last().map(|last| &**last),
                Some(last),
                "{text}"
            );
        }
        assert_eq!(variants("a").len(), 1);
    }
}
