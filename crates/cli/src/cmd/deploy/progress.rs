//! A run as the person at the terminal sees it.

use atr_deploy::Event;

use crate::{context::Context, output::Progress};

/// Turns the events of a run into a progress bar and diagnostics.
#[derive(Debug)]
pub(crate) struct Watch {
    progress: Progress,
}

impl Watch {
    pub(crate) fn start(context: &Context, contracts: usize) -> Self {
        Self {
            progress: Progress::start(context, "deploying", contracts),
        }
    }

    pub(crate) fn see(&self, event: Event<'_>) {
        match event {
            Event::Resumed {
                contract,
                transaction,
            } => {
                tracing::info!(contract, %transaction, "taken up from an earlier run");
                self.progress
                    .tell(&format!("{contract}: taken up from an earlier run"));
            }
            Event::Signed {
                contract,
                transaction,
                nonce,
            } => {
                tracing::info!(contract, %transaction, nonce, "signed and written down");
                self.progress.tell(&format!("{contract}: signed"));
            }
            Event::Sent {
                contract,
                transaction,
            } => {
                tracing::info!(contract, %transaction, "sent");
                self.progress.tell(&format!("{contract}: sent"));
            }
            Event::Replaced {
                contract,
                transaction,
                max_fee_per_gas,
            } => {
                tracing::warn!(contract, %transaction, max_fee_per_gas, "sent again at a higher fee");
                self.progress
                    .tell(&format!("{contract}: sent again at a higher fee"));
            }
            Event::NonceLost { contract, nonce } => {
                tracing::warn!(
                    contract,
                    nonce,
                    "another transaction took the nonce; signing again"
                );
                self.progress.tell(&format!("{contract}: signing again"));
            }
            Event::Mined {
                contract,
                block,
                confirmations,
                wanted,
            } => {
                tracing::debug!(contract, block, confirmations, wanted, "in a block");
                let seen = confirmations.min(wanted);
                self.progress
                    .tell(&format!("{contract}: {seen} of {wanted} confirmations"));
            }
            Event::Recorded { contract } => {
                tracing::info!(contract, "checked and recorded");
                self.progress
                    .step(&format!("{contract}: checked and recorded"));
            }
        }
    }
}
