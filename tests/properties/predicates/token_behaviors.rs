//! Code of tokens that are not honest.

use std::mem::{Discriminant, discriminant};

use alloy_primitives::{Address, Bytes, U256, hex};
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
    /// The honest contract of each token kind.
    honest: Vec<(Discriminant<TokenState>, Address)>,
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
        let (mut by_kind, mut all_honest) = (Vec::new(), Vec::new());
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
            all_honest.push((kind, honest));
            by_kind.push((kind, TokenBehavior::DirtyBits, deploy(dirty).1));
            by_kind.push((
                kind,
                TokenBehavior::FirstCallOnly,
                deploy(first_call_only).1,
            ));
        }
        Self {
            common,
            by_kind,
            honest: all_honest,
        }
    }

    /// The code of a behavior; none for `Honest`.
    pub(crate) fn code(&self, state: &TokenState, behavior: TokenBehavior) -> Option<Bytes> {
        let kind = discriminant(state);
        if let TokenBehavior::NeedsGas(gas) = behavior {
            let honest = self.honest.iter().find(|known| known.0 == kind);
            return honest.map(|(_, honest)| needs_gas(gas, *honest));
        }
        let common = self.common.iter().find(|known| known.0 == behavior);
        let of_kind = |known: &&(_, TokenBehavior, Bytes)| (known.0, known.1) == (kind, behavior);
        let own = self.by_kind.iter().find(of_kind);
        let common = common.map(|(_, code)| code.clone());
        common.or_else(|| own.map(|(_, _, code)| code.clone()))
    }
}

/// Code that delegatecalls a token if it received at least so much gas, and reverts without data otherwise.
fn needs_gas(gas: u32, token: Address) -> Bytes {
    // PUSH4, then GAS: both cost 5.
    let limit = (gas - 5).to_be_bytes();
    // PUSH4 limit, GAS, LT, PUSH1 end, JUMPI; CALLDATACOPY, DELEGATECALL, RETURNDATACOPY; RETURN or REVERT; end: REVERT.
    let before = hex!("5a10603757 365f5f37 5f5f365f73");
    let after = hex!("5af4 3d5f5f3e 603357 3d5ffd 5b3d5ff3 5b5f5ffd");
    [&[0x63], &limit[..], &before, token.as_slice(), &after]
        .concat()
        .into()
}
