//! A schema, ready to hold calls against.

use atr_manifest::{Document, Kind, MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES, Pointer, SchemaSize};
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

use crate::{
    Error, MAX_MATCHING_PER_CALL, MAX_MISMATCHES, MAX_PATTERN_BYTES, MAX_PATTERN_CACHE_BYTES,
    MAX_PATTERNS_CACHE_BYTES, MAX_STEPS_PER_CALL, Mismatch,
    closed_door::ClosedDoor,
    cost::{Bill, Cost},
    graph::Graph,
    message, tree,
};

/// The compiled schema of a manifest's `inputs` or `outputs`.
#[derive(Debug)]
pub struct CallSchema {
    validator: Validator,
    cost: Cost,
}

impl CallSchema {
    /// Compiles a schema. It is taken as draft 2020-12 unless `$schema` names another draft that is known.
    pub fn try_new(schema: atr_manifest::Value<'_>) -> Result<Self, Error> {
        if !matches!(schema.kind(), Kind::Object | Kind::Boolean) {
            return Err(Error::NotASchema {
                pointer: Pointer::root(),
                message: format!("found {}, expected an object or a boolean", schema.kind()),
            });
        }
        let SchemaSize { depth, nodes } = atr_manifest::schema_size(schema);
        if depth > MAX_SCHEMA_DEPTH || nodes > MAX_SCHEMA_NODES {
            return Err(Error::TooLarge { depth, nodes });
        }
        let mut root = tree::of(schema);
        let draft = take_draft(&mut root);
        // Before the validator: it follows references when it compiles and answers endless ones with "valid".
        let cost = Cost::try_of(Graph::try_new(&root, draft)?)?;
        let validator = compile(&root, draft, cost.patterns()).map_err(|error| refusal(&error))?;
        Ok(Self { validator, cost })
    }

    /// Holds a call against the schema: all mismatches, at most [`MAX_MISMATCHES`] of them. A call that is too large to be
    /// held against this schema does not match it.
    pub fn check(&self, call: &Document) -> Result<(), Vec<Mismatch>> {
        let (tree, shape) = tree::of_call(call.root());
        let mut bill = self.cost.estimate(&shape);
        if !bill.is_payable() {
            bill = self.cost.refined(bill, &tree, Bill::is_payable);
        }
        if !bill.is_payable() {
            return Err(vec![Mismatch::of_call(format!(
                "the call is too large for this schema: it could take more than {MAX_STEPS_PER_CALL} steps, or more than \
                 {MAX_MATCHING_PER_CALL} kilobytes of patterns times bytes of text"
            ))]);
        }
        if self.validator.is_valid(&tree) {
            return Ok(());
        }
        if !bill.is_reportable() {
            bill = self.cost.refined(bill, &tree, Bill::is_reportable);
        }
        if !bill.is_reportable() {
            return Err(vec![Mismatch::of_call(
                "the call does not match the schema, and is too large to tell where".into(),
            )]);
        }
        let errors = self.validator.iter_errors(&tree).take(MAX_MISMATCHES);
        Err(errors.map(Mismatch::from).collect())
    }
}

/// The draft, with what could send the validator elsewhere taken off the root: references lead nowhere but into the schema
/// itself, so its own address means nothing.
fn take_draft(root: &mut Value) -> Draft {
    let draft = match Draft::default().detect(root) {
        Draft::Unknown => Draft::Draft202012,
        known => known,
    };
    if let Value::Object(members) = root {
        for keyword in ["$schema", "$id", "id"] {
            members.remove(keyword);
        }
    }
    draft
}

fn compile(
    root: &Value,
    draft: Draft,
    patterns: usize,
) -> Result<Validator, ValidationError<'static>> {
    let share = MAX_PATTERNS_CACHE_BYTES / patterns.max(1);
    let patterns = PatternOptions::regex()
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(share.min(MAX_PATTERN_CACHE_BYTES));
    jsonschema::options()
        .with_draft(draft)
        .with_pattern_options(patterns)
        .with_retriever(ClosedDoor)
        // An annotation, as 2020-12 has it: implementations differ in what they take for an e-mail address.
        .should_validate_formats(false)
        .build(root)
}

/// Why the validator would not compile a schema. What has an error of its own was found before.
fn refusal(error: &ValidationError<'_>) -> Error {
    Error::NotASchema {
        pointer: message::pointer(error.instance_path().as_str()),
        message: message::bounded(&error.masked().to_string()),
    }
}
