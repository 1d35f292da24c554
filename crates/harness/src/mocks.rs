//! The mocks of the Solidity tests: real tokens, and contracts that misbehave as told.
#![expect(missing_docs, reason = "documented in contracts/test/mocks")]

use alloy_primitives::{FixedBytes, U256};
use alloy_sol_types::sol;

/// Each in a module of its own: they share names of structs and errors.
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

/// What a scripted predicate does when it is asked. In the order of the Solidity enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// `length` bytes that begin with `word`.
    Returns,
    /// The same, as a revert.
    Reverts,
    /// Burns all its gas in a loop.
    BurnsGas,
    /// Runs into the invalid opcode.
    IsInvalid,
    /// Writes a storage slot, which a static call forbids.
    Writes,
    /// Puts the question to whoever asks, and passes on the answer.
    AsksBack,
    /// Yes, if it was given `word` gas and no more.
    CountsGas,
    /// Yes or no, by the hash of the question's bytes.
    ReadsQuestion,
}

impl Manner {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Returns,
        Self::Reverts,
        Self::BurnsGas,
        Self::IsInvalid,
        Self::Writes,
        Self::AsksBack,
        Self::CountsGas,
        Self::ReadsQuestion,
    ];
}

/// The answer of a scripted predicate to one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Script {
    pub manner: Manner,
    pub length: u32,
    pub word: U256,
}

impl Script {
    /// Returns one word.
    #[must_use]
    pub fn returns(word: u64) -> Self {
        Self {
            manner: Manner::Returns,
            length: 32,
            word: U256::from(word),
        }
    }

    /// The call that has a scripted predicate answer `question` this way.
    #[must_use]
    pub fn set_for(self, question: FixedBytes<4>) -> ScriptedPredicate::setScriptCall {
        ScriptedPredicate::setScriptCall {
            key: question,
            script: ScriptedPredicate::Script {
                behavior: self.manner as u8,
                length: self.length,
                value: self.word,
            },
        }
    }
}
