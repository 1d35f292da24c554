//! Transactions for another signer.

use std::{fmt::Write, fs, path::Path};

use atr_rpc::Call;
use serde_json::json;

use crate::error::Error;

/// Recipient, value and data of each transaction.
pub(crate) fn render(calls: &[Call]) -> String {
    let mut text = String::new();
    for call in calls {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<11}  {}", "unsigned", call.description);
        let _ = writeln!(text, "{:<11}  {}", "to", call.to);
        let _ = writeln!(text, "{:<11}  {} wei", "value", call.value.0);
        let _ = writeln!(text, "{:<11}  {}", "data", call.data);
    }
    text
}

/// Writes a batch for the Safe Transaction Builder. A Safe executes it as one transaction: all calls or none.
pub(crate) fn write_safe_batch(path: &Path, chain_id: u64, calls: &[Call]) -> Result<(), Error> {
    let transactions: Vec<_> = calls
        .iter()
        .map(|call| {
            json!({
                "to": call.to,
                "value": call.value,
                "data": call.data,
                "contractMethod": null,
                "contractInputsValues": null,
            })
        })
        .collect();
    let descriptions: Vec<_> = calls.iter().map(|call| call.description.as_str()).collect();
    let batch = json!({
        "version": "1.0",
        "chainId": chain_id.to_string(),
        "createdAt": 0,
        "meta": { "name": "atr", "description": descriptions.join(", ") },
        "transactions": transactions,
    });
    fs::write(path, format!("{batch:#}\n")).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}
