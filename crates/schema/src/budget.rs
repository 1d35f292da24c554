//! Limits, and the budget that work is charged to while it is done.

/// Bytes of one pattern, checked before it is translated.
pub const MAX_PATTERN_BYTES: usize = 2_048;

/// Bytes of one compiled pattern.
pub const MAX_COMPILED_PATTERN_BYTES: usize = 2 << 20;

/// Bytes of an `$id`, and of a reference that is not just a fragment.
pub const MAX_URI_BYTES: usize = 2_048;

/// Schemas that may be applied inside one another, by references and by descending into the instance. Bounds the stack.
pub const MAX_NESTING: u32 = 512;

/// Failures that are reported of one instance.
pub const MAX_FAILURES: usize = 32;

/// Bytes of all reported failures. The first failure is reported whatever its size: a pointer may be as long as the instance.
pub const MAX_FAILURE_BYTES: usize = 65_536;

/// The budget of compiling a schema: patterns (140 steps for each byte), references, and the values of `enum` and `const`.
/// `bytes` limits the compiled patterns.
pub const COMPILE_BUDGET: Budget = Budget {
    fuel: 1_200_000,
    bytes: 4 << 20,
};

/// Steps and memory that one validation may use. When they are used up, the outcome is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Steps. A step is one keyword applied, one member or element visited, about 32 bytes compared, or one state of a pattern
    /// visited. It takes about 10 ns.
    pub fuel: u64,
    /// Memory, in bytes, that is allocated at the same time.
    pub bytes: usize,
}

impl Default for Budget {
    /// At most about 100 ms and 16 MiB.
    fn default() -> Self {
        Self {
            fuel: 5_000_000,
            bytes: 16 << 20,
        }
    }
}

/// The budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Exhausted {
    /// No fuel is left.
    #[error("too many steps")]
    Fuel,
    /// No memory is left.
    #[error("too much memory")]
    Memory,
    /// More than [`MAX_NESTING`] schemas apply inside one another, perhaps without end.
    #[error("more than {MAX_NESTING} schemas apply inside one another")]
    Nesting,
}

impl Budget {
    pub(crate) fn charge(&mut self, fuel: u64) -> Result<(), Exhausted> {
        self.fuel = self.fuel.checked_sub(fuel).ok_or(Exhausted::Fuel)?;
        Ok(())
    }

    /// Charges for reading or comparing `bytes` of text once.
    pub(crate) fn charge_text(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.charge(1 + bytes as u64 / 32)
    }

    /// Takes memory. The caller adds it to `bytes` again when it is freed.
    pub(crate) fn allocate(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Exhausted::Memory)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_step_and_the_last_byte_can_be_used() {
        let mut budget = Budget { fuel: 3, bytes: 8 };
        assert_eq!(budget.charge_text(32), Ok(()));
        assert_eq!(budget.charge(1), Ok(()));
        assert_eq!(budget.charge(1), Err(Exhausted::Fuel));
        assert_eq!(budget.allocate(8), Ok(()));
        assert_eq!(budget.allocate(1), Err(Exhausted::Memory));
        assert_eq!(budget, Budget { fuel: 0, bytes: 0 });
    }
}
