//! Timestamps of cards.

use std::{fmt, str::FromStr};

/// A point in time: ISO 8601 in the form of RFC 3339, with seconds and a time zone. Ordered by time, whatever the time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Since 1970-01-01T00:00:00Z.
    seconds: i64,
    nanoseconds: u32,
}

/// A text that is not a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an ISO 8601 timestamp such as 2025-11-22T00:00:00Z")]
pub struct InvalidTimestamp;

impl Timestamp {
    /// A whole second after 1970-01-01T00:00:00Z, at most the last of the year 9999.
    #[must_use]
    pub fn from_unix(seconds: u64) -> Self {
        Self {
            seconds: i64::try_from(seconds).map_or(LAST_SECOND, |seconds| seconds.min(LAST_SECOND)),
            nanoseconds: 0,
        }
    }
}

/// 9999-12-31T23:59:59Z.
const LAST_SECOND: i64 = 253_402_300_799;

impl fmt::Display for Timestamp {
    /// In UTC, to the second.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut days, seconds) = (
            self.seconds.div_euclid(86_400),
            self.seconds.rem_euclid(86_400),
        );
        let mut year = 1970 + days.div_euclid(366);
        while days_since_epoch(year + 1, 1, 1) <= days {
            year += 1;
        }
        days -= days_since_epoch(year, 1, 1);
        let mut month = 1;
        while days >= days_in(year, month) {
            days -= days_in(year, month);
            month += 1;
        }
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let day = days + 1;
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
        )
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or(InvalidTimestamp)
    }
}

fn parse(text: &str) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    if !text.is_ascii() || bytes.len() < 20 {
        return None;
    }
    let is_separated = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if is_separated.iter().any(|(at, byte)| bytes[*at] != *byte) {
        return None;
    }
    let [year, month, day] = [&text[..4], &text[5..7], &text[8..10]].map(number);
    let [hour, minute, second] = [&text[11..13], &text[14..16], &text[17..19]].map(number);
    let (year, month, day) = (year?, month?, day?);
    let (hour, minute, second) = (hour?, minute?, second?);
    let is_date = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
    // A leap second is the last second of a day in UTC; it counts as the second after.
    if !is_date || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut rest = &text[19..];
    let mut nanoseconds = 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        let digits = fraction.len()
            - fraction
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        if !(1..=9).contains(&digits) {
            return None;
        }
        let value: u32 = fraction[..digits].parse().ok()?;
        nanoseconds = value * 10_u32.pow(9 - u32::try_from(digits).ok()?);
        rest = &fraction[digits..];
    }
    let offset = if rest == "Z" {
        0
    } else {
        let sign = match rest.as_bytes().first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let (hours, minutes) = rest[1..].split_once(':')?;
        if hours.len() != 2 || minutes.len() != 2 {
            return None;
        }
        let (hours, minutes) = (number(hours)?, number(minutes)?);
        if hours > 23 || minutes > 59 {
            return None;
        }
        sign * (hours * 3600 + minutes * 60)
    };
    let days = days_since_epoch(year, month, day);
    Some(Timestamp {
        seconds: days * 86_400 + hour * 3600 + minute * 60 + second - offset,
        nanoseconds,
    })
}

fn number(digits: &str) -> Option<i64> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

const fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01, for years from 0 to 9999.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let leap_days = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let years = (year - 1970) * 365 + leap_days(year - 1) - leap_days(1969);
    let months: i64 = (1..month).map(|month| days_in(year, month)).sum();
    years + months + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<i64> {
        parse(text).map(|timestamp| timestamp.seconds)
    }

    #[test]
    fn counts_seconds_since_1970() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-03-01T00:00:00Z", 951_868_800),
            ("2025-11-22T00:00:00Z", 1_763_769_600),
            ("1969-12-31T23:59:59Z", -1),
            ("2025-11-22T02:00:00+02:00", 1_763_769_600),
            ("2025-11-21T18:30:00-05:30", 1_763_769_600),
            ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:60Z", 253_402_300_800),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn rejects_other_forms_and_impossible_dates() {
        for text in [
            "",
            "2025-11-22",
            "2025-11-22T00:00:00",
            "2025-11-22 00:00:00Z",
            "2025-11-22T00:00:00z",
            "2025-11-22T00:00:00.Z",
            "2025-11-22T00:00:00.1234567890Z",
            "2025-02-29T00:00:00Z",
            "2025-13-01T00:00:00Z",
            "2025-00-01T00:00:00Z",
            "2025-11-31T00:00:00Z",
            "2025-11-22T24:00:00Z",
            "2025-11-22T00:60:00Z",
            "2025-11-22T00:00:61Z",
            "2025-11-22T00:00:00+2:00",
            "2025-11-22T00:00:00+24:00",
            "2025-11-22T00:00:00+02:00x",
            "20251122T000000Z0000",
            "+025-11-22T00:00:00Z",
            "２025-11-22T00:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn prints_what_it_parses() {
        for text in [
            "1970-01-01T00:00:00Z",
            "1999-12-31T23:59:59Z",
            "2000-02-29T12:34:56Z",
            "2026-11-18T00:00:00Z",
            "9999-12-31T23:59:59Z",
        ] {
            let timestamp: Timestamp = text.parse().unwrap();
            assert_eq!(timestamp.to_string(), text);
            let seconds = u64::try_from(timestamp.seconds).unwrap();
            assert_eq!(Timestamp::from_unix(seconds), timestamp);
        }
        assert_eq!(
            Timestamp::from_unix(u64::MAX).to_string(),
            "9999-12-31T23:59:59Z"
        );
    }

    #[test]
    fn orders_by_time_across_time_zones_and_fractions() {
        let order = |text: &str| text.parse::<Timestamp>().unwrap();
        assert!(order("2025-11-22T01:00:00+02:00") < order("2025-11-22T00:00:00Z"));
        assert!(order("2025-11-22T00:00:00.1Z") > order("2025-11-22T00:00:00.09Z"));
        assert_eq!(
            order("2024-02-29T00:00:00.50Z"),
            order("2024-02-29T00:00:00.5Z")
        );
    }
}
