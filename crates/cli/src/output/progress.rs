//! Progress of long work, drawn on standard error for people who wait.

use std::{
    io::{self, Write},
    sync::LazyLock,
};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::context::Context;

/// The bars on the screen. Known to all, because whoever writes a line must move them out of its way.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// A bar over a known number of steps; it draws nothing where nobody would see it.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Starts a bar. It stays silent with `--json`, with `--no-progress`, and when standard error is not a terminal.
    pub(crate) fn start(context: &Context, label: &'static str, steps: usize) -> Self {
        let bar = if context.settings.progress.value && context.output.allows_progress() {
            BARS.add(ProgressBar::new(steps as u64))
        } else {
            ProgressBar::hidden()
        };
        let style = ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {wide_msg}")
            .expect("the template is a constant")
            .progress_chars("=> ");
        bar.set_style(style);
        bar.set_prefix(label);
        Self { bar }
    }

    /// Tells what is being worked on.
    pub(crate) fn tell(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Tells what is being worked on; counts the step before it as done.
    pub(crate) fn step(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    /// Takes the bar off the screen, also when the work ended early: the answer or the error stands alone.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Standard error for lines that may appear while a bar is drawn: the bar makes room and comes back below.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BesideBars;

impl Write for BesideBars {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        BARS.suspend(|| io::stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
