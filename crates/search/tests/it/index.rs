//! The index: order, filters, changes, recovery.
