//! Reads calldata as Solidity does: what it refuses, and what it lets pass.

use alloy_primitives::{Address, B256, FixedBytes, U256};
use alloy_sol_types::SolCall;

/// The arguments of a call, and the selector they stand behind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<'a>(&'a [u8], [u8; 4]);

impl<'a> Arguments<'a> {
    /// Selector and arguments; none if there is no whole selector.
    pub(crate) fn split(data: &'a [u8]) -> Option<([u8; 4], Self)> {
        let (selector, rest) = data.split_first_chunk::<4>()?;
        Some((*selector, Self(rest, *selector)))
    }

    /// The arguments of a call to this function; none if it is another's.
    pub(crate) fn of<C: SolCall>(data: &'a [u8]) -> Option<Self> {
        let (selector, arguments) = Self::split(data)?;
        (selector == C::SELECTOR).then_some(arguments)
    }

    /// Refuses fewer than `count` words. More are nobody's business.
    pub(crate) fn require_words(self, count: usize) -> Option<Self> {
        let bytes = count.checked_mul(32)?;
        (self.0.len() >= bytes).then_some(self)
    }

    /// Word `index`, if it is there to the last byte.
    pub(crate) fn word(self, index: usize) -> Option<B256> {
        let bytes = self.0.get(32 * index..32 * (index + 1))?;
        Some(B256::from_slice(bytes))
    }

    pub(crate) fn number(self, index: usize) -> Option<U256> {
        Some(self.word(index)?.into())
    }

    /// A number of a smaller type. Refuses one that the type does not hold.
    pub(crate) fn small<T: TryFrom<U256>>(self, index: usize) -> Option<T> {
        T::try_from(self.number(index)?).ok()
    }

    pub(crate) fn address(self, index: usize) -> Option<Address> {
        clean_address(self.word(index)?)
    }

    /// Refuses four bytes with anything behind them.
    pub(crate) fn bytes4(self, index: usize) -> Option<FixedBytes<4>> {
        let word = self.word(index)?;
        let is_clean = word[4..].iter().all(|byte| *byte == 0);
        is_clean.then(|| FixedBytes::from_slice(&word[..4]))
    }

    /// The string or bytes whose offset stands in word `index`: wherever it points, as long as all of it is there. The
    /// padding need not be, nor be zero.
    pub(crate) fn bytes(self, index: usize) -> Option<&'a [u8]> {
        let (start, length) = self.list_at(index)?;
        self.0.get(start..start.checked_add(length)?)
    }

    /// The list whose offset stands in word `index`, of elements of `each` words, wherever it points. Its words are read
    /// one by one later, and only then refused if they do not hold what they should.
    pub(crate) fn list(self, index: usize, each: usize) -> Option<Vec<B256>> {
        let (start, length) = self.list_at(index)?;
        let words = length.checked_mul(each)?;
        let rest = self.from(start).require_words(words)?;
        (0..words).map(|index| rest.word(index)).collect()
    }

    /// What begins so many bytes on.
    fn from(self, start: usize) -> Self {
        Self(&self.0[start..], self.1)
    }

    /// Where a list begins, behind its length, and how long it says it is.
    fn list_at(self, index: usize) -> Option<(usize, usize)> {
        let offset = self.small::<usize>(index)?;
        let start = offset.checked_add(32)?;
        let length = U256::try_from_be_slice(self.0.get(offset..start)?)?;
        Some((start, length.try_into().ok()?))
    }
}

/// Refuses an address with anything in front of it.
pub(crate) fn clean_address(word: B256) -> Option<Address> {
    let is_clean = word[..12].iter().all(|byte| *byte == 0);
    is_clean.then(|| Address::from_word(word))
}

/// Refuses all but 0 and 1.
pub(crate) fn clean_bool(word: B256) -> Option<bool> {
    match u8::try_from(U256::from_be_bytes(word.0)) {
        Ok(0) => Some(false),
        Ok(1) => Some(true),
        _ => None,
    }
}

/* LISTS OF LISTS IN PLACE */

/// An element of `(address, uint256[])[]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Any word: it is refused only when it is read.
    pub(crate) address: B256,
    pub(crate) numbers: Vec<U256>,
}

