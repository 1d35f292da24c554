//! Schemas that others publish, read from `../shared/data` beside the repository.

use std::{fs, path::Path};

use atr_manifest::{Document, Value};
use atr_schema::{Error, Schema};

use crate::support::shared_data;

/// All JSON files of a folder and its subfolders.
fn documents(folder: &Path, documents: &mut Vec<Document>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            self::documents(&path, documents);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            documents.extend(Document::parse(fs::read(path).unwrap()));
        }
    }
}

/// The values below `name` members, such as the schemas of an OpenAPI document.
fn below<'v>(value: Value<'v>, name: &str, found: &mut Vec<Value<'v>>) {
    for (member, value) in value.members() {
        if member == name {
            found.push(value);
        }
        below(value, name, found);
    }
    value
        .elements()
        .for_each(|element| below(element, name, found));
}

#[expect(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "the figures of `make schema-suite`"
)]
fn print(name: &str, compiled: usize, rejected: &[Error]) {
    println!("{name}: {compiled} compiled, {} rejected", rejected.len());
}

#[test]
fn compiles_published_schemas_or_names_the_reason() {
    for (folder, name) in [
        ("commandlayer", "schemas"),
        ("opensea", "schema"),
        ("mcp", "$defs"),
    ] {
        let Some(path) = shared_data(folder) else {
            print(
                &format!("not run: ../shared/data/{folder} is not there"),
                0,
                &[],
            );
            continue;
        };
        let mut files = Vec::new();
        documents(&path, &mut files);
        let mut schemas = Vec::new();
        for file in &files {
            match name {
                "schemas" => {
                    let dialect = file.root().get("$schema").and_then(Value::as_str);
                    let is_schema =
                        dialect.is_some_and(|dialect| dialect.contains("json-schema.org"));
                    schemas.extend(is_schema.then(|| file.root()));
                }
                "$defs" => schemas.extend(file.root().get(name).into_iter().flat_map(|defs| {
                    defs.members()
                        .map(|(_, definition)| definition)
                        .collect::<Vec<_>>()
                })),
                name => below(file.root(), name, &mut schemas),
            }
        }
        let results: Vec<_> = schemas.into_iter().map(Schema::compile).collect();
        let compiled = results.iter().filter(|result| result.is_ok()).count();
        let rejected: Vec<_> = results.into_iter().filter_map(Result::err).collect();
        print(folder, compiled, &rejected);
        // The files refer to one another, and definitions to their siblings. One pattern has an inline flag.
        assert!(compiled > 0);
        for error in rejected {
            let is_outside = matches!(
                error,
                Error::RemoteReference { .. } | Error::UnresolvedReference { .. }
            );
            let is_flag =
                matches!(&error, Error::Pattern { reason, .. } if reason.contains("flags"));
            assert!(is_outside || is_flag, "{error}");
        }
    }
}
