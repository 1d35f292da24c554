//! Prints the address of every contract, without a node: `cargo run -p atr-deploy --example predict_addresses`.
#![expect(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "the output of the example"
)]

use alloy_primitives::B256;
use atr_deploy::Suite;

fn main() {
    for target in Suite::new(B256::ZERO).targets() {
        println!("{}  {}", target.address(), target.name());
    }
}
