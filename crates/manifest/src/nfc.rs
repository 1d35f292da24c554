//! Unicode Normalization Form C.

use std::borrow::Cow;

use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};

const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfc();

/// Whether a text is in NFC.
pub(crate) fn is_nfc(text: &str) -> bool {
    text.is_ascii() || NFC.is_normalized(text)
}

/// The text in NFC, as a producer writes it. Consumers never do this (F-03).
#[must_use]
pub fn to_nfc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        NFC.normalize(text)
    }
}

/// Whether the tables we were compiled with are those of Unicode 16.0 or later, as the ERC asks (T-11).
///
/// Tables carry no version to look at, so a letter that Unicode 16.0 introduced is asked about: U+105C9 TODHRI LETTER EI is
/// composed of U+105D2 and U+0307. Older tables leave the two apart.
#[must_use]
pub fn unicode_is_16_or_later() -> bool {
    NFC.normalize("\u{105D2}\u{0307}") == "\u{105C9}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_know_unicode_16() {
        // F-05, T-11
        assert!(unicode_is_16_or_later());
        assert!(!is_nfc("\u{105D2}\u{0307}"));
        assert!(is_nfc("\u{105C9}"));
    }
}
