//! What the terms of a composite say they require.

use std::fmt;

use alloy_primitives::FixedBytes;
use atr_bindings::AccessRequirement;
use atr_harness::model::predicates::Requirements;
use proptest::{collection::vec, prelude::*};

const KIND: FixedBytes<4> = FixedBytes([0xab; 4]);

/// What a term says it requires: so many bytes of data and label for each entry.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    pub(crate) entries: Vec<(usize, usize)>,
    pub(crate) logic: u8,
    pub(crate) negate: bool,
    pub(crate) manner: Telling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    Whole,
    /// Only the first half of the bytes.
    Half,
    Fails,
    /// With kinds of zero: it does not know itself.
    Unknown,
}

impl Child {
    pub(crate) fn encoded(&self) -> Vec<u8> {
        let told = Requirements {
            entries: self.requirements(),
            any: self.logic == 1,
        };
        let mut bytes = told.abi_encode();
        bytes[63] = self.logic;
        if self.manner == Telling::Half {
            bytes.truncate(bytes.len() / 64 * 32);
        }
        bytes
    }

    pub(crate) fn requirements(&self) -> Vec<AccessRequirement> {
        let entry = |&(data, label): &(usize, usize)| AccessRequirement {
            kind: match self.manner {
                Telling::Unknown => FixedBytes::ZERO,
                _ => KIND,
            },
            data: vec![7; data].into(),
            label: "l".repeat(label),
        };
        self.entries.iter().map(entry).collect()
    }

    pub(crate) fn is_healthy(&self) -> bool {
        self.manner == Telling::Whole && self.is_taken_over()
    }

    /// Whether it says something that is within the limits.
    pub(crate) fn is_taken_over(&self) -> bool {
        let total: usize = self.entries.iter().map(|(data, label)| data + label).sum();
        let fits = |(data, label): &(usize, usize)| *data <= 4_096 && *label <= 256;
        matches!(self.manner, Telling::Whole | Telling::Unknown)
            && self.logic <= 1
            && self.entries.len() <= 32
            && total <= 8_192
            && self.entries.iter().all(fits)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) any: bool,
    pub(crate) children: Vec<Child>,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {} of", if self.any { "any" } else { "all" })?;
        self.children
            .iter()
            .try_for_each(|child| writeln!(f, "    {child:?}"))
    }
}

pub(crate) fn any_family() -> impl Strategy<Value = Family> {
    let bytes = |edge: usize| prop_oneof![6 => 0..70_usize, 1 => edge - 1..=edge + 1].boxed();
    let entry = (bytes(4_096), bytes(256));
    let few = vec(entry, 0..4);
    let count = prop_oneof![Just(31_usize), Just(32), Just(33), Just(34)];
    let many = count.prop_flat_map(|count| vec((0..70_usize, 0..40_usize), count));
    let entries = prop_oneof![5 => few, 1 => many];
    let manner = prop_oneof![
        6 => Just(Telling::Whole),
        1 => Just(Telling::Half),
        1 => Just(Telling::Fails),
        1 => Just(Telling::Unknown),
    ];
    let logic = prop_oneof![8 => 0..2_u8, 1 => Just(2_u8)];
    let child =
        (entries, logic, any::<bool>(), manner).prop_map(|(entries, logic, negate, manner)| {
            Child {
                entries,
                logic,
                negate,
                manner,
            }
        });
    (any::<bool>(), vec(child, 1..=8)).prop_map(|(any, children)| Family { any, children })
}