impl Arguments<'_> {
    /// The `(address, uint256[])[]` whose offset stands in word `index`; none in place of an element that Solidity refuses
    /// when it gets there.
    pub(crate) fn groups(self, index: usize) -> Option<Vec<Option<Group>>> {
        let (start, length) = self.list_at(index)?;
        self.from(start).require_words(length)?;
        let group = |index| self.group(U256::from(start), U256::from(start + 32 * index));
        Some((0..length).map(group).collect())
    }

    fn group(self, base: U256, offset_at: U256) -> Option<Group> {
        let group = self.tail(base, offset_at, 64)?;
        let list = self.tail(group, group.wrapping_add(U256::from(32)), 32)?;
        let length = u64::try_from(self.load(list)).ok()?;
        let first = list.wrapping_add(U256::from(32));
        let last_start = self.end().wrapping_sub(U256::from(length) * U256::from(32));
        if is_less(last_start, first) {
            return None;
        }
        let number = |index: u64| self.load(first.wrapping_add(U256::from(index) * U256::from(32)));
        Some(Group {
            address: self.load(group).into(),
            numbers: (0..length).map(number).collect(),
        })
    }

    /// Where an offset leads. Solidity takes it for a signed number, so it may lead back, and only makes sure that `needed`
    /// bytes stand there before the end.
    fn tail(self, base: U256, offset_at: U256, needed: u64) -> Option<U256> {
        let offset = self.load(offset_at);
        let room = self.end().wrapping_sub(base);
        is_less(offset, room.wrapping_sub(U256::from(needed - 1)))
            .then(|| base.wrapping_add(offset))
    }

    /// `calldataload`, which counts from the selector on and finds zeros beyond the end.
    fn load(self, at: U256) -> U256 {
        let Ok(at) = usize::try_from(at.wrapping_add(U256::from(4))) else {
            return U256::ZERO;
        };
        let mut word = [0; 32];
        let there = self.1.iter().chain(self.0).skip(at);
        for (byte, found) in word.iter_mut().zip(there) {
            *byte = *found;
        }
        U256::from_be_bytes(word)
    }

    fn end(self) -> U256 {
        U256::from(self.0.len())
    }
}

/// Of signed numbers.
fn is_less(a: U256, b: U256) -> bool {
    a.wrapping_add(SIGN) < b.wrapping_add(SIGN)
}

const SIGN: U256 = U256::from_limbs([0, 0, 0, 1 << 63]);

/* LISTS COPIED TO MEMORY */

/// Why a list cannot be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoCopy {
    /// It is not all there.
    Incomplete,
    /// It claims more memory than there can be: a panic of Solidity's.
    NoMemory,
}

impl<'a> Arguments<'a> {
    /// The `bytes[]` whose offset stands in word `index`. Offsets of its elements count from behind its length. Memory is
    /// set aside for what a length claims before anyone looks whether it is there.
    pub(crate) fn byte_strings(self, index: usize) -> Result<Vec<&'a [u8]>, NoCopy> {
        let (start, length) = self.start_of_copy(index)?;
        let length = set_aside(length, 32)?;
        let elements = self.from(start);
        elements.require_words(length).ok_or(NoCopy::Incomplete)?;
        let copy = |index| {
            let (start, length) = elements.start_of_copy(index)?;
            let end = start.checked_add(set_aside(length, 1)?);
            let found = end.and_then(|end| elements.0.get(start..end));
            found.ok_or(NoCopy::Incomplete)
        };
        (0..length).map(copy).collect()
    }

    fn start_of_copy(self, index: usize) -> Result<(usize, U256), NoCopy> {
        let offset = self.small::<u64>(index).ok_or(NoCopy::Incomplete)?;
        let start = usize::try_from(offset)
            .ok()
            .and_then(|offset| offset.checked_add(32))
            .ok_or(NoCopy::Incomplete)?;
        let length = self.0.get(start - 32..start).ok_or(NoCopy::Incomplete)?;
        Ok((start, U256::from_be_slice(length)))
    }
}

/// Memory ends at 2^64. What is in use already is little beside it.
fn set_aside(length: U256, bytes_each: u64) -> Result<usize, NoCopy> {
    let in_use = U256::from(0x100);
    let end = length
        .checked_mul(U256::from(bytes_each))
        .and_then(|size| size.checked_add(in_use));
    match end {
        Some(end) if end <= U256::from(u64::MAX) => Ok(length.to()),
        _ => Err(NoCopy::NoMemory),
    }
}

#[cfg(test)]
mod tests;
