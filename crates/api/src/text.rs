//! Untrusted text and times, for output.

/// Longest texts that are returned, in characters.
pub(crate) const MAX_NAME: usize = 200;
pub(crate) const MAX_DESCRIPTION: usize = 4_000;
pub(crate) const MAX_URL: usize = 2_048;
pub(crate) const MAX_TAGS: usize = 32;

/// One line of bounded length, without characters that change how the text around it is shown: control and bidirectional
/// characters become U+FFFD.
pub(crate) fn line(text: &str, max_characters: usize) -> String {
    let neutral = |character: char| match character {
        '\n' | '\r' | '\t' => ' ',
        other => neutralize(other),
    };
    shorten(text, max_characters, neutral)
}

/// As [`line()`], with line breaks.
pub(crate) fn paragraphs(text: &str, max_characters: usize) -> String {
    let neutral = |character: char| match character {
        '\n' | '\t' => character,
        '\r' => ' ',
        other => neutralize(other),
    };
    shorten(text, max_characters, neutral)
}

fn neutralize(character: char) -> char {
    // Joiners are part of words and emoji.
    let is_joiner = matches!(character, '\u{200c}' | '\u{200d}');
    if is_joiner || atr_ids::is_printable(character) {
        character
    } else {
        char::REPLACEMENT_CHARACTER
    }
}

fn shorten(text: &str, max_characters: usize, neutral: impl Fn(char) -> char) -> String {
    let mut characters = text.chars();
    let mut result: String = characters
        .by_ref()
        .take(max_characters)
        .map(neutral)
        .collect();
    if characters.next().is_some() {
        result.pop();
        result.push('…');
    }
    result
}

/// Seconds since 1970 as RFC 3339, in UTC.
#[must_use]
pub fn timestamp(seconds: u64) -> String {
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Seconds since 1970 of an RFC 3339 time in UTC, or of a number of seconds.
pub(crate) fn parse_time(text: &str) -> Option<u64> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let (date, time) = text.split_once('T')?;
    let time = time
        .strip_suffix('Z')
        .or_else(|| time.strip_suffix("+00:00"))?;
    let time = time.split_once('.').map_or(time, |(whole, _)| whole);
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    let is_valid = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && day >= 1
        && hour < 24
        && minute < 60
        && second < 61;
    if !is_valid {
        return None;
    }
    let days = days(year, month, day);
    // Excludes days that the month does not have.
    (civil(days) == (year, month, day))
        .then_some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

fn numbers(text: &str, separator: char, lengths: [usize; 3]) -> Option<[u64; 3]> {
    let mut numbers = [0; 3];
    let mut parts = text.split(separator);
    for (number, length) in numbers.iter_mut().zip(lengths) {
        let part = parts.next()?;
        if part.len() != length || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar. Years begin in March here, so that the leap day is
/// the last one.
const fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

/// The inverse of [`civil`].
const fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year / 400, year % 400);
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * shifted + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_change_what_is_around_it() {
        assert_eq!(
            line("a\u{202e}b\u{1b}[31m\nc\u{0}", 99),
            "a\u{fffd}b\u{fffd}[31m c\u{fffd}"
        );
        assert_eq!(paragraphs("a\r\n\tb\u{2066}", 99), "a \n\tb\u{fffd}");
        assert_eq!(line("👩‍🚀 é 東", 99), "👩‍🚀 é 東");
        assert_eq!(line("abcdef", 4), "abc…");
        assert_eq!(line("abcd", 4), "abcd");
    }

    #[test]
    fn times_are_rfc_3339() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_794_999_599, "2026-11-18T10:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(seconds), text);
            assert_eq!(parse_time(text), Some(seconds));
        }
        assert_eq!(parse_time("1700000000"), Some(1_700_000_000));
        assert_eq!(parse_time("2026-11-18T10:59:59.123Z"), Some(1_794_999_599));
        for text in [
            "",
            "now",
            "2026-11-18",
            "2026-02-30T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-11-18T10:59:59+01:00",
            "-1",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
