//! Gate argument.

use std::str::FromStr;

use atr_registry::{GateError, GateExpression};

use crate::{args::InvalidValue, output::hints};

/// Conditions for access, such as `any(erc721:0x…, erc20:0x…:100)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GateArg(pub(crate) GateExpression);

impl FromStr for GateArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.parse().map(Self);
        parsed.map_err(|error: GateError| InvalidValue::Gate {
            reason: hints::gate(&error),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_to_do_about_a_gate_that_no_predicate_can_check() {
        let address = "0x1111111111111111111111111111111111111111";
        let error = |text: &str| text.parse::<GateArg>().unwrap_err().to_string();
        for text in [
            "not deny:list.txt",
            "deny:list.txt",
            "not allowlist:list.txt",
        ] {
            let error = error(text);
            assert!(error.contains("use `not erc721:COLLECTION`"), "{error}");
        }
        let two = error(&format!("erc20:{address}:1 and erc20:{address}:2"));
        assert!(two.contains("atr predicate set-erc20"), "{two}");
        let lists = error(&format!(
            "erc721:{address} and not erc721:0x2222222222222222222222222222222222222222"
        ));
        assert!(lists.contains("alternatives with `or`"), "{lists}");
        assert!(error("nft").starts_with("at character 1: expected a condition"));
    }
}
