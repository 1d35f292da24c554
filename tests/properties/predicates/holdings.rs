//! Tokens that move in the world and in the model alike, whatever way they speak.

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::SolCall;
use atr_harness::{
    PlainERC20, PlainERC721, PlainERC1155, PlainERC7496, PlainSubscription, Transaction,
    model::tokens::{Knowledge, Voice},
};

use super::stage::Stage;

impl Stage<'_> {
    /// Has a token speak another way.
    pub(crate) fn set_voice(&mut self, token: Address, voice: Voice) {
        self.voices.insert(token, voice);
        self.twin.tokens().set_voice(token, voice);
        self.put_code(token, voice);
    }

    fn put_code(&mut self, token: Address, voice: Voice) {
        let tokens = &self.twin.model.neighbours.tokens;
        let knowledge = tokens.knowledge(token).expect("a token");
        let code = self.cast.voices.code(knowledge, voice);
        let code = code.unwrap_or_else(|| self.cast.world.code(token));
        self.twin.world.set_code(token, code);
    }

    /// Makes a call to a token, whatever way it speaks.
    fn tell(&mut self, from: Address, token: Address, call: &impl SolCall) {
        let voice = self.voices.get(&token).copied().unwrap_or_default();
        self.put_code(token, Voice::Honest);
        let receipt = self.twin.world.send(&Transaction::call(from, token, call));
        assert!(receipt.succeeded(), "an honest token refused: {receipt:?}");
        self.put_code(token, voice);
    }

    fn knowledge(&mut self, token: Address) -> &mut Knowledge {
        self.twin.tokens().knowledge_mut(token)
    }

    /// Lets an account have exactly this many coins.
    pub(crate) fn set_balance(&mut self, coin: Address, account: Address, amount: U256) {
        let Knowledge::Balances(balances) = self.knowledge(coin) else {
            panic!("not a coin")
        };
        let held = balances.insert(account, amount).unwrap_or_default();
        if amount > held {
            let amount = amount - held;
            self.tell(
                account,
                coin,
                &PlainERC20::mintCall {
                    to: account,
                    amount,
                },
            );
        } else {
            let amount = held - amount;
            self.tell(
                account,
                coin,
                &PlainERC20::burnCall {
                    from: account,
                    amount,
                },
            );
        }
    }

    /// Moves coins, as many as there are.
    pub(crate) fn transfer(&mut self, coin: Address, from: Address, to: Address, amount: U256) {
        let Knowledge::Balances(balances) = self.knowledge(coin) else {
            panic!("not a coin")
        };
        let held = balances.get(&from).copied().unwrap_or_default();
        let value = amount.min(held);
        balances.insert(from, held - value);
        *balances.entry(to).or_default() += value;
        self.tell(from, coin, &PlainERC20::transferCall { to, value });
    }

    /// Allowing somebody to take coins is not holding them.
    pub(crate) fn approve(&mut self, coin: Address, from: Address, to: Address, value: U256) {
        self.tell(from, coin, &PlainERC20::approveCall { spender: to, value });
    }

    /// Gives a token of a collection to an account, from whoever has it, or burns it.
    pub(crate) fn set_owner(&mut self, collection: Address, id: U256, to: Option<Address>) {
        let (Knowledge::Owners(owners) | Knowledge::Traits(owners, _)) = self.knowledge(collection)
        else {
            panic!("not a collection")
        };
        let before = match to {
            Some(to) => owners.insert(id, to),
            None => owners.remove(&id),
        };
        match (before, to) {
            (None, None) => {}
            (None, Some(to)) => {
                self.tell(to, collection, &PlainERC721::mintCall { to, tokenId: id })
            }
            (Some(from), None) => {
                self.tell(from, collection, &PlainERC721::burnCall { tokenId: id });
            }
            (Some(from), Some(to)) => {
                let call = PlainERC721::transferFromCall {
                    from,
                    to,
                    tokenId: id,
                };
                self.tell(from, collection, &call);
            }
        }
    }

    /// Lets an account, not a contract, have exactly this many of an ERC-1155 token.
    pub(crate) fn set_edition(
        &mut self,
        edition: Address,
        account: Address,
        id: U256,
        amount: U256,
    ) {
        let Knowledge::Holdings(holdings) = self.knowledge(edition) else {
            panic!("not an edition")
        };
        let held = holdings.insert((account, id), amount).unwrap_or_default();
        if amount > held {
            let (to, amount) = (account, amount - held);
            self.tell(account, edition, &PlainERC1155::mintCall { to, id, amount });
        } else {
            let (from, amount) = (account, held - amount);
            self.tell(
                account,
                edition,
                &PlainERC1155::burnCall { from, id, amount },
            );
        }
    }

    /// Moves tokens of an edition between accounts, of each id as many as there are: one by one, or all at once.
    pub(crate) fn send_edition(
        &mut self,
        edition: Address,
        (from, to): (Address, Address),
        amounts: &[(U256, U256)],
    ) {
        let Knowledge::Holdings(holdings) = self.knowledge(edition) else {
            panic!("not an edition")
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
            self.tell(from, edition, &call);
        } else {
            let call = PlainERC1155::safeBatchTransferFromCall {
                from,
                to,
                ids,
                values,
                data,
            };
            self.tell(from, edition, &call);
        }
    }

    /// Hands out a subscription; token 0 takes it away.
    pub(crate) fn subscribe(
        &mut self,
        pass: Address,
        account: Address,
        token: U256,
        end: u64,
        tier: u8,
    ) {
        let Knowledge::Passes(passes, terms) = self.knowledge(pass) else {
            panic!("not a subscription")
        };
        passes.insert(account, token);
        terms.insert(token, (end, tier));
        let call = PlainSubscription::setCall {
            account,
            tokenId: token,
            end,
            tier,
        };
        self.tell(account, pass, &call);
    }

    /// A relic that an account has.
    pub(crate) fn relic_of(&self, account: Address) -> Option<U256> {
        let tokens = &self.twin.model.neighbours.tokens;
        let Some(Knowledge::Traits(owners, _)) = tokens.knowledge(self.cast.relics) else {
            return None;
        };
        let mut all = owners.iter();
        all.find(|(_, owner)| **owner == account).map(|(id, _)| *id)
    }

    /// Changes a trait of a relic.
    pub(crate) fn set_trait(&mut self, id: U256, key: B256, value: B256) {
        let relics = self.cast.relics;
        let Knowledge::Traits(_, values) = self.knowledge(relics) else {
            panic!("without traits")
        };
        values.insert((id, key), value);
        let call = PlainERC7496::setTraitCall {
            tokenId: id,
            traitKey: key,
            value,
        };
        self.tell(self.cast.creators[0], relics, &call);
    }
}
