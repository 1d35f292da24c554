//! Times as manifests write them.

use crate::{MAX_SAFE_INTEGER, Value};

/// Whole seconds, 0 or more. The value counts, not its spelling: `3600.0` and `3600` have one canonical form.
pub(crate) fn of(value: Value<'_>) -> Option<u64> {
    let number = value.as_f64()?;
    let is_whole = number.fract() == 0.0 && (0.0..=MAX_SAFE_INTEGER).contains(&number);
    is_whole.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn the_value_counts_and_not_its_spelling() {
        for (text, seconds) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("3600.0", Some(3600)),
            ("36e2", Some(3600)),
            ("-1", None),
            ("0.5", None),
            ("1e300", None),
            ("\"60\"", None),
            ("null", None),
        ] {
            let document = Document::parse(text).unwrap();
            assert_eq!(of(document.root()), seconds, "{text}");
        }
    }
}
