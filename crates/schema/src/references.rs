//! Identifiers (`$id`, `$anchor`, `$dynamicAnchor`) and the references to them. References stay inside the schema (J-08): a URI that
//! no `$id` of the schema declares is rejected.

use std::collections::HashMap;

use atr_ids::excerpt;
use atr_manifest::{Kind, Value};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::{
    budget::MAX_URI_BYTES,
    compile::{Compiler, Site},
    error::Error,
    schema::{Anchor, NodeId, ROOT, ResourceId, Target},
};

/// The base of a schema without an absolute `$id`. No reference can name it.
const DEFAULT_BASE: &str = "schema-without-id:///";

pub(crate) struct Resources<'v> {
    resources: Vec<Resource<'v>>,
    by_url: HashMap<Url, ResourceId>,
    references: Vec<Reference<'v>>,
}

struct Resource<'v> {
    node: NodeId,
    value: Value<'v>,
    /// Without a fragment.
    url: Option<Url>,
    is_draft_07: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Reference<'v> {
    pub(crate) site: Site<'v>,
    pub(crate) keyword: &'static str,
    pub(crate) target: &'v str,
}

impl<'v> Resources<'v> {
    pub(crate) fn new(value: Value<'v>) -> Self {
        let root = Resource {
            node: ROOT,
            value,
            url: Url::parse(DEFAULT_BASE).ok(),
            is_draft_07: false,
        };
        Self {
            resources: vec![root],
            by_url: HashMap::new(),
            references: Vec::new(),
        }
    }

    pub(crate) fn is_draft_07(&self, resource: ResourceId) -> bool {
        self.resources[resource].is_draft_07
    }

    fn join(&self, base: ResourceId, target: &str) -> Option<Url> {
        let base = self.resources[base].url.as_ref()?;
        let is_short = target.len() <= MAX_URI_BYTES;
        let url = base.join(target).ok().filter(|_| is_short);
        url.filter(|url| url.as_str().len() <= 2 * MAX_URI_BYTES)
    }
}

impl<'v> Compiler<'v> {
    /// Registers the identifiers of a schema object. Returns it with the resource it belongs to.
    pub(crate) fn identify(&mut self, mut site: Site<'v>) -> Result<Site<'v>, Error> {
        let id = self.string(site, "$id")?;
        let mut is_draft_07 = self.resources.is_draft_07(site.resource);
        if (site.node == ROOT || id.is_some())
            && let Some(uri) = self.string(site, "$schema")?
        {
            is_draft_07 = self.is_draft_07(site, uri)?;
        }
        if site.node == ROOT {
            self.resources.resources[0].is_draft_07 = is_draft_07;
        }
        // In draft-07 a reference replaces the keywords beside it.
        let is_replaced = is_draft_07 && site.value.get("$ref").is_some();
        match id.filter(|_| !is_replaced) {
            Some(id) if is_draft_07 && id.starts_with('#') => self.anchor(site, "$id", &id[1..])?,
            Some(id) => site.resource = self.resource(site, id, is_draft_07)?,
            None => {}
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = self.string(site, keyword)?.filter(|_| !is_draft_07) {
                self.anchor(site, keyword, name)?;
            }
        }
        Ok(site)
    }

    fn string(&self, site: Site<'v>, keyword: &str) -> Result<Option<&'v str>, Error> {
        let value = site.value.get(keyword);
        let string = |value: Value<'v>| {
            let text = value.as_str();
            text.ok_or_else(|| self.invalid(site.node, keyword, "expected a string"))
        };
        value.map(string).transpose()
    }

    fn is_draft_07(&self, site: Site<'v>, uri: &str) -> Result<bool, Error> {
        let name = uri.trim_end_matches('#');
        let name = name
            .trim_start_matches("https://")
            .trim_start_matches("http://");
        match name {
            "json-schema.org/draft/2020-12/schema" => Ok(false),
            "json-schema.org/draft-07/schema" => Ok(true),
            _ => {
                let feature = format!("the dialect \"{}\"", excerpt(uri));
                Err(self.unsupported(site.node, "$schema", feature))
            }
        }
    }

    fn resource(
        &mut self,
        site: Site<'v>,
        id: &str,
        is_draft_07: bool,
    ) -> Result<ResourceId, Error> {
        let url = self.resources.join(site.resource, id);
        let has_fragment =
            |url: &Url| !is_draft_07 && !url.fragment().unwrap_or_default().is_empty();
        let Some(mut url) = url.filter(|url| !has_fragment(url)) else {
            let reason = "expected a URI reference without a fragment, not too long";
            return Err(self.invalid(site.node, "$id", reason));
        };
        url.set_fragment(None);
        let resource = Resource {
            node: site.node,
            value: site.value,
            url: Some(url.clone()),
            is_draft_07,
        };
        let resources = &mut self.resources.resources;
        let id = if site.node == ROOT {
            resources.clear();
            0
        } else {
            resources.len()
        };
        resources.push(resource);
        if self.resources.by_url.insert(url, id).is_some() {
            return Err(self.invalid(site.node, "$id", "another schema has the same \"$id\""));
        }
        Ok(id)
    }

    fn anchor(&mut self, site: Site<'v>, keyword: &str, name: &str) -> Result<(), Error> {
        let anchor = Anchor {
            node: site.node,
            is_dynamic: keyword == "$dynamicAnchor",
        };
        let by_resource = self.schema.anchors.entry(name.into()).or_default();
        match by_resource.insert(site.resource, anchor) {
            Some(other) if other.node != site.node => {
                Err(self.invalid(site.node, keyword, "another schema has the same anchor"))
            }
            _ => Ok(()),
        }
    }

    /// Adds a reference. Returns its index, which is also that of its target.
    pub(crate) fn reference(&mut self, reference: Reference<'v>) -> usize {
        self.resources.references.push(reference);
        self.resources.references.len() - 1
    }

    pub(crate) fn unresolved(&self) -> Option<Reference<'v>> {
        let resolved = self.schema.targets.len();
        self.resources.references.get(resolved).copied()
    }

