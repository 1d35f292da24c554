//! Standard output and standard error.
//!
//! Commands return a [`Report`], which is printed as text or as JSON. Untrusted text is escaped here: see [`escape`].

mod escape;
pub(crate) mod hints;
pub(crate) mod logging;
mod numbers;
mod predicate;
mod predicate_name;
pub(crate) mod progress;
pub(crate) mod prompt;
mod requirements;
pub(crate) mod suggestion;
mod table;

use std::{
    borrow::Cow,
    fmt,
    io::{self, IsTerminal, Write},
    path::PathBuf,
};

use anstyle::Style;
use serde::Serialize;

pub(crate) use escape::{json as escape_json, line as escape_line};
pub(crate) use numbers::grouped;
pub(crate) use predicate::PredicateView;
pub(crate) use predicate_name::{predicate_name, predicate_title};
pub(crate) use progress::Progress;
pub(crate) use requirements::describe_requirements;
pub(crate) use table::Table;

use crate::{config::Environment, error::Error, outcome::Outcome};

/// Result of a command: `Serialize` gives the JSON, `render` the text.
pub(crate) trait Report: Serialize {
    /// Whether the text is the content of a file. It is printed unchanged, except to a terminal.
    const IS_FILE: bool = false;

    /// The text, ending with a newline.
    fn render(&self, palette: &Palette) -> String;

    /// Outcome of the command, for JSON.
    fn result(&self) -> Outcome {
        Outcome::Success
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    format: Format,
    palette: Palette,
    error_palette: Palette,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
}

/// When to use colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always, including files and pipes
    Always,
    /// Never
    Never,
}

impl Color {
    pub(crate) fn applies_to(self, stream: &impl IsTerminal, environment: &Environment) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => stream.is_terminal() && !environment.disables_color(),
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

/// Text styles; all plain if colors are off.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Palette {
    heading: Style,
    success: Style,
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
            success: Style::new().fg_color(Some(anstyle::AnsiColor::Green.into())),
            error: Style::new()
                .bold()
                .fg_color(Some(anstyle::AnsiColor::Red.into())),
            warning: Style::new()
                .bold()
                .fg_color(Some(anstyle::AnsiColor::Yellow.into())),
        }
    }

    pub(crate) fn heading(&self, text: &str) -> String {
        paint(self.heading, text)
    }

    pub(crate) fn success(&self, text: &str) -> String {
        paint(self.success, text)
    }

    pub(crate) fn error(&self, text: &str) -> String {
        paint(self.error, text)
    }

    pub(crate) fn warning(&self, text: &str) -> String {
        paint(self.warning, text)
    }
}

fn paint(style: Style, text: &str) -> String {
    format!("{}{text}{}", style.render(), style.render_reset())
}

impl Output {
    pub(crate) fn new(format: Format, color: Color, environment: &Environment) -> Self {
        Self {
            format,
            palette: Palette::new(color.applies_to(&io::stdout(), environment)),
            error_palette: Palette::new(color.applies_to(&io::stderr(), environment)),
        }
    }

    /// Prints to standard output.
    pub(crate) fn print<R: Report>(&self, report: &R) -> Result<(), Error> {
        let text = match self.format {
            Format::Text if R::IS_FILE && !io::stdout().is_terminal() => {
                report.render(&Palette::default())
            }
            Format::Text => escape::render(report, &self.palette),
            Format::Json => json_document(&Envelope::new(report)),
        };
        print(&text)
    }

    /// Prints to standard error, for commands whose standard output is piped to a file. Ignores write errors.
    pub(crate) fn print_to_stderr(&self, report: &impl Report) {
        let text = match self.format {
            Format::Text => escape::render(report, &self.error_palette),
            Format::Json => json_document(&Envelope::new(report)),
        };
        let _ = progress::suspend(|| io::stderr().write_all(text.as_bytes()));
    }

