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
    demanding_predicate DemandingPredicate "artifacts/DemandingPredicate.json";
    dirty_word_token DirtyWordToken "artifacts/DirtyWordToken.json";
    erc165_non_predicate ERC165NonPredicate "artifacts/ERC165NonPredicate.json";
    gas_burning_token GasBurningToken "artifacts/GasBurningToken.json";
    half_hostile_token HalfHostileToken "artifacts/HalfHostileToken.json";
    invalid_opcode_token InvalidOpcodeToken "artifacts/InvalidOpcodeToken.json";
    megabyte_token MegabyteToken "artifacts/MegabyteToken.json";
    no_predicate NoPredicate "artifacts/NoPredicate.json";
    owned_wallet OwnedWallet "artifacts/OwnedWallet.json";
    plain_erc20 PlainERC20 "artifacts/PlainERC20.json";
    plain_erc721 PlainERC721 "artifacts/PlainERC721.json";
    plain_erc1155 PlainERC1155 "artifacts/PlainERC1155.json";
    plain_erc7496 PlainERC7496 "artifacts/PlainERC7496.json";
    plain_subscription PlainSubscription "artifacts/PlainSubscription.json";
    reciting_predicate RecitingPredicate "artifacts/RecitingPredicate.json";
    reciting_token RecitingToken "artifacts/RecitingToken.json";
    reverting_token RevertingToken "artifacts/RevertingToken.json";
    short_word_token ShortWordToken "artifacts/ShortWordToken.json";
    silent_token SilentToken "artifacts/SilentToken.json";
    two_word_token TwoWordToken "artifacts/TwoWordToken.json";
    writing_token WritingToken "artifacts/WritingToken.json";
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
            question,
            script: ScriptedPredicate::Script {
                manner: self.manner as u8,
                length: self.length,
                word: self.word,
            },
        }
    }
}
