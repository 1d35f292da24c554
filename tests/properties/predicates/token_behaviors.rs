//! Code of tokens that are not honest.

use std::mem::{Discriminant, discriminant};

use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolConstructor;
use atr_harness::{
    DirtyBitsToken, ERC1271Wallet, EmptyReturnToken, GasBurner, InvalidOpcodeToken,
    OversizeReturnToken, PlainERC20, PlainERC721, PlainERC1155, PlainERC7496, PlainSubscription,
    ReturnBombToken, RevertingToken, SelectorOverrideToken, ShortReturnToken, StorageWritingToken,
    World,
    model::tokens::{DIRTY_BIT, TokenBehavior, TokenState},
};

/// The code of every behavior except `Honest`.
#[derive(Debug)]
pub(crate) struct TokenBehaviors {
    /// Independent of the token kind.
    common: Vec<(TokenBehavior, Bytes)>,
    /// By token kind: these use the honest code.
    by_kind: Vec<(Discriminant<TokenState>, TokenBehavior, Bytes)>,
}

impl TokenBehaviors {
    /// Deploys each once. `owner` owns the smart accounts.
    pub(crate) fn deploy(world: &mut World, owner: Address) -> Self {
        let mut deploy = |creation: Vec<u8>| {
            let at = world.deploy("token behavior", creation);
            (at, world.code(at))
        };
        let (reverting, reverting_code) = deploy(RevertingToken::BYTECODE.to_vec());
        let mut common = vec![
            (TokenBehavior::Reverts, reverting_code),
            (TokenBehavior::NoCode, Bytes::new()),
        ];
        let without_arguments = [
            (TokenBehavior::BurnsGas, &GasBurner::BYTECODE),
            (TokenBehavior::ShortReturn, &ShortReturnToken::BYTECODE),
            (TokenBehavior::EmptyReturn, &EmptyReturnToken::BYTECODE),
            (TokenBehavior::ReturnBomb, &ReturnBombToken::BYTECODE),
            (TokenBehavior::InvalidOpcode, &InvalidOpcodeToken::BYTECODE),
            (TokenBehavior::WritesStorage, &StorageWritingToken::BYTECODE),
        ];
        for (behavior, creation) in without_arguments {
            common.push((behavior, deploy(creation.to_vec()).1));
        }
        for behavior in TokenBehavior::ALL {
            if let Some([first, second]) = behavior.words() {
                let words = OversizeReturnToken::constructorCall {
                    first: U256::from(first),
                    second: U256::from(second),
                };
                let creation = [OversizeReturnToken::BYTECODE.to_vec(), words.abi_encode()];
                common.push((behavior, deploy(creation.concat()).1));
            }
        }

        let wallet = ERC1271Wallet::constructorCall { owner }.abi_encode();
        let wallet = [ERC1271Wallet::BYTECODE.to_vec(), wallet].concat();
        let kinds = [
            (
                TokenState::Balances([].into()),
                PlainERC20::BYTECODE.to_vec(),
            ),
            (
                TokenState::Owners([].into()),
                PlainERC721::BYTECODE.to_vec(),
            ),
            (
                TokenState::Traits([].into(), [].into()),
                PlainERC7496::BYTECODE.to_vec(),
            ),
            (
                TokenState::Erc1155Balances([].into()),
                PlainERC1155::BYTECODE.to_vec(),
            ),
            (
                TokenState::Subscriptions([].into(), [].into()),
                PlainSubscription::BYTECODE.to_vec(),
            ),
            (TokenState::Wallet(owner), wallet),
        ];
        let mut by_kind = Vec::new();
        for (state, creation) in kinds {
            let (honest, _) = deploy(creation);
            let dirty = DirtyBitsToken::constructorCall {
                implementation: honest,
                dirtyBits: DIRTY_BIT,
            };
            // The mock delegatecalls `overriding`, which needs its storage; it calls `base`.
            let first_call_only = SelectorOverrideToken::constructorCall {
                base: reverting,
                overriding: honest,
                selector: state.first_selector().into(),
            };
            let dirty = [DirtyBitsToken::BYTECODE.to_vec(), dirty.abi_encode()].concat();
            let first_call_only = [
                SelectorOverrideToken::BYTECODE.to_vec(),
                first_call_only.abi_encode(),
            ]
            .concat();
            let kind = discriminant(&state);
            by_kind.push((kind, TokenBehavior::DirtyBits, deploy(dirty).1));
            by_kind.push((
                kind,
                TokenBehavior::FirstCallOnly,
                deploy(first_call_only).1,
            ));
        }
        Self { common, by_kind }
    }

    /// The code of a behavior; none for `Honest`.
    pub(crate) fn code(&self, state: &TokenState, behavior: TokenBehavior) -> Option<Bytes> {
        let kind = discriminant(state);
        let common = self.common.iter().find(|known| known.0 == behavior);
        let of_kind = |known: &&(_, TokenBehavior, Bytes)| (known.0, known.1) == (kind, behavior);
        let own = self.by_kind.iter().find(of_kind);
        let common = common.map(|(_, code)| code.clone());
        common.or_else(|| own.map(|(_, _, code)| code.clone()))
    }
}
