//! Diagnostics, on standard error: what the program is doing, as opposed to what it answers.

use std::{fmt, str::FromStr};

use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use crate::{args::InvalidValue, output::progress::BesideBars};

/// Which diagnostics to show: a level, or `target=level`, comma-separated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LogFilter {
    text: String,
    targets: Targets,
}

impl LogFilter {
    /// The filter for so many `-v`, less so many `-q`, counted from the default, which is `warn`.
    pub(crate) fn of_verbosity(verbose: u8, quiet: u8) -> Self {
        const LADDER: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
        let rung = (2 + usize::from(verbose))
            .saturating_sub(quiet.into())
            .min(LADDER.len() - 1);
        LADDER[rung].parse().expect("every rung is a level")
    }
}

impl Default for LogFilter {
    fn default() -> Self {
        Self::of_verbosity(0, 0)
    }
}

impl FromStr for LogFilter {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || InvalidValue::LogFilter {
            found: text.to_owned(),
        };
        // A bare word that is no level would otherwise pass for a target with everything switched on: `ATR_LOG=inof`.
        let is_level = |word: &str| {
            !word.is_empty()
                && word.bytes().all(|byte| byte.is_ascii_alphabetic())
                && word.parse::<LevelFilter>().is_ok()
        };
        let sound = |directive: &str| match directive.split_once('=') {
            Some((target, level)) => !target.is_empty() && is_level(level),
            None => is_level(directive),
        };
        if !text.split(',').all(sound) {
            return Err(refused());
        }
        let targets = text.parse().map_err(|_| refused())?;
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

/// Shows from now on what passes the filter.
pub(crate) fn init(filter: &LogFilter, color: bool) {
    // No time: whoever keeps these lines (a service manager, CI) stamps them already.
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(BesideBars::default)
        .with_ansi(color)
        .without_time();
    tracing_subscriber::registry()
        .with(filter.targets.clone())
        .with(lines)
        .init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_v_and_q_is_one_step_on_the_ladder() {
        let filter = |verbose, quiet| LogFilter::of_verbosity(verbose, quiet).to_string();
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
    fn takes_levels_and_targets_with_levels() {
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
    fn refuses_a_misspelt_level_instead_of_taking_it_for_a_target() {
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
