//! Durations in seconds.

use crate::{MAX_SAFE_INTEGER, Value};

/// A whole number of seconds, 0 or more. `3600.0` and `3600` are equal: they have the same canonical form.
pub(crate) fn from_value(value: Value<'_>) -> Option<u64> {
    let number = value.as_f64()?;
    let is_whole = number.fract() == 0.0 && (0.0..=MAX_SAFE_INTEGER).contains(&number);
    is_whole.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn the_value_matters_and_not_its_notation() {
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
            assert_eq!(from_value(document.root()), seconds, "{text}");
        }
    }
}
