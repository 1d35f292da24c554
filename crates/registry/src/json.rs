//! `uint256` values as decimal strings in JSON, because JSON numbers lose precision.

use alloy_primitives::U256;
use serde::{Serializer, ser::SerializeSeq};

pub(crate) fn decimal<S: Serializer>(number: &U256, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

pub(crate) fn decimals<S: Serializer>(numbers: &[U256], serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(numbers.len()))?;
    for number in numbers {
        list.serialize_element(&number.to_string())?;
    }
    list.end()
}