    /// Prints a prompt to standard error.
    pub(crate) fn prompt(&self, text: &str) {
        let text = self.error_palette.heading(&escape::text(text));
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Prints an error with its causes to standard error. Ignores write errors.
    pub(crate) fn print_error(&self, failure: &eyre::Report, outcome: Outcome) {
        // Nodes and servers can put line breaks in their messages.
        let messages = failure.chain().map(|cause| escape_line(&cause.to_string()));
        let mut causes: Vec<_> = messages.collect();
        // Transparent wrappers repeat the message of their source.
        causes.dedup();
        let hint = hints::for_error(failure).map(|hint| escape_line(&hint));
        let text = match self.format {
            Format::Text => {
                let hint = hint.map_or_else(String::new, |hint| format!("\n  hint: {hint}"));
                format!(
                    "{} {}{hint}\n",
                    self.error_palette.error("error:"),
                    causes.join("\n  caused by: ")
                )
            }
            Format::Json => json_document(&ErrorReport {
                outcome: outcome.name(),
                error: causes[0].as_str().into(),
                causes: &causes[1..],
                hint,
            }),
        };
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Prints a part of a later report. With JSON prints nothing, because the later report contains it.
    pub(crate) fn print_preview(&self, report: &impl Report) -> Result<Pipe, Error> {
        match self.format {
            Format::Text => try_print(&escape::render(report, &self.palette)),
            Format::Json => Ok(Pipe::Open),
        }
    }

    /// Prints one element of the array `member`, the first member of a JSON document. The document is never in memory as a whole.
    pub(crate) fn print_element(
        &self,
        member: &str,
        index: usize,
        element: &impl Serialize,
    ) -> Result<Pipe, Error> {
        let mut text = match index {
            0 => format!("{{\n  \"{member}\": [\n"),
            _ => ",\n".to_owned(),
        };
        let element = json_document(element);
        let lines: Vec<_> = element.lines().map(|line| format!("    {line}")).collect();
        text += &lines.join("\n");
        try_print(&text)
    }

    /// Prints the end of the array and the other members of the document.
    pub(crate) fn print_last_members(
        &self,
        member: &str,
        elements: usize,
        rest: &impl Report,
    ) -> Result<(), Error> {
        let array = match elements {
            0 => format!("{{\n  \"{member}\": []"),
            _ => "\n  ]".to_owned(),
        };
        let rest = json_document(&Envelope::new(rest));
        print(&format!("{array},\n{}", rest.trim_start_matches("{\n")))
    }

    pub(crate) const fn is_json(&self) -> bool {
        matches!(self.format, Format::Json)
    }

    /// Prints one line of an unbounded stream. The caller must stop if the pipe is closed.
    pub(crate) fn print_line(&self, report: &impl Report) -> Result<Pipe, Error> {
        let text = match self.format {
            Format::Text => escape::render(report, &self.palette),
            Format::Json => {
                let line = serde_json::to_string(report);
                escape::json(&line.expect("reports have string keys only")) + "\n"
            }
        };
        try_print(&text)
    }

    /// Whether prompts are possible.
    pub(crate) fn is_interactive(&self) -> bool {
        self.format == Format::Text && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    pub(crate) fn shows_progress(&self) -> bool {
        self.format == Format::Text && io::stderr().is_terminal()
    }
}

/// Prints help, version or a usage error from clap.
pub(crate) fn print_clap_message(
    message: &clap::Error,
    environment: &Environment,
    is_json: bool,
) -> Result<Outcome, Error> {
    let rendered = message.render();
    let text = |color: bool| {
        if color {
            rendered.ansi().to_string()
        } else {
            rendered.to_string()
        }
    };
    if message.use_stderr() && is_json {
        let text = json_document(&usage_error(&rendered.to_string()));
        let _ = io::stderr().write_all(text.as_bytes());
        return Ok(Outcome::UsageError);
    }
    if message.use_stderr() {
        let color = Color::Auto.applies_to(&io::stderr(), environment);
        let _ = io::stderr().write_all(text(color).as_bytes());
        return Ok(Outcome::UsageError);
    }
    print(&text(Color::Auto.applies_to(&io::stdout(), environment)))?;
    Ok(Outcome::Success)
}

/// The message and the tips of a usage error. The usage line is left out.
fn usage_error(rendered: &str) -> ErrorReport<'static> {
    let mut paragraphs = rendered.split("\n\n").map(|paragraph| {
        let lines: Vec<_> = paragraph.lines().map(str::trim).collect();
        lines.join(" ")
    });
    let error = paragraphs.next().unwrap_or_default();
    let tips: Vec<_> = paragraphs
        .filter_map(|paragraph| Some(paragraph.strip_prefix("tip: ")?.to_owned()))
        .collect();
    ErrorReport {
        outcome: Outcome::UsageError.name(),
        error: error.trim_start_matches("error: ").to_owned().into(),
        causes: &[],
        hint: (!tips.is_empty()).then(|| tips.join("; ")),
    }
}

/// A JSON document. All documents have `outcome`, those of errors included.
#[derive(Serialize)]
struct Envelope<'a, R> {
    outcome: &'static str,
    #[serde(flatten)]
    report: &'a R,
}

impl<'a, R: Report> Envelope<'a, R> {
    fn new(report: &'a R) -> Self {
        Self {
            outcome: report.result().name(),
            report,
        }
    }
}

#[derive(Serialize)]
struct ErrorReport<'a> {
    outcome: &'static str,
    error: Cow<'a, str>,
    causes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// A generated file: a completion script or a man page.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    pub(crate) file: String,
    pub(crate) text: String,
}

impl Report for Document {
    const IS_FILE: bool = true;

    fn render(&self, _: &Palette) -> String {
        self.text.clone()
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct WrittenFiles {
    pub(crate) files: Vec<PathBuf>,
}

impl Report for WrittenFiles {
    fn render(&self, _: &Palette) -> String {
        self.files
            .iter()
            .map(|file| format!("{}\n", file.display()))
            .collect()
    }
}

fn json_document(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("reports have string keys only");
    escape::json(&text) + "\n"
}

/// State of standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pipe {
    Open,
    /// The reader has closed the pipe.
    Closed,
}

/// A closed pipe is not an error (`atr … | head`).
fn print(text: &str) -> Result<(), Error> {
    try_print(text).map(|_| ())
}

fn try_print(text: &str) -> Result<Pipe, Error> {
    let written = progress::suspend(|| {
        let mut stdout = io::stdout().lock();
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
    });
    match written {
        Ok(()) => Ok(Pipe::Open),
        Err(source) if source.kind() == io::ErrorKind::BrokenPipe => Ok(Pipe::Closed),
        Err(source) => Err(Error::Print { source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_get_colors_only_with_always() {
        let file = std::fs::File::open(env!("CARGO_MANIFEST_PATH")).unwrap();
        for (color, expected) in [
            (Color::Auto, false),
            (Color::Always, true),
            (Color::Never, false),
        ] {
            assert_eq!(
                color.applies_to(&file, &Environment::default()),
                expected,
                "{color:?}"
            );
        }
    }

    #[test]
    fn a_palette_without_colors_adds_nothing() {
        assert_eq!(Palette::new(false).heading("x"), "x");
        assert_eq!(Palette::new(true).heading("x"), "\u{1b}[1mx\u{1b}[0m");
    }
}
