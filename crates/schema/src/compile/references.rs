//! Identifiers (`$id`, `$anchor`, `$dynamicAnchor`) and the references to them. References stay inside the schema (J-08): a URI that
//! no `$id` of the schema declares is rejected.

use std::collections::{BTreeMap, HashMap};

use atr_ids::excerpt;
use atr_manifest::{Kind, Value};
use percent_encoding::percent_decode_str;
use url::Url;

use super::{Compiler, Dialect};
use crate::{
    budget::{MAX_REFERENCE_STEPS, MAX_URI_BYTES},
    error::Error,
    schema::{FALSE, Keyword, NodeId, ResourceId, TRUE},
};

/// The base of a schema without an absolute `$id`. No reference can name it.
const DEFAULT_BASE: &str = "schema-without-id:///";

pub(super) struct Resources<'v> {
    resources: Vec<Resource<'v>>,
    by_url: HashMap<Url, ResourceId>,
    anchors: BTreeMap<(ResourceId, &'v str), Anchor>,
    references: Vec<Reference<'v>>,
    steps: u64,
}

struct Resource<'v> {
    root: Value<'v>,
    key: Vec<u32>,
    /// Without a fragment.
    url: Option<Url>,
    dialect: Dialect,
}

struct Anchor {
    node: NodeId,
    is_dynamic: bool,
}

/// A reference that is not resolved yet.
pub(super) struct Reference<'v> {
    node: NodeId,
    key: Vec<u32>,
    resource: ResourceId,
    target: &'v str,
    is_dynamic: bool,
}

impl<'v> Resources<'v> {
    pub(super) fn new(root: Value<'v>) -> Self {
        let root = Resource {
            root,
            key: Vec::new(),
            url: Url::parse(DEFAULT_BASE).ok(),
            dialect: Dialect::Draft202012,
        };
        Self {
            resources: vec![root],
            by_url: HashMap::new(),
            anchors: BTreeMap::new(),
            references: Vec::new(),
            steps: 0,
        }
    }

    pub(super) fn dialect(&self, resource: ResourceId) -> Dialect {
        self.resources[resource as usize].dialect
    }

    pub(super) fn take_dynamic_anchors(
        &mut self,
    ) -> BTreeMap<Box<str>, BTreeMap<ResourceId, NodeId>> {
        let mut by_name = BTreeMap::<Box<str>, BTreeMap<_, _>>::new();
        for ((resource, name), anchor) in &self.anchors {
            if anchor.is_dynamic {
                let by_resource = by_name.entry(Box::from(*name)).or_default();
                by_resource.insert(*resource, anchor.node);
            }
        }
        by_name
    }

    fn charge(&mut self, steps: usize) -> Result<(), Error> {
        self.steps += steps as u64;
        if self.steps > MAX_REFERENCE_STEPS {
            return Err(Error::TooManyReferences);
        }
        Ok(())
    }
}

impl<'v> Compiler<'v> {
    /// Registers the identifiers of a schema object. Returns the resource it belongs to.
    pub(super) fn identify(
        &mut self,
        value: Value<'v>,
        node: NodeId,
        outer: ResourceId,
    ) -> Result<ResourceId, Error> {
        let is_root = self.key.is_empty();
        let mut dialect = self.resources.dialect(outer);
        let id = value
            .get("$id")
            .map(|id| self.string("$id", id))
            .transpose()?;
        if (is_root || id.is_some())
            && let Some(schema) = value.get("$schema")
        {
            dialect = self.dialect(self.string("$schema", schema)?)?;
        }
        if is_root {
            self.resources.resources[0].dialect = dialect;
        }
        // In draft-07 a reference replaces the keywords beside it.
        let is_ignored = dialect == Dialect::Draft07 && value.get("$ref").is_some();
        let mut resource = outer;
        match id.filter(|_| !is_ignored) {
            Some(id) if dialect == Dialect::Draft07 && id.starts_with('#') => {
                self.anchor(outer, &id[1..], node, false)?;
            }
            Some(id) => resource = self.resource(value, id, outer, dialect)?,
            None => {}
        }
        if dialect == Dialect::Draft202012 {
            for (keyword, is_dynamic) in [("$anchor", false), ("$dynamicAnchor", true)] {
                if let Some(name) = value.get(keyword) {
                    let name = self.string(keyword, name)?;
                    self.anchor(resource, name, node, is_dynamic)?;
                }
            }
        }
        Ok(resource)
    }

    fn dialect(&self, uri: &str) -> Result<Dialect, Error> {
        let name = uri.strip_suffix('#').unwrap_or(uri);
        let name = name
            .strip_prefix("https://")
            .or_else(|| name.strip_prefix("http://"));
        match name {
            Some("json-schema.org/draft/2020-12/schema") => Ok(Dialect::Draft202012),
            Some("json-schema.org/draft-07/schema" | "json-schema.org/draft-06/schema") => {
                Ok(Dialect::Draft07)
            }
            _ => Err(self.unsupported(format!("the dialect \"{}\"", excerpt(uri)))),
        }
    }

    fn resource(
        &mut self,
        root: Value<'v>,
        id: &str,
        outer: ResourceId,
        dialect: Dialect,
    ) -> Result<ResourceId, Error> {
        let mut url = self
            .join(outer, id)
            .ok_or_else(|| self.invalid("\"$id\" is not a URI reference, or it is too long"))?;
        if dialect == Dialect::Draft202012 && !url.fragment().unwrap_or_default().is_empty() {
            return Err(self.invalid("\"$id\" has a fragment"));
        }
        url.set_fragment(None);
        let id = self.resources.resources.len() as ResourceId;
        let id = if self.key.is_empty() { 0 } else { id };
        if self.resources.by_url.insert(url.clone(), id).is_some() {
            return Err(self.invalid("another schema has the same \"$id\""));
        }
        let resource = Resource {
            root,
            key: self.key.clone(),
            url: Some(url),
            dialect,
        };
        if id == 0 {
            self.resources.resources[0] = resource;
        } else {
            self.resources.resources.push(resource);
        }
        Ok(id)
    }

