//! Iteration over all nodes of a document, with their JSON pointers.

use super::{Document, node::Tag};
use crate::Pointer;

/// An array or object that contains the current node.
struct Level {
    end: usize,
    is_object: bool,
    /// Elements or members visited so far, including the current one.
    count: usize,
    /// Node of the current member's name.
    name: usize,
}

/// Visits the nodes of a document in document order.
pub(crate) struct Walk<'a> {
    document: &'a Document,
    next: usize,
    levels: Vec<Level>,
    /// Whether the next node is the value of the member whose name was just visited.
    after_name: bool,
}

/// A visited node.
#[derive(Clone, Copy)]
pub(crate) struct Visit {
    pub(crate) index: usize,
    pub(crate) is_name: bool,
}

impl<'a> Walk<'a> {
    pub(crate) const fn new(document: &'a Document) -> Self {
        Self {
            document,
            next: 0,
            levels: Vec::new(),
            after_name: false,
        }
    }

    /// Moves to the next node.
    pub(crate) fn next(&mut self) -> Option<Visit> {
        let index = self.next;
        let node = *self.document.nodes.get(index)?;
        self.next += 1;
        if !self.after_name {
            while self.levels.last().is_some_and(|level| level.end == index) {
                self.levels.pop();
            }
        }
        let mut is_name = false;
        if let Some(level) = self.levels.last_mut().filter(|_| !self.after_name) {
            level.count += 1;
            level.name = index;
            is_name = level.is_object;
        }
        self.after_name = is_name;
        if matches!(node.tag(), Tag::Array | Tag::Object) {
            self.levels.push(Level {
                end: node.end(),
                is_object: node.tag() == Tag::Object,
                count: 0,
                name: 0,
            });
        }
        Some(Visit { index, is_name })
    }

    /// JSON pointer of the current node. A member name has the pointer of its member.
    pub(crate) fn pointer(&self) -> Pointer {
        let entered = self.levels.iter().filter(|level| level.count > 0);
        entered.fold(Pointer::root(), |pointer, level| {
            if level.is_object {
                pointer.member(self.document.slice(self.document.node(level.name)))
            } else {
                pointer.element(level.count - 1)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_every_node_with_its_pointer() {
        let text = r#"{"a":[],"b":[1,{"c":{},"d":[[]]},"x"],"e":{"":{"f":null}},"g":0}"#;
        let document = Document::parse(text).unwrap();
        let mut walk = Walk::new(&document);
        let mut names = Vec::new();
        let mut count = 0;
        while let Some(visit) = walk.next() {
            assert_eq!(walk.pointer(), document.pointer(visit.index));
            if visit.is_name {
                names.push(document.slice(document.node(visit.index)));
            }
            count += 1;
        }
        assert_eq!(count, document.nodes.len());
        assert_eq!(names, ["a", "b", "c", "d", "e", "", "f", "g"]);
    }
}
