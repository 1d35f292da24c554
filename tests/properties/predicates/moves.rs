//! Steps that move tokens.

use alloy_primitives::{B256, U256};

use super::{
    play::TRAIT_KEY,
    stage::Stage,
    step::{Step, pick},
};

impl Stage<'_> {
    /// Moves a token as the step says.
    pub(crate) fn move_token(&mut self, step: &Step) {
        let cast = self.cast;
        let holder = |number: u8| pick(number, &cast.accounts()[..4]);
        match *step {
            Step::Pay {
                coin,
                account,
                amount,
            } => {
                let amount = U256::from(amount % 10);
                self.set_balance(pick(coin, &cast.coins), holder(account), amount);
            }
            Step::Transfer {
                coin,
                from,
                to,
                amount,
            } => {
                let amount = U256::from(amount % 10);
                self.transfer(pick(coin, &cast.coins), holder(from), holder(to), amount);
            }
            Step::Approve {
                coin,
                from,
                to,
                amount,
            } => {
                let amount = U256::from(amount);
                self.approve(pick(coin, &cast.coins), holder(from), holder(to), amount);
            }
            Step::GiveCollectible {
                collection,
                token,
                to,
            } => {
                let kind = [&cast.collections[..], &[cast.relics]].concat();
                let id = U256::from(token % 5);
                self.set_owner(pick(collection, &kind), id, to.map(holder));
            }
            Step::GiveEdition {
                edition,
                token,
                to,
                amount,
            } => {
                // OpenZeppelin's token asks a contract whether it wants it, and the wallet does not answer.
                let to = pick(to, &cast.accounts()[..3]);
                let (id, amount) = (U256::from(token % 4), U256::from(amount % 3));
                self.set_edition(pick(edition, &cast.editions), to, id, amount);
            }
            Step::SendEdition {
                edition,
                token,
                from,
                to,
                amount,
                two,
            } => {
                let person = |number: u8| pick(number, &cast.accounts()[..3]);
                let amount = U256::from(amount % 3);
                let ids = if two { 2 } else { 1 };
                let ids = (0..ids).map(|more| U256::from((token % 4 + more) % 4));
                let amounts: Vec<_> = ids.map(|id| (id, amount)).collect();
                let edition = pick(edition, &cast.editions);
                self.send_edition(edition, (person(from), person(to)), &amounts);
            }
            Step::Subscribe {
                pass,
                account,
                token,
                seconds_left,
                tier,
            } => {
                let end = self
                    .twin
                    .world
                    .time()
                    .saturating_add_signed(seconds_left.into());
                let (token, tier) = (U256::from(token % 4), tier % 4);
                self.subscribe(pick(pass, &cast.passes), holder(account), token, end, tier);
            }
            Step::PaintRelic { token, value } => {
                let value = B256::repeat_byte(value % 4);
                self.set_trait(U256::from(token % 5), TRAIT_KEY, value);
            }
            _ => unreachable!("moves nothing"),
        }
    }
}