    fn join(&self, base: ResourceId, target: &str) -> Option<Url> {
        let base = self.resources.resources[base as usize].url.as_ref()?;
        if target.len() > MAX_URI_BYTES {
            return None;
        }
        base.join(target)
            .ok()
            .filter(|url| url.as_str().len() <= 2 * MAX_URI_BYTES)
    }

    fn anchor(
        &mut self,
        resource: ResourceId,
        name: &'v str,
        node: NodeId,
        is_dynamic: bool,
    ) -> Result<(), Error> {
        let anchor = Anchor { node, is_dynamic };
        match self.resources.anchors.insert((resource, name), anchor) {
            Some(other) if other.node != node => {
                Err(self.invalid("another schema has the same anchor"))
            }
            _ => Ok(()),
        }
    }

    fn string(&self, keyword: &str, value: Value<'v>) -> Result<&'v str, Error> {
        let text = value.as_str();
        text.ok_or_else(|| self.invalid(format!("\"{keyword}\" must be a string")))
    }

    pub(super) fn reference(
        &mut self,
        value: Value<'v>,
        node: NodeId,
        resource: ResourceId,
        is_dynamic: bool,
    ) -> Result<(), Error> {
        let Some(target) = value.as_str() else {
            return Err(self.invalid("expected a string"));
        };
        self.resources.references.push(Reference {
            node,
            key: self.key.clone(),
            resource,
            target,
            is_dynamic,
        });
        Ok(())
    }

    /// Resolves all references, including those of schemas that only a reference leads to.
    pub(super) fn resolve_references(&mut self) -> Result<(), Error> {
        while let Some(reference) = self.resources.references.pop() {
            let (target, anchor) = self.resolve(&reference)?;
            for keyword in &mut self.nodes[reference.node as usize].keywords {
                match keyword {
                    Keyword::Ref(resolved) if !reference.is_dynamic => *resolved = target,
                    Keyword::DynamicRef { .. } if reference.is_dynamic => {
                        *keyword = match anchor {
                            Some(anchor) => Keyword::DynamicRef {
                                anchor: anchor.into(),
                                fallback: target,
                            },
                            None => Keyword::Ref(target),
                        };
                        break;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The target, and the name of the `$dynamicAnchor` that led to it.
    fn resolve(&mut self, reference: &Reference<'v>) -> Result<(NodeId, Option<String>), Error> {
        let target = reference.target;
        self.resources.charge(1 + target.len() / 8)?;
        let unresolved = |compiler: &Self| Error::UnresolvedReference {
            location: compiler.pointer(&reference.key),
            target: excerpt(target),
        };
        let (resource, fragment) = match target.strip_prefix('#') {
            Some(fragment) => (reference.resource, fragment.to_owned()),
            None if target.is_empty() => (reference.resource, String::new()),
            None => {
                let url = self.join(reference.resource, target);
                let fragment = url
                    .as_ref()
                    .and_then(Url::fragment)
                    .unwrap_or_default()
                    .to_owned();
                let found = url.and_then(|mut url| {
                    url.set_fragment(None);
                    self.resources.by_url.get(&url).copied()
                });
                let resource = found.ok_or_else(|| Error::RemoteReference {
                    location: self.pointer(&reference.key),
                    target: excerpt(target),
                })?;
                (resource, fragment)
            }
        };
        let fragment = percent_decode_str(&fragment).decode_utf8();
        let fragment = fragment.map_err(|_| unresolved(self))?;
        if fragment.is_empty() || fragment.starts_with('/') {
            let node = self.follow(resource, &fragment)?;
            return Ok((node.ok_or_else(|| unresolved(self))?, None));
        }
        let anchor = self.resources.anchors.get(&(resource, &*fragment));
        let anchor = anchor.ok_or_else(|| unresolved(self))?;
        let name = (anchor.is_dynamic && reference.is_dynamic).then(|| fragment.to_string());
        Ok((anchor.node, name))
    }

    /// The schema at a JSON pointer. A schema in an unexpected position, such as below an unknown keyword, is compiled now.
    fn follow(&mut self, resource: ResourceId, pointer: &str) -> Result<Option<NodeId>, Error> {
        let start = &self.resources.resources[resource as usize];
        let (mut value, mut key) = (start.root, start.key.clone());
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            self.resources.charge(1 + value.len() / 2)?;
            let found = match value.kind() {
                Kind::Object => {
                    value
                        .members()
                        .enumerate()
                        .find_map(|(ordinal, (name, member))| {
                            (name == token).then_some((ordinal, member))
                        })
                }
                Kind::Array => token
                    .parse()
                    .ok()
                    .filter(|index: &usize| index.to_string() == token)
                    .and_then(|index| value.elements().nth(index).map(|element| (index, element))),
                _ => None,
            };
            let Some((ordinal, next)) = found else {
                return Ok(None);
            };
            key.push(ordinal as u32);
            value = next;
        }
        if let Some(node) = self.by_key.get(&key) {
            return Ok(Some(*node));
        }
        match value.kind() {
            Kind::Boolean => Ok(Some(if value.as_bool() == Some(true) {
                TRUE
            } else {
                FALSE
            })),
            Kind::Object => {
                let suffix = self.pointer(&key).to_string();
                self.key = key;
                let node = self.schema(value, None, suffix, resource)?;
                self.key.clear();
                Ok(Some(node))
            }
            _ => Ok(None),
        }
    }
}
