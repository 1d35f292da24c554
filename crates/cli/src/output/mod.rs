//! The one door to standard output and standard error.
//!
//! A command makes a [`Report`]; here it becomes text or JSON, so that the two cannot say different things.

pub(crate) mod logging;
mod numbers;
mod predicate;
pub(crate) mod progress;
pub(crate) mod prompt;
mod requirements;
pub(crate) mod suggestion;
mod table;

use std::{
    fmt,
    io::{self, IsTerminal, Write},
    path::PathBuf,
};

use anstyle::Style;
use serde::Serialize;

pub(crate) use numbers::grouped;
pub(crate) use predicate::GateView;
pub(crate) use progress::Progress;
pub(crate) use requirements::requirement_lines;
pub(crate) use table::Table;

use crate::{config::Environment, error::Error, outcome::Outcome};

/// An answer: its fields are the JSON, `human` is the same for people.
pub(crate) trait Report: Serialize {
    /// The text, newline at the end.
    fn human(&self, palette: &Palette) -> String;
}

/// Where answers and errors go, and in which form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    form: Form,
    palette: Palette,
    error_palette: Palette,
}

/// Text for people or JSON for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Human,
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal that has them, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also into files and pipes
    Always,
    /// Nowhere
    Never,
}

impl Color {
    /// Whether a stream gets colours.
    pub(crate) fn reaches(self, stream: &impl IsTerminal, environment: &Environment) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => stream.is_terminal() && !environment.forbids_color(),
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        })
    }
}

/// The few styles there are; plain when colours are off.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Palette {
    heading: Style,
    good: Style,
    error: Style,
    warning: Style,
}

impl Palette {
    fn new(color: bool) -> Self {
        if !color {
            return Self::default();
        }
        Self {
            heading: Style::new().bold(),
            good: Style::new().fg_color(Some(anstyle::AnsiColor::Green.into())),
            error: Style::new()
                .bold()
                .fg_color(Some(anstyle::AnsiColor::Red.into())),
            warning: Style::new()
                .bold()
                .fg_color(Some(anstyle::AnsiColor::Yellow.into())),
        }
    }

    /// A heading or the first line of a table.
    pub(crate) fn heading(&self, text: &str) -> String {
        format!(
            "{}{text}{}",
            self.heading.render(),
            self.heading.render_reset()
        )
    }

    /// What is as it should be.
    pub(crate) fn good(&self, text: &str) -> String {
        format!("{}{text}{}", self.good.render(), self.good.render_reset())
    }

    /// What went wrong or is refused.
    pub(crate) fn error(&self, text: &str) -> String {
        format!("{}{text}{}", self.error.render(), self.error.render_reset())
    }

    /// What had better be otherwise.
    pub(crate) fn warning(&self, text: &str) -> String {
        format!(
            "{}{text}{}",
            self.warning.render(),
            self.warning.render_reset()
        )
    }
}

impl Output {
    pub(crate) fn new(form: Form, color: Color, environment: &Environment) -> Self {
        Self {
            form,
            palette: Palette::new(color.reaches(&io::stdout(), environment)),
            error_palette: Palette::new(color.reaches(&io::stderr(), environment)),
        }
    }

    /// Prints a command's answer.
    pub(crate) fn present(&self, report: &impl Report) -> Result<(), Error> {
        let text = match self.form {
            Form::Human => report.human(&self.palette),
            Form::Json => json_line(report),
        };
        print(&text)
    }

