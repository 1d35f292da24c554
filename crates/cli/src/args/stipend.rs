//! Stipend argument.

use std::str::FromStr;

use crate::args::InvalidValue;

/// Gas per call of a predicate: `auto`, `default` or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StipendArg {
    /// The measured need with a margin.
    Auto,
    /// The default of the predicate.
    Default,
    Gas(u64),
}

impl FromStr for StipendArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            "default" => Ok(Self::Default),
            _ => match atr_ids::parse_decimal(text).ok().map(u64::try_from) {
                Some(Ok(gas)) if gas > 0 => Ok(Self::Gas(gas)),
                _ => Err(InvalidValue::Stipend {
                    found: atr_ids::excerpt(text),
                }),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_auto_default_and_a_number() {
        assert_eq!("auto".parse(), Ok(StipendArg::Auto));
        assert_eq!("default".parse(), Ok(StipendArg::Default));
        assert_eq!("20000".parse(), Ok(StipendArg::Gas(20_000)));
        for text in ["", "0", "20,000", "-1", "18446744073709551616"] {
            assert!(text.parse::<StipendArg>().is_err(), "{text}");
        }
    }
}
