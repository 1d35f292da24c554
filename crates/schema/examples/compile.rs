//! Compiles the schemas of JSON files and prints which are rejected and why. A file is a schema or an array of schemas.
//!
//! `cargo run -p atr-schema --example compile -- FILE…`
#![expect(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "a command-line example"
)]

use std::{env, error::Error, fs};

use atr_manifest::{Document, Kind};
use atr_schema::Schema;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut compiled, mut rejected) = (0, 0);
    for path in env::args().skip(1) {
        let file = Document::parse(fs::read(&path)?)?;
        let schemas: Vec<_> = match file.root().kind() {
            Kind::Array => file.root().elements().collect(),
            _ => vec![file.root()],
        };
        for (index, schema) in schemas.into_iter().enumerate() {
            match Schema::compile(schema) {
                Ok(_) => compiled += 1,
                Err(error) => {
                    rejected += 1;
                    println!("{path} [{index}]: {error}");
                }
            }
        }
    }
    println!("{compiled} compiled, {rejected} rejected");
    Ok(())
}
