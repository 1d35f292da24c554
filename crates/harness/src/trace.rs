//! Call traces.

use std::fmt;

use alloy_primitives::Address;

use crate::{Names, Receipt, names::short, tracer::Frame};

/// The call tree of a transaction. Printed when a property fails.
#[derive(Clone, Debug)]
pub struct Trace {
    frames: Vec<Frame>,
    receipt: Receipt,
    names: Names,
}

impl Trace {
    pub(crate) const fn new(frames: Vec<Frame>, receipt: Receipt, names: Names) -> Self {
        Self {
            frames,
            receipt,
            names,
        }
    }

    /// The result of the transaction.
    #[must_use]
    pub const fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// The number of cold storage reads of a contract.
    #[must_use]
    pub fn cold_reads_by(&self, contract: Address) -> u64 {
        let own = self
            .frames
            .iter()
            .filter(|frame| frame.target == Some(contract));
        own.map(|frame| frame.cold_reads).sum()
    }

    /// The gas limit of each inner call, in order.
    #[must_use]
    pub fn inner_gas_limits(&self) -> Vec<u64> {
        let inner = self.frames.iter().filter(|frame| frame.depth > 0);
        inner.map(|frame| frame.gas_limit).collect()
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for frame in &self.frames {
            let indent = "  ".repeat(frame.depth + 1);
            let target = frame
                .target
                .map_or_else(|| "new contract".to_owned(), |target| self.names.of(target));
            let call = match frame.target {
                Some(_) => self.names.call(&frame.input),
                None => short(&frame.input),
            };
            writeln!(
                f,
                "{indent}{} {target} [{} gas] {call}",
                frame.scheme, frame.gas_limit
            )?;
            for log in &frame.logs {
                writeln!(f, "{indent}  · {}", self.names.log(log))?;
            }
            let Some((end, output)) = &frame.end else {
                continue;
            };
            let output = match end.as_str() {
                "Revert" => self.names.error(output),
                "Return" => self.names.returned(&frame.input, output),
                _ => short(output),
            };
            let reads = match frame.cold_reads {
                0 => String::new(),
                1 => ", 1 cold read".to_owned(),
                more => format!(", {more} cold reads"),
            };
            writeln!(
                f,
                "{indent}  └ {end} {output} [{} used{reads}]",
                frame.gas_used
            )?;
        }
        let gas = self.receipt.gas;
        write!(
            f,
            "  gas: transaction {}, execution {}, refund {}",
            gas.transaction, gas.execution, gas.refund
        )
    }
}
