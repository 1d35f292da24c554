//! A value or member name, packed into eight bytes.

/// Type of a node. The text of a `Verbatim` string equals its canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Null,
    False,
    True,
    Number,
    Verbatim,
    Unescaped,
    Array,
    Object,
}

const TAGS: [Tag; 8] = [
    Tag::Null,
    Tag::False,
    Tag::True,
    Tag::Number,
    Tag::Verbatim,
    Tag::Unescaped,
    Tag::Array,
    Tag::Object,
];

/// ```text
/// bits   0..3   3..24              24..45             45..64
///        tag    strings, numbers:  start, length      -
///               arrays:            end, count         -
///               objects:           end, count         first name in `order`
/// ```
///
/// A document has at most 2^20 bytes, so at most 2^20 nodes and fewer than 2^18 members: every field fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node(u64);

const FIELD: u32 = 21;
const FIRST: u32 = 3;
const SECOND: u32 = FIRST + FIELD;
const THIRD: u32 = SECOND + FIELD;
const MASK: u64 = (1 << FIELD) - 1;

impl Node {
    pub(crate) const fn new(tag: Tag, first: usize, second: usize) -> Self {
        Self(tag as u64 | (first as u64) << FIRST | (second as u64) << SECOND)
    }

    pub(crate) const fn object(end: usize, count: usize, names: usize) -> Self {
        Self(Self::new(Tag::Object, end, count).0 | (names as u64) << THIRD)
    }

    pub(crate) const fn tag(self) -> Tag {
        TAGS[(self.0 & 7) as usize]
    }

    /// String or number: offset of the first byte.
    pub(crate) const fn start(self) -> usize {
        (self.0 >> FIRST & MASK) as usize
    }

    /// String or number: length in bytes.
    pub(crate) const fn length(self) -> usize {
        self.count()
    }

    /// Array or object: index after its last node.
    pub(crate) const fn end(self) -> usize {
        self.start()
    }

    /// Array or object: number of elements or members.
    pub(crate) const fn count(self) -> usize {
        (self.0 >> SECOND & MASK) as usize
    }

    /// Object: index of its first name in `order`.
    pub(crate) const fn names(self) -> usize {
        (self.0 >> THIRD) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_MANIFEST_BYTES;

    #[test]
    fn maximum_values_of_all_fields_do_not_overlap() {
        for tag in TAGS {
            let node = Node::new(tag, MAX_MANIFEST_BYTES, MAX_MANIFEST_BYTES);
            assert_eq!(
                (node.tag(), node.start(), node.length()),
                (tag, MAX_MANIFEST_BYTES, MAX_MANIFEST_BYTES)
            );
        }
        // `"":0,` is the shortest member.
        let members = MAX_MANIFEST_BYTES / 5;
        let node = Node::object(MAX_MANIFEST_BYTES, members, members);
        assert_eq!(
            (node.tag(), node.end(), node.count(), node.names()),
            (Tag::Object, MAX_MANIFEST_BYTES, members, members)
        );
    }
}
