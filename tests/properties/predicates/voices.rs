//! The code of tokens that do not tell what they know, or not all of it, or something else.

use std::mem::{Discriminant, discriminant};

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolConstructor;
use atr_harness::{
    DirtyBitsToken, ERC1271Wallet, EmptyReturnToken, GasBurner, InvalidOpcodeToken,
    OversizeReturnToken, PlainERC20, PlainERC721, PlainERC1155, PlainERC7496, PlainSubscription,
    ReturnBombToken, RevertingToken, SelectorOverrideToken, ShortReturnToken, StorageWritingToken,
    World,
    model::tokens::{DIRT, Knowledge, Voice},
};

/// The code of every voice but the honest one.
#[derive(Debug)]
pub(crate) struct Voices {
    /// The same for every token.
    alike: Vec<(Voice, Bytes)>,
    /// Another for each kind: it makes use of the honest code.
    by_kind: Vec<(Discriminant<Knowledge>, Voice, Bytes)>,
}

impl Voices {
    /// Deploys each once. The wallets are `owner`'s.
    pub(crate) fn record(world: &mut World, owner: Address) -> Self {
        let mut deploy = |creation: Vec<u8>| {
            let at = world.deploy("voice", creation);
            (at, world.code(at))
        };
        let (reverting, reverting_code) = deploy(RevertingToken::BYTECODE.to_vec());
        let mut alike = vec![
            (Voice::Reverts, reverting_code),
            (Voice::Gone, Bytes::new()),
        ];
        let without_words = [
            (Voice::BurnsGas, &GasBurner::BYTECODE),
            (Voice::ShortWord, &ShortReturnToken::BYTECODE),
            (Voice::Silent, &EmptyReturnToken::BYTECODE),
            (Voice::Megabyte, &ReturnBombToken::BYTECODE),
            (Voice::IsInvalid, &InvalidOpcodeToken::BYTECODE),
            (Voice::Writes, &StorageWritingToken::BYTECODE),
        ];
        for (voice, creation) in without_words {
            alike.push((voice, deploy(creation.to_vec()).1));
        }
        for voice in Voice::ALL {
            if let Some([first, second]) = voice.words() {
                let words = OversizeReturnToken::constructorCall {
                    first: U256::from(first),
                    second: U256::from(second),
                };
                let creation = [OversizeReturnToken::BYTECODE.to_vec(), words.abi_encode()];
                alike.push((voice, deploy(creation.concat()).1));
            }
        }

        let wallet = ERC1271Wallet::constructorCall { owner }.abi_encode();
        let wallet = [ERC1271Wallet::BYTECODE.to_vec(), wallet].concat();
        let kinds = [
            (
                Knowledge::Balances([].into()),
                PlainERC20::BYTECODE.to_vec(),
            ),
            (Knowledge::Owners([].into()), PlainERC721::BYTECODE.to_vec()),
            (
                Knowledge::Traits([].into(), [].into()),
                PlainERC7496::BYTECODE.to_vec(),
            ),
            (
                Knowledge::Holdings([].into()),
                PlainERC1155::BYTECODE.to_vec(),
            ),
            (
                Knowledge::Passes([].into(), [].into()),
                PlainSubscription::BYTECODE.to_vec(),
            ),
            (Knowledge::Wallet(owner), wallet),
        ];
        let mut by_kind = Vec::new();
        for (knowledge, creation) in kinds {
            let (honest, _) = deploy(creation);
            let dirty = DirtyBitsToken::constructorCall {
                implementation: honest,
                dirtyBits: DIRT,
            };
            // The mock delegatecalls `overriding`, which needs its storage; it calls `base`.
            let half = SelectorOverrideToken::constructorCall {
                base: reverting,
                overriding: honest,
                selector: knowledge.first_question().into(),
            };
            let dirty = [DirtyBitsToken::BYTECODE.to_vec(), dirty.abi_encode()].concat();
            let half = [SelectorOverrideToken::BYTECODE.to_vec(), half.abi_encode()].concat();
            let kind = discriminant(&knowledge);
            by_kind.push((kind, Voice::DirtyWord, deploy(dirty).1));
            by_kind.push((kind, Voice::FirstOnly, deploy(half).1));
        }
        Self { alike, by_kind }
    }

    /// The code of a token that knows this and speaks this way; the honest ones have their own.
    pub(crate) fn code(&self, knowledge: &Knowledge, voice: Voice) -> Option<Bytes> {
        let kind = discriminant(knowledge);
        let alike = self.alike.iter().find(|known| known.0 == voice);
        let of_kind = |known: &&(_, Voice, Bytes)| (known.0, known.1) == (kind, voice);
        let own = self.by_kind.iter().find(of_kind);
        let alike = alike.map(|(_, code)| code.clone());
        alike.or_else(|| own.map(|(_, _, code)| code.clone()))
    }
}
