//! Where a reference leads. Only within the schema: everything else is told, never fetched (J-08).

use std::collections::HashMap;

use atr_manifest::Pointer;
use jsonschema::Draft;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::{
    Error,
    message::{bounded, unescaped},
};

/// Keywords that refer to another schema.
pub(super) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// A value of the schema and where it stands.
type Found<'a> = (&'a Value, Pointer);

/// A step of a pointer.
#[derive(Clone, Copy)]
enum Token<'a> {
    Member(&'a str),
    Element(usize),
}

fn pointer(way: &[Token<'_>]) -> Pointer {
    way.iter()
        .fold(Pointer::root(), |pointer, token| match token {
            Token::Member(name) => pointer.member(name),
            Token::Element(index) => pointer.element(*index),
        })
}

/// All that references of a schema can lead to.
pub(super) struct References<'a> {
    root: &'a Value,
    draft: Draft,
    /// The places with a name of their own. Also those in plain data: which of them count is for the validator to know, so a
    /// name that several have is not followed.
    anchors: HashMap<&'a str, Vec<Found<'a>>>,
}

impl<'a> References<'a> {
    pub(super) fn of(root: &'a Value, draft: Draft) -> Self {
        let mut references = Self {
            root,
            draft,
            anchors: HashMap::new(),
        };
        references.collect(root, &mut Vec::new());
        references
    }

    /// A schema has at most 128 levels, which bounds the calls.
    fn collect(&mut self, value: &'a Value, way: &mut Vec<Token<'a>>) {
        match value {
            Value::Object(members) => {
                self.name(value, members, way);
                for (name, member) in members {
                    self.collect_below(member, Token::Member(name), way);
                }
            }
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    self.collect_below(element, Token::Element(index), way);
                }
            }
            _ => {}
        }
    }

    fn collect_below(&mut self, value: &'a Value, token: Token<'a>, way: &mut Vec<Token<'a>>) {
        way.push(token);
        self.collect(value, way);
        way.pop();
    }

    fn name(&mut self, value: &'a Value, members: &'a Map<String, Value>, way: &[Token<'a>]) {
        for keyword in ["$anchor", "$dynamicAnchor"] {
            let Some(name) = members.get(keyword).and_then(Value::as_str) else {
                continue;
            };
            let found = self.anchors.entry(name).or_default();
            let is_known = found.iter().any(|(known, _)| std::ptr::eq(*known, value));
            // Two are enough to know that the name means nothing.
            if !is_known && found.len() < 2 {
                found.push((value, pointer(way)));
            }
        }
    }

    /// What a reference that stands at `at` leads to.
    pub(super) fn target(&self, reference: &str, at: Pointer) -> Result<Found<'a>, Error> {
        let fragment = match reference.strip_prefix('#') {
            Some(fragment) => fragment,
            None if reference.is_empty() => "",
            None => {
                return Err(Error::RemoteRef {
                    pointer: at,
                    target: bounded(reference),
                });
            }
        };
        let fragment = percent_decode_str(fragment).decode_utf8_lossy();
        let found = if fragment.is_empty() || fragment.starts_with('/') {
            self.follow(&fragment)?
        } else {
            match self.anchors.get(&*fragment).map(Vec::as_slice) {
                Some([one]) => Some(one.clone()),
                Some([_, ..]) => {
                    return Err(Error::AmbiguousRef {
                        pointer: at,
                        target: bounded(reference),
                    });
                }
                _ => None,
            }
        };
        found.ok_or_else(|| Error::DanglingRef {
            pointer: at,
            target: bounded(reference),
        })
    }

    /// What a JSON pointer leads to.
    fn follow(&self, pointer: &str) -> Result<Option<Found<'a>>, Error> {
        let mut found = (self.root, Pointer::root());
        for token in pointer.split('/').skip(1) {
            let token = unescaped(token);
            let (value, pointer) = found;
            let next = match value {
                Value::Object(members) => members
                    .get(&token)
                    .map(|member| (member, pointer.member(&token))),
                Value::Array(elements) => token.parse().ok().and_then(|index: usize| {
                    let element = elements.get(index)?;
                    Some((element, pointer.element(index)))
                }),
                _ => None,
            };
            let Some(next) = next else { return Ok(None) };
            // Also where no keyword leads: whatever lies beyond a base of its own is not ours to name.
            if let (Value::Object(members), pointer) = &next {
                self.refuse_own_base(members, pointer)?;
            }
            found = next;
        }
        Ok(Some(found))
    }

    /// A schema with a base of its own changes what references in it mean.
    pub(super) fn refuse_own_base(
        &self,
        schema: &Map<String, Value>,
        pointer: &Pointer,
    ) -> Result<(), Error> {
        let identifier = match self.draft {
            Draft::Draft4 => "id",
            _ => "$id",
        };
        for keyword in [identifier, "$schema"] {
            if schema.get(keyword).is_some_and(Value::is_string) {
                return Err(Error::EmbeddedResource {
                    pointer: pointer.clone(),
                    keyword,
                });
            }
        }
        Ok(())
    }
}
