//! Changes the state and behavior of tokens, in the world and in the model.

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_harness::{
    PlainERC20, PlainERC721, PlainERC1155, PlainERC7496, PlainSubscription, Transaction,
    model::tokens::{TokenBehavior, TokenState},
};

use super::fixture::Fixture;

impl Fixture<'_> {
    /// Changes the behavior of a token.
    pub(crate) fn set_behavior(&mut self, token: Address, behavior: TokenBehavior) {
        self.behaviors.insert(token, behavior);
        self.lockstep.tokens().set_behavior(token, behavior);
        self.install_code(token, behavior);
    }

    fn install_code(&mut self, token: Address, behavior: TokenBehavior) {
        let tokens = &self.lockstep.model.environment.tokens;
        let state = tokens.state(token).expect("the account is a token");
        let code = self.actors.behaviors.code(state, behavior);
        let code = code.unwrap_or_else(|| self.actors.world.code(token));
        self.lockstep.world.set_code(token, code);
    }

    /// Calls a token with its honest code, then restores its behavior.
    fn call_honest(&mut self, from: Address, token: Address, call: &impl SolCall) {
        let behavior = self.behaviors.get(&token).copied().unwrap_or_default();
        self.install_code(token, TokenBehavior::Honest);
        let receipt = self
            .lockstep
            .world
            .send(&Transaction::call(from, token, call));
        assert!(receipt.succeeded(), "an honest token reverted: {receipt:?}");
        self.install_code(token, behavior);
    }

    fn state(&mut self, token: Address) -> &mut TokenState {
        self.lockstep.tokens().state_mut(token)
    }

    /// Sets an ERC-20 balance.
    pub(crate) fn set_balance(&mut self, erc20: Address, account: Address, amount: U256) {
        let TokenState::Balances(balances) = self.state(erc20) else {
            panic!("not an ERC-20 token")
        };
        let held = balances.insert(account, amount).unwrap_or_default();
        if amount > held {
            let amount = amount - held;
            self.call_honest(
                account,
                erc20,
                &PlainERC20::mintCall {
                    to: account,
                    amount,
                },
            );
        } else {
            let amount = held - amount;
            self.call_honest(
                account,
                erc20,
                &PlainERC20::burnCall {
                    from: account,
                    amount,
                },
            );
        }
    }

    /// Transfers ERC-20 tokens, limited to the balance.
    pub(crate) fn transfer(&mut self, erc20: Address, from: Address, to: Address, amount: U256) {
        let TokenState::Balances(balances) = self.state(erc20) else {
            panic!("not an ERC-20 token")
        };
        let held = balances.get(&from).copied().unwrap_or_default();
        let value = amount.min(held);
        balances.insert(from, held - value);
        *balances.entry(to).or_default() += value;
        self.call_honest(from, erc20, &PlainERC20::transferCall { to, value });
    }

    /// Sets an ERC-20 allowance, which must not count as a balance.
    pub(crate) fn approve(&mut self, erc20: Address, from: Address, to: Address, value: U256) {
        self.call_honest(from, erc20, &PlainERC20::approveCall { spender: to, value });
    }

    /// Mints, transfers or burns an ERC-721 token.
    pub(crate) fn set_owner(&mut self, collection: Address, id: U256, to: Option<Address>) {
        let (TokenState::Owners(owners) | TokenState::Traits(owners, _)) = self.state(collection)
        else {
            panic!("not an ERC-721 token")
        };
        let before = match to {
            Some(to) => owners.insert(id, to),
            None => owners.remove(&id),
        };
        match (before, to) {
            (None, None) => {}
            (None, Some(to)) => {
                self.call_honest(to, collection, &PlainERC721::mintCall { to, tokenId: id })
            }
            (Some(from), None) => {
                self.call_honest(from, collection, &PlainERC721::burnCall { tokenId: id });
            }
            (Some(from), Some(to)) => {
                let call = PlainERC721::transferFromCall {
                    from,
                    to,
                    tokenId: id,
                };
                self.call_honest(from, collection, &call);
            }
        }
    }

    /// Sets an ERC-1155 balance of an EOA.
    pub(crate) fn set_erc1155_balance(
        &mut self,
        erc1155: Address,
        account: Address,
        id: U256,
        amount: U256,
    ) {
        let TokenState::Erc1155Balances(holdings) = self.state(erc1155) else {
            panic!("not an ERC-1155 token")
        };
        let held = holdings.insert((account, id), amount).unwrap_or_default();
        if amount > held {
            let (to, amount) = (account, amount - held);
            self.call_honest(account, erc1155, &PlainERC1155::mintCall { to, id, amount });
        } else {
            let (from, amount) = (account, held - amount);
            self.call_honest(
                account,
                erc1155,
                &PlainERC1155::burnCall { from, id, amount },
            );
        }
    }

    /// Transfers ERC-1155 tokens, limited to the balances: a single transfer for one id, a batch for several.
    pub(crate) fn transfer_erc1155(
        &mut self,
        erc1155: Address,
        (from, to): (Address, Address),
        amounts: &[(U256, U256)],
    ) {
        let TokenState::Erc1155Balances(holdings) = self.state(erc1155) else {
            panic!("not an ERC-1155 token")
        };
        let (mut ids, mut values) = (Vec::new(), Vec::new());
        for (id, amount) in amounts {
            let held = holdings.get(&(from, *id)).copied().unwrap_or_default();
            let value = held.min(*amount);
            holdings.insert((from, *id), held - value);
            *holdings.entry((to, *id)).or_default() += value;
            ids.push(*id);
            values.push(value);
        }
        let data = Bytes::new();
        if let ([id], [value]) = (ids.as_slice(), values.as_slice()) {
            let call = PlainERC1155::safeTransferFromCall {
                from,
                to,
                id: *id,
                value: *value,
                data,
            };
            self.call_honest(from, erc1155, &call);
        } else {
            let call = PlainERC1155::safeBatchTransferFromCall {
                from,
                to,
                ids,
                values,
                data,
            };
            self.call_honest(from, erc1155, &call);
        }
    }

    /// Sets the subscription of an account; token 0 removes it.
    pub(crate) fn subscribe(
        &mut self,
        collection: Address,
        account: Address,
        token: U256,
        end: u64,
        tier: u8,
    ) {
        let TokenState::Subscriptions(passes, terms) = self.state(collection) else {
            panic!("not a subscription token")
        };
        passes.insert(account, token);
        terms.insert(token, (end, tier));
        let call = PlainSubscription::setCall {
            account,
            tokenId: token,
            end,
            tier,
        };
        self.call_honest(account, collection, &call);
    }

    /// An ERC-7496 token of an account.
    pub(crate) fn trait_token_of(&self, account: Address) -> Option<U256> {
        let tokens = &self.lockstep.model.environment.tokens;
        let Some(TokenState::Traits(owners, _)) = tokens.state(self.actors.erc7496) else {
            return None;
        };
        let mut all = owners.iter();
        all.find(|(_, owner)| **owner == account).map(|(id, _)| *id)
    }

    /// Sets a trait value.
    pub(crate) fn set_trait(&mut self, id: U256, key: B256, value: B256) {
        let erc7496 = self.actors.erc7496;
        let TokenState::Traits(_, values) = self.state(erc7496) else {
            panic!("not an ERC-7496 token")
        };
        values.insert((id, key), value);
        let call = PlainERC7496::setTraitCall {
            tokenId: id,
            traitKey: key,
            value,
        };
        self.call_honest(self.actors.creators[0], erc7496, &call);
    }
}
