//! Decodes calldata with Solidity's own leniency and strictness.

use alloy_primitives::{Address, B256, FixedBytes, U256};
use alloy_sol_types::SolCall;

/// The arguments of a call, and its selector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<'a>(&'a [u8], [u8; 4]);

impl<'a> Arguments<'a> {
    /// Splits calldata; none if it is shorter than a selector.
    pub(crate) fn split(data: &'a [u8]) -> Option<([u8; 4], Self)> {
        let (selector, rest) = data.split_first_chunk::<4>()?;
        Some((*selector, Self(rest, *selector)))
    }

    /// The arguments of a call to this function; none for another selector.
    pub(crate) fn of<C: SolCall>(data: &'a [u8]) -> Option<Self> {
        let (selector, arguments) = Self::split(data)?;
        (selector == C::SELECTOR).then_some(arguments)
    }

    /// None if there are fewer than `count` words. Solidity ignores extra bytes.
    pub(crate) fn require_words(self, count: usize) -> Option<Self> {
        let bytes = count.checked_mul(32)?;
        (self.0.len() >= bytes).then_some(self)
    }

    /// Word `index`; none if it is incomplete.
    pub(crate) fn word(self, index: usize) -> Option<B256> {
        let bytes = self.0.get(32 * index..32 * (index + 1))?;
        Some(B256::from_slice(bytes))
    }

    pub(crate) fn number(self, index: usize) -> Option<U256> {
        Some(self.word(index)?.into())
    }

    /// A number of a smaller type; none if it does not fit.
    pub(crate) fn small<T: TryFrom<U256>>(self, index: usize) -> Option<T> {
        T::try_from(self.number(index)?).ok()
    }

    pub(crate) fn address(self, index: usize) -> Option<Address> {
        clean_address(self.word(index)?)
    }

    /// `bytes4`; none if the padding is not zero.
    pub(crate) fn bytes4(self, index: usize) -> Option<FixedBytes<4>> {
        let word = self.word(index)?;
        let is_clean = word[4..].iter().all(|byte| *byte == 0);
        is_clean.then(|| FixedBytes::from_slice(&word[..4]))
    }

    /// The `string` or `bytes` whose offset is word `index`. The data must be complete; the padding may be missing or non-zero.
    pub(crate) fn bytes(self, index: usize) -> Option<&'a [u8]> {
        let (start, length) = self.list_at(index)?;
        self.0.get(start..start.checked_add(length)?)
    }

    /// The list whose offset is word `index`, of elements of `each` words. Solidity validates the elements when it reads them.
    pub(crate) fn list(self, index: usize, each: usize) -> Option<Vec<B256>> {
        let (start, length) = self.list_at(index)?;
        let words = length.checked_mul(each)?;
        let rest = self.skip(start).require_words(words)?;
        (0..words).map(|index| rest.word(index)).collect()
    }

    /// The arguments without their first `start` bytes.
    pub(crate) fn skip(self, start: usize) -> Self {
        Self(&self.0[start..], self.1)
    }

    /// The start of a list's elements and its claimed length.
    fn list_at(self, index: usize) -> Option<(usize, usize)> {
        let offset = self.small::<usize>(index)?;
        let start = offset.checked_add(32)?;
        let length = U256::try_from_be_slice(self.0.get(offset..start)?)?;
        Some((start, length.try_into().ok()?))
    }
}

/// None if the upper 12 bytes are not zero.
pub(crate) fn clean_address(word: B256) -> Option<Address> {
    let is_clean = word[..12].iter().all(|byte| *byte == 0);
    is_clean.then(|| Address::from_word(word))
}

/// None unless the word is 0 or 1.
pub(crate) fn clean_bool(word: B256) -> Option<bool> {
    match u8::try_from(U256::from_be_bytes(word.0)) {
        Ok(0) => Some(false),
        Ok(1) => Some(true),
        _ => None,
    }
}

/* NESTED LISTS IN CALLDATA */

/// An element of `(address, uint256[])[]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Not yet validated.
    pub(crate) address: B256,
    pub(crate) numbers: Vec<U256>,
}

impl Arguments<'_> {
    /// The `(address, uint256[])[]` whose offset is word `index`; none for an element that Solidity rejects when it reads it.
    pub(crate) fn groups(self, index: usize) -> Option<Vec<Option<Group>>> {
        let (start, length) = self.list_at(index)?;
        self.skip(start).require_words(length)?;
        let group = |index| self.group(U256::from(start), U256::from(start + 32 * index));
        Some((0..length).map(group).collect())
    }

    fn group(self, base: U256, offset_at: U256) -> Option<Group> {
        let group = self.tail(base, offset_at, 64)?;
        let numbers = self.tail_list(group, group.wrapping_add(U256::from(32)), 1)?;
        Some(Group {
            address: self.load(group).into(),
            numbers: numbers.into_iter().map(Into::into).collect(),
        })
    }

    /// The list of lists whose offset is word `index`, of elements of `each` words; none for a list that Solidity rejects when it
    /// reads it.
    pub(crate) fn lists(self, index: usize, each: u64) -> Option<Vec<Option<Vec<B256>>>> {
        let (start, length) = self.list_at(index)?;
        self.skip(start).require_words(length)?;
        let list = |index| {
            let offset_at = U256::from(start + 32 * index);
            self.tail_list(U256::from(start), offset_at, each)
        };
        Some((0..length).map(list).collect())
    }

    /// The words of the list whose offset, relative to `base`, is at `offset_at`.
    fn tail_list(self, base: U256, offset_at: U256, each: u64) -> Option<Vec<B256>> {
        let list = self.tail(base, offset_at, 32)?;
        let words = u64::try_from(self.load(list)).ok()?.checked_mul(each)?;
        let first = list.wrapping_add(U256::from(32));
        let last_start = self.end().wrapping_sub(U256::from(words) * U256::from(32));
        if is_less(last_start, first) {
            return None;
        }
        let word = |index: u64| self.load(first.wrapping_add(U256::from(index) * U256::from(32)));
        Some((0..words).map(|index| word(index).into()).collect())
    }

    /// Resolves an offset. Solidity reads it as a signed number, so it may point backwards, and only checks that `needed` bytes
    /// follow before the end.
    fn tail(self, base: U256, offset_at: U256, needed: u64) -> Option<U256> {
        let offset = self.load(offset_at);
        let room = self.end().wrapping_sub(base);
        is_less(offset, room.wrapping_sub(U256::from(needed - 1)))
            .then(|| base.wrapping_add(offset))
    }

    /// `calldataload`: positions include the selector; bytes beyond the end are zero.
    fn load(self, at: U256) -> U256 {
        let Ok(at) = usize::try_from(at.wrapping_add(U256::from(4))) else {
            return U256::ZERO;
        };
        let mut word = [0; 32];
        let available = self.1.iter().chain(self.0).skip(at);
        for (byte, found) in word.iter_mut().zip(available) {
            *byte = *found;
        }
        U256::from_be_bytes(word)
    }

    fn end(self) -> U256 {
        U256::from(self.0.len())
    }
}

/// Signed comparison.
fn is_less(a: U256, b: U256) -> bool {
    a.wrapping_add(SIGN) < b.wrapping_add(SIGN)
}

const SIGN: U256 = U256::from_limbs([0, 0, 0, 1 << 63]);

#[cfg(test)]
mod tests;
