//! Progress of transactions on standard error.

use std::sync::atomic::{AtomicBool, Ordering};

use alloy_primitives::B256;
use atr_rpc::{Entry, Event, format_gwei};
use serde::Serialize;

use crate::{
    context::Context,
    output::{Output, Palette, Report},
};

/// Prints the events of a run that the user must see at once. The others are log messages.
#[derive(Debug)]
pub(crate) struct EventPrinter {
    output: Output,
    /// Whether a transaction was sent, and the advice about it printed.
    has_sent: AtomicBool,
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "camelCase")]
enum Line<'a> {
    Sent {
        call: &'a str,
        transaction: B256,
        #[serde(skip)]
        is_first: bool,
    },
    Resumed {
        call: &'a str,
        transaction: B256,
    },
    Pending {
        call: &'a str,
        transaction: B256,
    },
    FeeLimited {
        call: &'a str,
    },
    #[serde(rename_all = "camelCase")]
    Replaced {
        call: &'a str,
        transaction: B256,
        max_fee_per_gas: u128,
    },
    #[serde(rename_all = "camelCase")]
    NonceLost {
        call: &'a str,
        nonce: u64,
        used_by: B256,
    },
    NonceOccupied {
        call: &'a str,
        nonce: u64,
    },
}

impl Report for Line<'_> {
    fn render(&self, palette: &Palette) -> String {
        match self {
            Self::Sent {
                call,
                transaction,
                is_first,
            } => {
                let advice = if *is_first {
                    "safe to interrupt: the same command continues\n"
                } else {
                    ""
                };
                format!("{advice}{:<11}  {call}: {transaction}\n", "sent")
            }
            Self::Resumed { call, transaction } => {
                format!(
                    "{:<11}  {call}: {transaction} of an earlier run\n",
                    "resumed"
                )
            }
            Self::Pending { call, transaction } => format!(
                "{} {call}: {transaction} of an earlier run is still pending\n",
                palette.warning("warning:")
            ),
            Self::FeeLimited { call } => format!(
                "{} {call} needs a higher fee than the limits allow; waiting until fees fall\n",
                palette.warning("warning:")
            ),
            Self::Replaced {
                call,
                transaction,
                max_fee_per_gas,
            } => format!(
                "{:<11}  {call}: {transaction} with a higher fee, at most {} per gas\n",
                "replaced",
                format_gwei(*max_fee_per_gas)
            ),
            Self::NonceLost {
                call,
                nonce,
                used_by,
            } => format!(
                "{} {call}: nonce {nonce} was used by transaction {used_by}; signing again within the maximum cost\n",
                palette.warning("warning:")
            ),
            Self::NonceOccupied { call, nonce } => format!(
                "{} {call}: another transaction with nonce {nonce} is pending; it is not replaced, waiting until it is included\n",
                palette.warning("warning:")
            ),
        }
    }
}

impl EventPrinter {
    pub(crate) const fn new(context: &Context) -> Self {
        Self {
            output: context.output,
            has_sent: AtomicBool::new(false),
        }
    }

    pub(crate) fn print(&self, event: &Event<'_>) {
        match *event {
            Event::Sent { call, transaction } => {
                if !self.output.is_quiet() {
                    let is_first = !self.has_sent.swap(true, Ordering::Relaxed);
                    self.output.print_event(&Line::Sent {
                        call,
                        transaction,
                        is_first,
                    });
                }
            }
            Event::Resumed { call, transaction } => {
                self.output
                    .print_event(&Line::Resumed { call, transaction });
            }
            Event::FeeLimited { call } => self.output.print_event(&Line::FeeLimited { call }),
            Event::NonceOccupied { call, nonce } => {
                self.output
                    .print_event(&Line::NonceOccupied { call, nonce });
            }
            Event::Signed {
                call,
                transaction,
                nonce,
            } => {
                tracing::info!(call, %transaction, nonce, "signed and recorded in the journal");
            }
            Event::Replaced {
                call,
                transaction,
                max_fee_per_gas,
            } => {
                self.output.print_event(&Line::Replaced {
                    call,
                    transaction,
                    max_fee_per_gas,
                });
            }
            Event::NonceLost {
                call,
                nonce,
                used_by,
            } => {
                self.output.print_event(&Line::NonceLost {
                    call,
                    nonce,
                    used_by,
                });
            }
            Event::Mined {
                call,
                block,
                confirmations,
                required,
            } => {
                tracing::debug!(call, block, confirmations, required, "included in a block");
            }
        }
    }

    /// A transaction of an earlier run that this run does not continue.
    pub(crate) fn print_pending(&self, entry: &Entry) {
        self.output.print_event(&Line::Pending {
            call: &entry.description,
            transaction: entry.latest().hash,
        });
    }
}