    /// Prints beside the answer, for a command whose standard output goes into a file. Failing to is not reported.
    pub(crate) fn present_aside(&self, report: &impl Report) {
        let text = match self.form {
            Form::Human => report.human(&self.error_palette),
            Form::Json => json_line(report),
        };
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Asks a question on standard error; the answer comes on standard input.
    pub(crate) fn ask(&self, question: &str) {
        let _ = io::stderr().write_all(self.error_palette.heading(question).as_bytes());
    }

    /// Prints why there is no answer. Failing to is not reported: there is nowhere left to report it.
    pub(crate) fn present_failure(&self, failure: &eyre::Report, outcome: Outcome) {
        let mut causes: Vec<_> = failure.chain().map(ToString::to_string).collect();
        // Wrappers that only repeat what they wrap say nothing.
        causes.dedup();
        let text = match self.form {
            Form::Human => {
                format!(
                    "{} {}\n",
                    self.error_palette.error("error:"),
                    visible(&causes.join("\n  because: "))
                )
            }
            Form::Json => json_line(&Failure {
                outcome: outcome.word(),
                error: &causes[0],
                causes: &causes[1..],
            }),
        };
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Prints an answer that belongs to a later one: people see it now, programs get all of it at the end.
    pub(crate) fn present_early(&self, report: &impl Report) -> Result<(), Error> {
        match self.form {
            Form::Human => self.present(report),
            Form::Json => Ok(()),
        }
    }

    /// Prints one of many answers, a line each. Whether anyone still listens is for the caller to know: there may be no
    /// end to the answers.
    pub(crate) fn present_line(&self, report: &impl Report) -> Result<Listener, Error> {
        let text = match self.form {
            Form::Human => report.human(&self.palette),
            Form::Json => {
                let line = serde_json::to_string(report);
                line.expect("reports have string keys only") + "\n"
            }
        };
        try_print(&text)
    }

    /// Whether someone is there to answer a question.
    pub(crate) fn allows_questions(&self) -> bool {
        self.form == Form::Human && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Whether a progress bar may be drawn beside the answer.
    pub(crate) fn allows_progress(&self) -> bool {
        self.form == Form::Human && io::stderr().is_terminal()
    }
}

/// Prints what the argument parser has to say: help and version are answers, everything else is misuse.
pub(crate) fn present_parser(
    message: &clap::Error,
    environment: &Environment,
) -> Result<Outcome, Error> {
    let rendered = message.render();
    let text = |color: bool| {
        if color {
            rendered.ansi().to_string()
        } else {
            rendered.to_string()
        }
    };
    if message.use_stderr() {
        let color = Color::Auto.reaches(&io::stderr(), environment);
        let _ = io::stderr().write_all(text(color).as_bytes());
        return Ok(Outcome::Misuse);
    }
    print(&text(Color::Auto.reaches(&io::stdout(), environment)))?;
    Ok(Outcome::Yes)
}

#[derive(Serialize)]
struct Failure<'a> {
    outcome: &'static str,
    error: &'a str,
    causes: &'a [String],
}

/// A text that is an answer by itself: a completion script, a man page.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    /// Name of the file it would be kept in.
    pub(crate) file: String,
    /// The text.
    pub(crate) text: String,
}

impl Report for Document {
    fn human(&self, _: &Palette) -> String {
        self.text.clone()
    }
}

/// The files a command wrote.
#[derive(Debug, Serialize)]
pub(crate) struct WrittenFiles {
    pub(crate) files: Vec<PathBuf>,
}

impl Report for WrittenFiles {
    fn human(&self, _: &Palette) -> String {
        self.files
            .iter()
            .map(|file| format!("{}\n", file.display()))
            .collect()
    }
}

/// A text with everything escaped that cannot be seen, line ends aside: strangers' words in it must not repaint the terminal.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\\' | '"' | '\'' => shown.push(character),
            other => shown.extend(other.escape_debug()),
        }
    }
    shown
}

fn json_line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("reports have string keys only");
    text.push('\n');
    text
}

/// Whether anybody reads what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listener {
    /// As far as is known.
    There,
    /// The other end of the pipe is closed.
    Gone,
}

/// A reader that went away has all it wanted: a broken pipe is success (`atr … | head`).
fn print(text: &str) -> Result<(), Error> {
    try_print(text).map(|_| ())
}

fn try_print(text: &str) -> Result<Listener, Error> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Ok(()) => Ok(Listener::There),
        Err(source) if source.kind() == io::ErrorKind::BrokenPipe => Ok(Listener::Gone),
        Err(source) => Err(Error::Print { source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_colours_only_when_told_so() {
        let file = std::fs::File::open(env!("CARGO_MANIFEST_PATH")).unwrap();
        for (choice, colours) in [
            (Color::Auto, false),
            (Color::Always, true),
            (Color::Never, false),
        ] {
            assert_eq!(
                choice.reaches(&file, &Environment::default()),
                colours,
                "{choice:?}"
            );
        }
    }

    #[test]
    fn what_cannot_be_seen_is_escaped_and_lines_stay_lines() {
        let text = "no \u{1b}[31m\u{202e}x\r\n  because: \"C:\\\" isn't";
        assert_eq!(
            visible(text),
            "no \\u{1b}[31m\\u{202e}x\\r\n  because: \"C:\\\" isn't"
        );
    }

    #[test]
    fn a_plain_palette_adds_nothing() {
        assert_eq!(Palette::new(false).heading("x"), "x");
        assert_eq!(Palette::new(true).heading("x"), "\u{1b}[1mx\u{1b}[0m");
    }
}
