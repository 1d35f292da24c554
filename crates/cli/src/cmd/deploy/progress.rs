//! Progress of a deployment.

use atr_deploy::Event;

use crate::{context::Context, output::Progress};

/// Shows events as a progress bar and log messages.
#[derive(Debug)]
pub(crate) struct DeployProgress {
    progress: Progress,
}

impl DeployProgress {
    pub(crate) fn start(context: &Context, contracts: usize) -> Self {
        Self {
            progress: Progress::start(context, "deploying", contracts),
        }
    }

    pub(crate) fn update(&self, event: Event<'_>) {
        match event {
            Event::Resumed {
                contract,
                transaction,
            } => {
                tracing::info!(contract, %transaction, "resumed from an earlier run");
                self.progress.set_message(&format!("{contract}: resumed"));
            }
            Event::Signed {
                contract,
                transaction,
                nonce,
            } => {
                tracing::info!(contract, %transaction, nonce, "signed and recorded in the journal");
                self.progress.set_message(&format!("{contract}: signed"));
            }
            Event::Sent {
                contract,
                transaction,
            } => {
                tracing::info!(contract, %transaction, "sent");
                self.progress.set_message(&format!("{contract}: sent"));
            }
            Event::Replaced {
                contract,
                transaction,
                max_fee_per_gas,
            } => {
                tracing::warn!(contract, %transaction, max_fee_per_gas, "replaced with a higher fee");
                self.progress
                    .set_message(&format!("{contract}: replaced with a higher fee"));
            }
            Event::NonceLost { contract, nonce } => {
                tracing::warn!(
                    contract,
                    nonce,
                    "nonce used by another transaction; signing again"
                );
                self.progress
                    .set_message(&format!("{contract}: signing again"));
            }
            Event::Mined {
                contract,
                block,
                confirmations,
                required,
            } => {
                tracing::debug!(
                    contract,
                    block,
                    confirmations,
                    required,
                    "included in a block"
                );
                let count = confirmations.min(required);
                self.progress
                    .set_message(&format!("{contract}: {count} of {required} confirmations"));
            }
            Event::Recorded { contract } => {
                tracing::info!(contract, "checked and recorded");
                self.progress
                    .step(&format!("{contract}: checked and recorded"));
            }
        }
    }
}
