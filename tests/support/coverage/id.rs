//! The number of a requirement, as `A-01`.

use std::{fmt, str::FromStr};

use serde::{Serialize, Serializer};

/// A requirement's number: the letter of its group and two digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequirementId {
    /// A to P for the matrix, T for a trap.
    pub group: char,
    /// Counted from 1 within the group.
    pub number: u8,
}

impl RequirementId {
    /// Every number that stands in a text as a whole word: `A-01`, but not `CAIP-19`, `P-256` or `X-A-01`.
    pub fn cited_in(text: &str) -> Vec<Self> {
        text.split(|character: char| !(character.is_alphanumeric() || "_-".contains(character)))
            .filter_map(|word| word.parse().ok())
            .collect()
    }
}

impl fmt::Display for RequirementId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&format!("{}-{:02}", self.group, self.number))
    }
}

impl FromStr for RequirementId {
    type Err = eyre::Report;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.as_bytes() {
            [
                group @ b'A'..=b'Z',
                b'-',
                tens @ b'0'..=b'9',
                ones @ b'0'..=b'9',
            ] => Ok(Self {
                group: char::from(*group),
                number: (tens - b'0') * 10 + (ones - b'0'),
            }),
            _ => eyre::bail!("`{text}` is not a requirement's number (a letter, `-`, two digits)"),
        }
    }
}

impl Serialize for RequirementId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_parses_to_itself() {
        for text in ["A-01", "P-19", "T-54"] {
            assert_eq!(text.parse::<RequirementId>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn anything_but_a_letter_a_dash_and_two_digits_is_refused() {
        for text in ["", "A-1", "A-001", "a-01", "A01", "AA-01", "A-0x", "A–01"] {
            assert!(text.parse::<RequirementId>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_whole_words_are_citations() {
        let cited = |text| {
            let ids = RequirementId::cited_in(text);
            ids.iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            cited("// A-01, (B-02): `C-03`/D-04."),
            "A-01 B-02 C-03 D-04"
        );
        assert_eq!(cited("\"E-05…E-07\""), "E-05 E-07");
        assert_eq!(
            cited("CAIP-19 P-256 ERC-20 UTF-16 X-A-01 A-01_b A-01-b ÄA-01 a-01"),
            ""
        );
    }
}
