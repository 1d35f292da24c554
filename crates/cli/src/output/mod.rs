//! Standard output and standard error.
//!
//! Commands return a [`Report`], which is printed as text or as JSON. Untrusted text is escaped here: see [`escape`].

mod escape;
mod file;
pub(crate) mod hints;
pub(crate) mod logging;
mod numbers;
mod palette;
mod predicate;
mod predicate_name;
pub(crate) mod progress;
pub(crate) mod prompt;
mod requirements;
mod shorten;
pub(crate) mod suggestion;
mod table;
mod tokens;
mod tool;
mod wrap;

use std::{
    fmt,
    io::{self, IsTerminal, Write},
    path::PathBuf,
};

use serde::Serialize;
use terminal_size::{Width, terminal_size_of};

pub(crate) use escape::{json as escape_json, line as escape_line};
pub(crate) use file::write_new;
pub(crate) use numbers::{amount, count_noun, grouped, utc_minutes};
pub(crate) use palette::{Palette, Tone};
pub(crate) use predicate::{PredicateView, configuration_warnings};
pub(crate) use predicate_name::{predicate_kind, predicate_name, predicate_title};
pub(crate) use progress::Progress;
pub(crate) use table::{Cell, Table};
pub(crate) use tokens::Tokens;
pub(crate) use tool::{ToolDetails, describe_manifest, price_in_brief, price_tokens, tokens_of};

use crate::{config::Environment, error::Error, outcome::Outcome, process::outcome_of};

/// Terminals that report less do not know their size.
const MIN_COLUMNS: usize = 20;

/// Result of a command: `Serialize` gives the JSON, `render` the text.
pub(crate) trait Report: Serialize {
    /// Whether the text is the content of a file. It is printed unchanged, except to a terminal.
    const IS_FILE: bool = false;

    /// Whether long lines are broken. Not for text of others, which must stay as it is.
    const IS_WRAPPED: bool = true;

    /// The text, ending with a newline.
    fn render(&self, palette: &Palette) -> String;

    /// Outcome of the command, for JSON.
    fn result(&self) -> Outcome {
        Outcome::Success
    }

