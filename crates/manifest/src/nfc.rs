//! Unicode Normalization Form C.

use std::borrow::Cow;

use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};

const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfc();

/// Whether a text is in NFC.
pub(crate) fn is_nfc(text: &str) -> bool {
    text.is_ascii() || NFC.is_normalized(text)
}

/// Converts a text to NFC. For producers only: consumers must reject text that is not in NFC (F-03).
#[must_use]
pub fn to_nfc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        NFC.normalize(text)
    }
}

/// Whether the compiled-in NFC tables support Unicode 16.0, as the ERC requires (T-11).
///
/// The tables have no version number. So this normalizes a character that Unicode 16.0 added: U+105C9 TODHRI LETTER EI is
/// composed of U+105D2 and U+0307. Older tables do not compose them.
#[must_use]
pub fn supports_unicode_16() -> bool {
    NFC.normalize("\u{105D2}\u{0307}") == "\u{105C9}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_support_unicode_16() {
        // F-05, T-11
        assert!(supports_unicode_16());
        assert!(!is_nfc("\u{105D2}\u{0307}"));
        assert!(is_nfc("\u{105C9}"));
    }
}
