//! Decodes the return data of a predicate's `getRequirements`:
//! `cast call <predicate> "getRequirements(uint256)" 1 | cargo run -p atr-registry --example decode_requirements`.
#![expect(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "the output of the example"
)]

use std::io;

use alloy_primitives::hex;
use atr_registry::{Introspection, IntrospectionLimits};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = hex::decode(io::read_to_string(io::stdin())?.trim())?;
    match Introspection::decode(&data, IntrospectionLimits::default()) {
        Introspection::Known {
            logic,
            requirements,
        } => {
            println!("{logic}:");
            for requirement in requirements {
                println!("  {requirement}");
            }
        }
        Introspection::OverLimit { limit, found, max } => {
            println!("not decoded: {found} {limit}, the maximum is {max}");
        }
        Introspection::Failed { reason } => println!("not decoded: {reason}"),
        Introspection::NoCode => println!("no contract"),
    }
    Ok(())
}