    /// Why the command did not do what was asked, for JSON. A negative result, such as denied access, is not a refusal.
    fn refusal(&self) -> Option<String> {
        None
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    format: Format,
    palette: Palette,
    error_palette: Palette,
    is_quiet: bool,
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

impl Output {
    pub(crate) fn new(
        format: Format,
        color: Color,
        is_full: bool,
        is_quiet: bool,
        environment: &Environment,
    ) -> Self {
        let columns = environment.columns();
        let stdout = columns.or_else(|| width_of(terminal_size_of(io::stdout())));
        let stderr = columns.or_else(|| width_of(terminal_size_of(io::stderr())));
        let palette = |color| {
            Palette::new(color)
                .with_full_text(is_full)
                .with_hints(!is_quiet)
        };
        Self {
            format,
            palette: palette(color.applies_to(&io::stdout(), environment)).with_width(stdout),
            error_palette: palette(color.applies_to(&io::stderr(), environment)).with_width(stderr),
            is_quiet,
        }
    }

    /// Prints to standard output.
    pub(crate) fn print<R: Report>(&self, report: &R) -> Result<(), Error> {
        let text = match self.format {
            Format::Text if R::IS_FILE && !io::stdout().is_terminal() => {
                report.render(&Palette::default())
            }
            Format::Text => render(report, &self.palette),
            Format::Json => json_document(&Envelope::new(report)),
        };
        print(&text)
    }

    /// Prints a report of why there is no result: as text to standard error, because standard output is for the result.
    pub(crate) fn print_refusal(&self, report: &impl Report, reason: &str) -> Result<(), Error> {
        match self.format {
            Format::Text => {
                let text = render(report, &self.error_palette);
                let _ = progress::suspend(|| io::stderr().write_all(text.as_bytes()));
                Ok(())
            }
            Format::Json => {
                let error = ErrorView::from_message(reason);
                print(&json_document(&Envelope::with_error(report, error)))
            }
        }
    }

    /// Prints an event of a running command to standard error; with JSON on one line. Ignores write errors.
    pub(crate) fn print_event(&self, event: &impl Report) {
        let text = match self.format {
            Format::Text => render(event, &self.error_palette),
            Format::Json => json_line(event),
        };
        let _ = progress::suspend(|| io::stderr().write_all(text.as_bytes()));
    }

    /// Prints the report of a command that failed halfway, and the error. Returns the outcome.
    pub(crate) fn print_failed(
        &self,
        report: &impl Report,
        failure: &eyre::Report,
    ) -> Result<Outcome, Error> {
        let outcome = outcome_of(failure);
        match self.format {
            Format::Text => {
                self.print(report)?;
                self.print_error(failure);
            }
            Format::Json => {
                let error = ErrorView::from_failure(failure);
                print(&json_document(&Envelope {
                    outcome: outcome.name(),
                    error: Some(error),
                    report,
                }))?;
            }
        }
        Ok(outcome)
    }

    /// Prints a warning to standard error; nothing with `--quiet`, and with JSON, whose documents have warnings of their own.
    pub(crate) fn print_warning(&self, warning: &str) {
        if self.is_quiet || self.is_json() {
            return;
        }
        let label = self.error_palette.warning("warning:");
        let text = format!("{label} {}\n", escape_line(warning));
        let text = wrap::text(&text, self.error_palette.width());
        let _ = progress::suspend(|| io::stderr().write_all(text.as_bytes()));
    }

    /// Whether only results and errors are printed.
    pub(crate) const fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Prints a prompt to standard error.
    pub(crate) fn prompt(&self, text: &str) {
        let text = self.error_palette.heading(&escape::text(text));
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Prints an error with its causes: as text to standard error; with JSON as the document of the command, on one line. Ignores
    /// write errors.
    pub(crate) fn print_error(&self, failure: &eyre::Report) {
        let error = ErrorView::from_failure(failure);
        match self.format {
            Format::Text => {
                let causes = error.causes.iter();
                let causes: String = causes
                    .map(|cause| format!("\n  caused by: {cause}"))
                    .collect();
                let hint = error
                    .hint
                    .map_or_else(String::new, |hint| format!("\n  hint: {hint}"));
                let label = self.error_palette.error("error:");
                let text = format!("{label} {}{causes}{hint}\n", error.message);
                let text = wrap::text(&text, self.error_palette.width());
                let _ = io::stderr().write_all(text.as_bytes());
            }
            Format::Json => {
                let _ = print(&error_document(outcome_of(failure), error));
            }
        }
    }

    /// Prints a part of a later report. With JSON prints nothing, because the later report contains it.
    pub(crate) fn print_preview(&self, report: &impl Report) -> Result<Pipe, Error> {
        match self.format {
            Format::Text => try_print(&render(report, &self.palette)),
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

    /// Prints the end of the array and the other members of the document, with the error that ended the command.
    pub(crate) fn print_last_members(
        &self,
        member: &str,
        elements: usize,
        rest: &impl Report,
        failure: Option<&eyre::Report>,
    ) -> Result<(), Error> {
        let array = match elements {
            0 => format!("{{\n  \"{member}\": []"),
            _ => "\n  ]".to_owned(),
        };
        let rest = json_document(&Envelope {
            outcome: failure.map_or(rest.result(), outcome_of).name(),
            error: failure.map(ErrorView::from_failure),
            report: rest,
        });
        print(&format!("{array},\n{}", rest.trim_start_matches("{\n")))
    }

    pub(crate) const fn is_json(&self) -> bool {
        matches!(self.format, Format::Json)
    }

    /// Prints one line of an unbounded stream. The caller must stop if the pipe is closed.
    pub(crate) fn print_line(&self, report: &impl Report) -> Result<Pipe, Error> {
        let text = match self.format {
            // Not wrapped: each event of a stream is one line.
            Format::Text => escape::render(report, &self.palette),
            Format::Json => json_line(report),
        };
        try_print(&text)
    }

    /// Whether prompts are possible.
    pub(crate) fn is_interactive(&self) -> bool {
        self.format == Format::Text && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    pub(crate) fn shows_progress(&self) -> bool {
        self.format == Format::Text && !self.is_quiet && io::stderr().is_terminal()
    }
}

/// Width of the labels of a report.
const LABEL_WIDTH: usize = 11;

/// A line `label  value`. Further lines of the value are aligned with the first.
pub(crate) fn field(label: &str, value: &str) -> String {
    let mut text = String::new();
    for (index, line) in value.split('\n').enumerate() {
        let label = if index == 0 { label } else { "" };
        text += format!("{label:<LABEL_WIDTH$}  {line}").trim_end();
        text.push('\n');
    }
    text
}

/// A report as text that fits the terminal.
fn render<R: Report>(report: &R, palette: &Palette) -> String {
    let width = palette.width().filter(|_| R::IS_WRAPPED);
    wrap::text(&escape::render(report, palette), width)
}

fn width_of(size: Option<(Width, terminal_size::Height)>) -> Option<usize> {
    size.map(|(Width(columns), _)| usize::from(columns))
        .filter(|columns| *columns >= MIN_COLUMNS)
}

/// Prints help, version or a usage error from clap.
pub(crate) fn print_clap_message(
    message: &clap::Error,
    color: Color,
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
        let error = usage_error(&rendered.to_string());
        print(&error_document(Outcome::UsageError, error))?;
        return Ok(Outcome::UsageError);
    }
    if message.use_stderr() {
        let color = color.applies_to(&io::stderr(), environment);
        let columns = environment.columns();
        let columns = columns.or_else(|| width_of(terminal_size_of(io::stderr())));
        let text = wrap::text(without_advice(&text(color)), columns);
        let _ = io::stderr().write_all(text.as_bytes());
        return Ok(Outcome::UsageError);
    }
    print(&text(color.applies_to(&io::stdout(), environment)))?;
    Ok(Outcome::Success)
}

/// A usage error without the sentence about `--help`, which no other error has.
fn without_advice(rendered: &str) -> &str {
    let advice = rendered.rfind("\n\nFor more information");
    advice.map_or(rendered, |at| &rendered[..=at])
}

/// The message and the tips of a usage error. The usage line is left out.
fn usage_error(rendered: &str) -> ErrorView {
    let mut paragraphs = rendered.split("\n\n").map(|paragraph| {
        let lines: Vec<_> = paragraph.lines().map(str::trim).collect();
        lines.join(" ")
    });
    let message = paragraphs.next().unwrap_or_default();
    let tips: Vec<_> = paragraphs
        .filter_map(|paragraph| Some(paragraph.strip_prefix("tip: ")?.replace(" tip: ", "; ")))
        .collect();
    ErrorView {
        message: message.trim_start_matches("error: ").to_owned(),
        causes: Vec::new(),
        hint: (!tips.is_empty()).then(|| tips.join("; ")),
    }
}

/// A JSON document. All documents have `outcome`. Those of commands that could not do what was asked have `error`, instead of the
/// members of the report or beside them.
#[derive(Serialize)]
struct Envelope<'a, R> {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorView>,
    #[serde(flatten)]
    report: &'a R,
}

impl<'a, R: Report> Envelope<'a, R> {
    fn new(report: &'a R) -> Self {
        Self {
            outcome: report.result().name(),
            error: report
                .refusal()
                .map(|reason| ErrorView::from_message(&reason)),
            report,
        }
    }

    fn with_error(report: &'a R, error: ErrorView) -> Self {
        Self {
            error: Some(error),
            ..Self::new(report)
        }
    }
}

/// Why a command could not do what was asked.
#[derive(Serialize)]
struct ErrorView {
    message: String,
    causes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl ErrorView {
    fn from_failure(failure: &eyre::Report) -> Self {
        let mut messages: Vec<String> = Vec::new();
        for cause in failure.chain() {
            let fetch = cause.downcast_ref::<atr_fetch::Error>();
            let is_unreachable = matches!(fetch, Some(atr_fetch::Error::Unreachable { .. }));
            if is_unreachable && hints::is_node_error(failure) {
                // The name of the RPC request says nothing more.
                messages.clear();
            }
            // Nodes and servers can put line breaks in their messages.
            let message = escape_line(&cause.to_string());
            // Some errors repeat the message of their source.
            if !messages.iter().any(|earlier| earlier.contains(&message)) {
                messages.push(message);
            }
            // The message has the innermost cause; those between name the layers of the HTTP library.
            if is_unreachable {
                break;
            }
        }
        Self {
            message: messages.remove(0),
            causes: messages,
            hint: hints::for_error(failure).map(|hint| escape_line(&hint)),
        }
    }

    fn from_message(message: &str) -> Self {
        Self {
            message: escape_line(message),
            causes: Vec::new(),
            hint: None,
        }
    }
}

/// The document of a command that has no report. On one line, because it can follow lines of a stream.
fn error_document(outcome: Outcome, error: ErrorView) -> String {
    #[derive(Serialize)]
    struct Nothing {}
    json_line(&Envelope {
        outcome: outcome.name(),
        error: Some(error),
        report: &Nothing {},
    })
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

fn json_line(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("reports have string keys only");
    escape::json(&text) + "\n"
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
}
