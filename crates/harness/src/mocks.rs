//! The mocks of the Solidity tests.
#![expect(missing_docs, reason = "documented in contracts/test/mocks")]

use alloy_primitives::{FixedBytes, U256};
use alloy_sol_types::sol;

/// One module per mock: their structs and errors share names.
macro_rules! mocks {
    ($($module:ident $contract:ident $artifact:literal;)*) => {$(
        mod $module {
            alloy_sol_types::sol!(
                #[sol(all_derives)]
                $contract,
                $artifact
            );
        }
        pub use $module::$contract;
    )*};
}

mocks! {
    decoding_caller DecodingCaller "artifacts/DecodingCaller.json";
    min_gas_predicate MinGasPredicate "artifacts/MinGasPredicate.json";
    dirty_bits_token DirtyBitsToken "artifacts/DirtyBitsToken.json";
    erc165_non_predicate ERC165NonPredicate "artifacts/ERC165NonPredicate.json";
    gas_burner GasBurner "artifacts/GasBurner.json";
    selector_override_token SelectorOverrideToken "artifacts/SelectorOverrideToken.json";
    invalid_opcode_token InvalidOpcodeToken "artifacts/InvalidOpcodeToken.json";
    return_bomb_token ReturnBombToken "artifacts/ReturnBombToken.json";
    denying_predicate DenyingPredicate "artifacts/DenyingPredicate.json";
    erc1271_wallet ERC1271Wallet "artifacts/ERC1271Wallet.json";
    plain_erc20 PlainERC20 "artifacts/PlainERC20.json";
    plain_erc721 PlainERC721 "artifacts/PlainERC721.json";
    plain_erc1155 PlainERC1155 "artifacts/PlainERC1155.json";
    plain_erc7496 PlainERC7496 "artifacts/PlainERC7496.json";
    plain_erc1967_proxy PlainERC1967Proxy "artifacts/PlainERC1967Proxy.json";
    plain_transparent_proxy PlainTransparentProxy "artifacts/PlainTransparentProxy.json";
    plain_beacon_proxy PlainBeaconProxy "artifacts/PlainBeaconProxy.json";
    plain_subscription PlainSubscription "artifacts/PlainSubscription.json";
    preset_response_predicate PresetResponsePredicate "artifacts/PresetResponsePredicate.json";
    preset_response_token PresetResponseToken "artifacts/PresetResponseToken.json";
    reverting_token RevertingToken "artifacts/RevertingToken.json";
    short_return_token ShortReturnToken "artifacts/ShortReturnToken.json";
    empty_return_token EmptyReturnToken "artifacts/EmptyReturnToken.json";
    oversize_return_token OversizeReturnToken "artifacts/OversizeReturnToken.json";
    storage_writing_token StorageWritingToken "artifacts/StorageWritingToken.json";
}

sol!(
    #[sol(all_derives)]
    ScriptedPredicate,
    "artifacts/ScriptedPredicate.json"
);

/// The response of a scripted predicate, in the order of the Solidity enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behavior {
    /// Returns `length` bytes that start with `value`.
    Return,
    /// Reverts with these bytes.
    Revert,
    /// Burns all gas in a loop.
    BurnGas,
    /// Executes the invalid opcode.
    InvalidOpcode,
    /// Writes storage, which a static call forbids.
    WriteStorage,
    /// Makes the same call to the caller and passes on the result.
    CallBack,
    /// Returns true if it received `value` gas, with a tolerance of 499 below, and false otherwise.
    CheckGas,
    /// Returns the lowest bit of the hash of its calldata.
    HashCalldata,
}

impl Behavior {
    /// All behaviors.
    pub const ALL: [Self; 8] = [
        Self::Return,
        Self::Revert,
        Self::BurnGas,
        Self::InvalidOpcode,
        Self::WriteStorage,
        Self::CallBack,
        Self::CheckGas,
        Self::HashCalldata,
    ];
}

/// The response of a scripted predicate to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Script {
    pub behavior: Behavior,
    pub length: u32,
    pub value: U256,
}

impl Script {
    /// Returns one word.
    #[must_use]
    pub fn returns(value: u64) -> Self {
        Self {
            behavior: Behavior::Return,
            length: 32,
            value: U256::from(value),
        }
    }

    /// The call that installs the script for a selector, or for an ERC-165 interface id.
    #[must_use]
    pub fn setter(self, key: FixedBytes<4>) -> ScriptedPredicate::setScriptCall {
        ScriptedPredicate::setScriptCall {
            key,
            script: ScriptedPredicate::Script {
                behavior: self.behavior as u8,
                length: self.length,
                value: self.value,
            },
        }
    }
}
