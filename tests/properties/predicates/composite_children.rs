//! Generators of composites whose terms return arbitrary requirements.

use std::fmt;

use alloy_primitives::FixedBytes;
use atr_bindings::AccessRequirement;
use atr_harness::model::predicates::Requirements;
use proptest::{collection::vec, prelude::*};

const KIND: FixedBytes<4> = FixedBytes([0xab; 4]);

/// A term: the lengths of data and label of each entry it returns.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    pub(crate) entries: Vec<(usize, usize)>,
    pub(crate) logic: u8,
    pub(crate) negate: bool,
    pub(crate) behavior: ChildBehavior,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChildBehavior {
    Complete,
    /// Returns the first half of the bytes.
    Truncated,
    Fails,
    /// Returns entries of the unknown kind.
    UnknownKinds,
}

impl Child {
    pub(crate) fn encoded(&self) -> Vec<u8> {
        let requirements = Requirements {
            entries: self.requirements(),
            any: self.logic == 1,
        };
        let mut bytes = requirements.abi_encode();
        bytes[63] = self.logic;
        if self.behavior == ChildBehavior::Truncated {
            bytes.truncate(bytes.len() / 64 * 32);
        }
        bytes
    }

    pub(crate) fn requirements(&self) -> Vec<AccessRequirement> {
        let entry = |&(data, label): &(usize, usize)| AccessRequirement {
            kind: match self.behavior {
                ChildBehavior::UnknownKinds => FixedBytes::ZERO,
                _ => KIND,
            },
            data: vec![7; data].into(),
            label: "l".repeat(label),
        };
        self.entries.iter().map(entry).collect()
    }

    pub(crate) fn is_valid(&self) -> bool {
        self.behavior == ChildBehavior::Complete && self.is_within_limits()
    }

    /// Whether the response is within the limits.
    pub(crate) fn is_within_limits(&self) -> bool {
        let total: usize = self.entries.iter().map(|(data, label)| data + label).sum();
        let fits = |(data, label): &(usize, usize)| *data <= 4_096 && *label <= 256;
        matches!(
            self.behavior,
            ChildBehavior::Complete | ChildBehavior::UnknownKinds
        ) && self.logic <= 1
            && self.entries.len() <= 32
            && total <= 8_192
            && self.entries.iter().all(fits)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct CompositeSpec {
    pub(crate) any: bool,
    pub(crate) children: Vec<Child>,
}

impl fmt::Display for CompositeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {} of", if self.any { "any" } else { "all" })?;
        self.children
            .iter()
            .try_for_each(|child| writeln!(f, "    {child:?}"))
    }
}

pub(crate) fn any_composite() -> impl Strategy<Value = CompositeSpec> {
    let bytes = |edge: usize| prop_oneof![6 => 0..70_usize, 1 => edge - 1..=edge + 1].boxed();
    let entry = (bytes(4_096), bytes(256));
    let few = vec(entry, 0..4);
    let count = prop_oneof![Just(31_usize), Just(32), Just(33), Just(34)];
    let many = count.prop_flat_map(|count| vec((0..70_usize, 0..40_usize), count));
    let entries = prop_oneof![5 => few, 1 => many];
    let behavior = prop_oneof![
        6 => Just(ChildBehavior::Complete),
        1 => Just(ChildBehavior::Truncated),
        1 => Just(ChildBehavior::Fails),
        1 => Just(ChildBehavior::UnknownKinds),
    ];
    let logic = prop_oneof![8 => 0..2_u8, 1 => Just(2_u8)];
    let child =
        (entries, logic, any::<bool>(), behavior).prop_map(|(entries, logic, negate, behavior)| {
            Child {
                entries,
                logic,
                negate,
                behavior,
            }
        });
    (any::<bool>(), vec(child, 1..=8)).prop_map(|(any, children)| CompositeSpec { any, children })
}
