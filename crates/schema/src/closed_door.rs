//! What the validator asks for documents of others.

use std::error::Error;

use jsonschema::{Retrieve, Uri};
use serde_json::Value;

/// Refuses whatever is asked for. References out of a schema are found before the validator sees it; this is the second lock
/// on the same door (ERC-8257, Remote `$ref`).
pub(crate) struct ClosedDoor;

impl Retrieve for ClosedDoor {
    fn retrieve(&self, _uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        Err("nothing is fetched for a schema".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_fetched() {
        let uri = Uri::parse("https://a.example/schema.json".to_owned()).unwrap();
        assert!(ClosedDoor.retrieve(&uri).is_err());
    }
}
