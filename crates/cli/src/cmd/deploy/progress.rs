//! Progress of a deployment.

use atr_deploy::Event;

use crate::{context::Context, output::Progress, transaction::EventPrinter};

/// Shows events as a progress bar, and those of transactions as lines.
#[derive(Debug)]
pub(crate) struct DeployProgress {
    progress: Progress,
    printer: EventPrinter,
}

impl DeployProgress {
    pub(crate) fn start(context: &Context, contracts: usize) -> Self {
        Self {
            progress: Progress::start(context, "deploying", contracts),
            printer: EventPrinter::new(context),
        }
    }

    pub(crate) fn update(&self, event: Event<'_>) {
        match event {
            Event::Transaction(event) => {
                self.printer.print(&event);
                if let atr_rpc::Event::Mined {
                    call,
                    confirmations,
                    required,
                    ..
                } = event
                {
                    let count = confirmations.min(required);
                    self.progress
                        .set_message(&format!("{call}: {count} of {required} confirmations"));
                }
            }
            Event::Recorded { contract } => {
                tracing::info!(contract, "checked and recorded");
                self.progress
                    .step(&format!("{contract}: checked and recorded"));
            }
        }
    }
}
