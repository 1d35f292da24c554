//! Every node of a document in the order of the text, knowing at each where it is.

use super::{Document, node::Tag};
use crate::Pointer;

/// An array or object on the way.
struct Level {
    end: usize,
    is_object: bool,
    /// Elements or members entered so far, the present one included.
    count: usize,
    /// Node of the present member's name.
    name: usize,
}

/// A walk through a document.
pub(crate) struct Walk<'a> {
    document: &'a Document,
    next: usize,
    levels: Vec<Level>,
    /// Whether the node that comes next is the value of a name that has just been seen.
    after_name: bool,
}

/// A stop of the walk.
#[derive(Clone, Copy)]
pub(crate) struct Stop {
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

    /// The next stop.
    pub(crate) fn step(&mut self) -> Option<Stop> {
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
        Some(Stop { index, is_name })
    }

    /// Where the last stop was. A name stands where its member does.
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
    fn every_node_is_visited_and_stands_where_a_search_finds_it() {
        let text = r#"{"a":[],"b":[1,{"c":{},"d":[[]]},"x"],"e":{"":{"f":null}},"g":0}"#;
        let document = Document::parse(text).unwrap();
        let mut walk = Walk::new(&document);
        let mut names = Vec::new();
        let mut count = 0;
        while let Some(stop) = walk.step() {
            assert_eq!(walk.pointer(), document.pointer(stop.index));
            if stop.is_name {
                names.push(document.slice(document.node(stop.index)));
            }
            count += 1;
        }
        assert_eq!(count, document.nodes.len());
        assert_eq!(names, ["a", "b", "c", "d", "e", "", "f", "g"]);
    }
}
