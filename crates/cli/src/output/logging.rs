//! Log messages on standard error.

use std::{fmt, io, str::FromStr};

use tracing_subscriber::{
    field::MakeExt,
    filter::{LevelFilter, Targets},
    fmt::format,
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use crate::{
    args::InvalidValue,
    output::{escape_json, escape_line, progress::StderrWriter},
};

/// A log filter: a level, or `target=level`, comma-separated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LogFilter {
    text: String,
    targets: Targets,
}

impl LogFilter {
    /// The filter for a number of `-v` or `-q`, relative to the default `warn`.
    pub(crate) fn from_verbosity(verbose: u8, quiet: u8) -> Self {
        const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
        let index = (2 + usize::from(verbose))
            .saturating_sub(quiet.into())
            .min(LEVELS.len() - 1);
        LEVELS[index].parse().expect("all entries are levels")
    }
}

impl Default for LogFilter {
    fn default() -> Self {
        Self::from_verbosity(0, 0)
    }
}

impl FromStr for LogFilter {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidValue::LogFilter {
            found: text.to_owned(),
        };
        // `Targets` would read a misspelled level such as `inof` as a target with all levels enabled.
        let is_level = |word: &str| {
            !word.is_empty()
                && word.bytes().all(|byte| byte.is_ascii_alphabetic())
                && word.parse::<LevelFilter>().is_ok()
        };
        let is_valid = |directive: &str| match directive.split_once('=') {
            Some((target, level)) => !target.is_empty() && is_level(level),
            None => is_level(directive),
        };
        if !text.split(',').all(is_valid) {
            return Err(invalid());
        }
        let targets = text.parse().map_err(|_| invalid())?;
        Ok(Self {
            text: text.to_owned(),
            targets,
        })
    }
}

impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Format of log messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Text {
        color: bool,
    },
    /// One JSON object per line.
    Json,
}

pub(crate) fn init(filter: &LogFilter, format: LogFormat) {
    let registry = tracing_subscriber::registry().with(filter.targets.clone());
    let LogFormat::Text { color } = format else {
        let lines = tracing_subscriber::fmt::layer()
            .json()
            .with_writer(JsonWriter::default)
            .without_time();
        return registry.with(lines).init();
    };
    // Without timestamps: service managers and CI add their own.
    let fields = format::debug_fn(|writer, field, value| {
        let value = escape_line(&format!("{value:?}"));
        match field.name() {
            "message" => write!(writer, "{value}"),
            name => write!(writer, "{name}={value}"),
        }
    });
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(StderrWriter::default)
        .fmt_fields(fields.delimited(" "))
        .with_ansi(color)
        // Module paths help with debugging only.
        .with_target(*filter != LogFilter::default())
        .without_time();
    registry.with(lines).init();
}

/// Standard error for lines of JSON, with the characters escaped that JSON allows but a terminal must not see.
#[derive(Clone, Copy, Debug, Default)]
struct JsonWriter(StderrWriter);

impl io::Write for JsonWriter {
    /// Called once per line.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        io::Write::write_all(&mut self.0, escape_json(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_v_and_q_changes_the_level_by_one() {
        let filter = |verbose, quiet| LogFilter::from_verbosity(verbose, quiet).to_string();
        assert_eq!(filter(0, 0), "warn");
        assert_eq!(filter(1, 0), "info");
        assert_eq!(filter(2, 0), "debug");
        assert_eq!(filter(3, 0), "trace");
        assert_eq!(filter(200, 0), "trace");
        assert_eq!(filter(0, 1), "error");
        assert_eq!(filter(0, 2), "off");
        assert_eq!(filter(0, 200), "off");
    }

    #[test]
    fn accepts_levels_and_targets_with_levels() {
        for text in [
            "info",
            "DEBUG",
            "off",
            "warn,atr_cli=trace",
            "atr_cli::config=debug",
        ] {
            assert_eq!(text.parse::<LogFilter>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn rejects_a_misspelled_level() {
        for text in [
            "",
            "inof",
            "info,",
            "atr_cli=",
            "=info",
            "atr_cli=loud",
            "7",
        ] {
            assert!(text.parse::<LogFilter>().is_err(), "{text:?}");
        }
    }
}
