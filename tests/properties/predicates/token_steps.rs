//! Steps that change tokens.

use alloy_primitives::{B256, U256};

use super::{
    execute::TRAIT_KEY,
    fixture::Fixture,
    step::{Step, pick},
};

impl Fixture<'_> {
    /// Executes a step that changes a token.
    pub(crate) fn move_token(&mut self, step: &Step) {
        let actors = self.actors;
        let holder = |number: u8| pick(number, &actors.accounts()[..4]);
        match *step {
            Step::SetErc20Balance {
                token,
                account,
                amount,
            } => {
                let amount = U256::from(amount % 10);
                self.set_balance(pick(token, &actors.erc20s), holder(account), amount);
            }
            Step::TransferErc20 {
                token,
                from,
                to,
                amount,
            } => {
                let amount = U256::from(amount % 10);
                self.transfer(
                    pick(token, &actors.erc20s),
                    holder(from),
                    holder(to),
                    amount,
                );
            }
            Step::ApproveErc20 {
                token,
                from,
                to,
                amount,
            } => {
                let amount = U256::from(amount);
                self.approve(
                    pick(token, &actors.erc20s),
                    holder(from),
                    holder(to),
                    amount,
                );
            }
            Step::SetErc721Owner {
                collection,
                token,
                to,
            } => {
                let kind = [&actors.erc721s[..], &[actors.erc7496]].concat();
                let id = U256::from(token % 5);
                self.set_owner(pick(collection, &kind), id, to.map(holder));
            }
            Step::SetErc1155Balance {
                token,
                id,
                to,
                amount,
            } => {
                // Only EOAs: the smart account does not implement `onERC1155Received`.
                let to = pick(to, &actors.accounts()[..3]);
                let (id, amount) = (U256::from(id % 4), U256::from(amount % 3));
                self.set_erc1155_balance(pick(token, &actors.erc1155s), to, id, amount);
            }
            Step::TransferErc1155 {
                token,
                id,
                from,
                to,
                amount,
                two,
            } => {
                let eoa = |number: u8| pick(number, &actors.accounts()[..3]);
                let amount = U256::from(amount % 3);
                let ids = if two { 2 } else { 1 };
                let ids = (0..ids).map(|more| U256::from((id % 4 + more) % 4));
                let amounts: Vec<_> = ids.map(|id| (id, amount)).collect();
                let token = pick(token, &actors.erc1155s);
                self.transfer_erc1155(token, (eoa(from), eoa(to)), &amounts);
            }
            Step::Subscribe {
                collection,
                account,
                token,
                seconds_left,
                tier,
            } => {
                let end = self
                    .lockstep
                    .world
                    .time()
                    .saturating_add_signed(seconds_left.into());
                let (token, tier) = (U256::from(token % 4), tier % 4);
                self.subscribe(
                    pick(collection, &actors.subscriptions),
                    holder(account),
                    token,
                    end,
                    tier,
                );
            }
            Step::SetTraitValue { token, value } => {
                let value = B256::repeat_byte(value % 4);
                self.set_trait(U256::from(token % 5), TRAIT_KEY, value);
            }
            _ => unreachable!("not a token step"),
        }
    }
}
