//! Progress bars on standard error.

use std::{
    io::{self, Write},
    sync::LazyLock,
};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::{context::Context, output::escape_line};

/// All visible bars. Global, because log output must suspend them.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// A progress bar; hidden with `--json`, with `--no-progress`, and if standard error is not a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    is_visible: bool,
}

impl Progress {
    pub(crate) fn start(context: &Context, label: &'static str, steps: usize) -> Self {
        let is_visible = context.settings.progress.value && context.output.shows_progress();
        let bar = ProgressBar::hidden();
        bar.set_length(steps as u64);
        let style = ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {wide_msg}")
            .expect("the template is a constant")
            .progress_chars("=> ");
        bar.set_style(style);
        bar.set_prefix(label);
        let progress = Self { bar, is_visible };
        if steps > 0 {
            progress.show();
        }
        progress
    }

    /// Without a length, a bar is shown when its first position is known.
    fn show(&self) {
        if self.is_visible && self.bar.is_hidden() {
            BARS.add(self.bar.clone());
        }
    }

    /// A bar for blocks, with the estimated time.
    pub(crate) fn start_blocks(context: &Context, label: &'static str) -> Self {
        let progress = Self::start(context, label, 0);
        let style = ProgressStyle::with_template("{prefix} [{bar:30}] {percent}%, {eta} left")
            .expect("the template is a constant")
            .progress_chars("=> ");
        progress.bar.set_style(style);
        progress
    }

    /// Sets the number of finished steps and of all steps.
    pub(crate) fn set(&self, finished: u64, all: u64) {
        self.show();
        self.bar.set_length(all);
        self.bar.set_position(finished);
    }

    pub(crate) fn set_message(&self, message: &str) {
        self.bar.set_message(escape_line(message));
    }

    /// Advances by one step.
    pub(crate) fn step(&self, message: &str) {
        self.set_message(message);
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    /// Clears the bar.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Hides the bars while `f` writes to the terminal.
pub(super) fn suspend<T>(f: impl FnOnce() -> T) -> T {
    BARS.suspend(f)
}

/// Standard error; suspends progress bars while writing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StderrWriter;

impl Write for StderrWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        suspend(|| io::stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
