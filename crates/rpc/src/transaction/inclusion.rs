//! Finding the transaction that used a nonce.

use alloy_primitives::{Address, B256, Bytes, U256};
use serde::Deserialize;

use crate::{Call, Error, Node};

/// A transaction in a block.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Included {
    pub(super) hash: B256,
    from: Address,
    nonce: U256,
    to: Option<Address>,
    #[serde(default)]
    value: U256,
    #[serde(default)]
    input: Bytes,
}

impl Included {
    /// Whether the transaction makes this call.
    pub(super) fn makes(&self, call: &Call) -> bool {
        self.to == Some(call.to) && self.value == call.value.0 && self.input == call.data
    }
}

/// The transaction of an account with a nonce, and its block. The search starts at a block where the nonce was unused, as far as
/// known. `None` if the node does not have the transaction: it can lag behind, or have pruned the state.
pub(super) async fn find(
    node: &Node,
    account: Address,
    nonce: u64,
    start: u64,
) -> Result<Option<(u64, Included)>, Error> {
    let is_used = async |block: u64| {
        let count = node.nonce_at(account, block).await?;
        Ok::<_, Error>(count.map(|count| count > nonce))
    };
    let mut high = node.block_number().await?;
    if is_used(high).await? != Some(true) {
        return Ok(None);
    }
    // The node that reported the nonce as unused can have been behind.
    let mut low = start.min(high);
    let mut step = 1;
    while low > 0 && is_used(low).await? == Some(true) {
        high = low;
        low = low.saturating_sub(step);
        step *= 2;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match is_used(middle).await? {
            Some(true) => high = middle,
            Some(false) => low = middle,
            None => return Ok(None),
        }
    }
    let block = node.block(&format!("{high:#x}"), true).await?;
    let transactions = block.map(|block| block.transactions).unwrap_or_default();
    let parsed = transactions.into_iter();
    let mut parsed = parsed.filter_map(|value| serde_json::from_value::<Included>(value).ok());
    let found = parsed.find(|found| found.from == account && found.nonce == U256::from(nonce));
    Ok(found.map(|found| (high, found)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Wei;

    #[test]
    fn the_same_call_has_the_same_recipient_value_and_data() {
        let call = Call {
            to: Address::repeat_byte(1),
            value: Wei(U256::from(2)),
            data: Bytes::from_static(&[3]),
            description: String::new(),
        };
        let makes = |to: u8, value: u8, input: u8| {
            let found: Included = serde_json::from_value(json!({
                "hash": B256::ZERO, "from": Address::ZERO, "nonce": "0x0",
                "to": Address::repeat_byte(to), "value": U256::from(value), "input": Bytes::from(vec![input]),
            }))
            .unwrap();
            found.makes(&call)
        };
        assert!(makes(1, 2, 3));
        assert!(!makes(9, 2, 3) && !makes(1, 9, 3) && !makes(1, 2, 9));
        assert!(!makes(9, 9, 3) && !makes(1, 9, 9) && !makes(9, 2, 9) && !makes(9, 9, 9));
    }
}