    pub(crate) fn resolve(&mut self, reference: Reference<'v>) -> Result<Target, Error> {
        let Reference {
            site,
            keyword,
            target,
        } = reference;
        self.budget.charge(10 + target.len() as u64 / 8)?;
        let location = |compiler: &Self| compiler.schema.location(site.node, keyword);
        let (uri, fragment) = target.split_once('#').unwrap_or((target, ""));
        let mut resource = site.resource;
        if !uri.is_empty() {
            let url = self.resources.join(resource, uri);
            let found = url.and_then(|url| self.resources.by_url.get(&url));
            resource = *found.ok_or_else(|| Error::RemoteReference {
                location: location(self),
                target: excerpt(target),
            })?;
        }
        let found = match percent_decode_str(fragment).decode_utf8() {
            Ok(pointer) if pointer.is_empty() || pointer.starts_with('/') => {
                self.follow(resource, &pointer)?.map(|node| (node, None))
            }
            Ok(name) => {
                let anchor = self.schema.anchors.get(&*name);
                let anchor = anchor.and_then(|by_resource| by_resource.get(&resource));
                anchor.map(|anchor| {
                    let is_dynamic = anchor.is_dynamic && keyword == "$dynamicRef";
                    (anchor.node, is_dynamic.then(|| name.into()))
                })
            }
            Err(_) => None,
        };
        let (node, dynamic_anchor) = found.ok_or_else(|| Error::UnresolvedReference {
            location: location(self),
            target: excerpt(target),
        })?;
        Ok(Target {
            node,
            dynamic_anchor,
        })
    }

    /// The schema at a JSON pointer. It may be in an unexpected position, such as below an unknown keyword.
    fn follow(&mut self, resource: ResourceId, pointer: &str) -> Result<Option<NodeId>, Error> {
        let Resource {
            mut node,
            mut value,
            ..
        } = self.resources.resources[resource];
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            let index = token.parse().ok();
            let index = index.filter(|index: &usize| index.to_string() == token);
            // Elements are not indexed.
            self.budget
                .charge(10 + index.unwrap_or(0).min(value.len()) as u64 / 2)?;
            let found = match value.kind() {
                Kind::Array => index.and_then(|index| value.elements().nth(index)),
                _ => value.get(&token),
            };
            let Some(found) = found else {
                return Ok(None);
            };
            value = found;
            node = self.child(node, &token);
        }
        if !matches!(value.kind(), Kind::Object | Kind::Boolean) {
            return Ok(None);
        }
        self.schema_at(node, value, resource).map(Some)
    }
}
