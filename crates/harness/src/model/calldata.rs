//! Reads calldata as Solidity does: what it refuses, and what it lets pass.

use alloy_primitives::{Address, B256, FixedBytes, U256};

/// The arguments of a call, behind its selector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<'a>(&'a [u8]);

impl<'a> Arguments<'a> {
    /// Selector and arguments; none if there is no whole selector.
    pub(crate) fn split(data: &'a [u8]) -> Option<([u8; 4], Self)> {
        let (selector, rest) = data.split_first_chunk::<4>()?;
        Some((*selector, Self(rest)))
    }

    /// Refuses fewer than `count` words. More are nobody's business.
    pub(crate) fn require_words(self, count: usize) -> Option<Self> {
        (self.0.len() >= 32 * count).then_some(self)
    }

    /// Word `index`; `require_words` has made sure of it.
    pub(crate) fn word(self, index: usize) -> Option<B256> {
        let bytes = self.0.get(32 * index..32 * (index + 1))?;
        Some(B256::from_slice(bytes))
    }

    pub(crate) fn number(self, index: usize) -> Option<U256> {
        Some(self.word(index)?.into())
    }

    /// Refuses an address with anything in front of it.
    pub(crate) fn address(self, index: usize) -> Option<Address> {
        let word = self.word(index)?;
        let is_clean = word[..12].iter().all(|byte| *byte == 0);
        is_clean.then(|| Address::from_word(word))
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
        let offset = usize::try_from(self.number(index)?).ok()?;
        let behind_length = offset.checked_add(32)?;
        let length = U256::try_from_be_slice(self.0.get(offset..behind_length)?)?;
        let end = behind_length.checked_add(usize::try_from(length).ok()?)?;
        self.0.get(behind_length..end)
    }
}

impl<'a> Arguments<'a> {
    /// The `bytes[]` whose offset stands in word `index`. Offsets of its elements count from behind its length.
    pub(crate) fn byte_strings(self, index: usize) -> Option<Vec<&'a [u8]>> {
        let offset = usize::try_from(self.number(index)?).ok()?;
        let behind_length = offset.checked_add(32)?;
        let length = U256::try_from_be_slice(self.0.get(offset..behind_length)?)?;
        let length = usize::try_from(length).ok()?;
        let elements = Self(&self.0[behind_length..]).require_words(length)?;
        (0..length).map(|index| elements.bytes(index)).collect()
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::hex;

    use super::*;

    fn words(words: &[&str]) -> Vec<u8> {
        words
            .iter()
            .flat_map(|word| hex::decode(format!("{word:0>64}")).unwrap())
            .collect()
    }

    #[test]
    fn a_string_may_stand_anywhere_but_must_be_there() {
        let data = words(&[
            "40",
            "ff",
            "2",
            "6162000000000000000000000000000000000000000000000000000000000000",
        ]);
        assert_eq!(Arguments(&data).bytes(0), Some(b"ab".as_slice()));
        assert_eq!(Arguments(&data[..98]).bytes(0), Some(b"ab".as_slice()));
        assert_eq!(Arguments(&data[..97]).bytes(0), None);
        assert_eq!(Arguments(&data).bytes(1), None);
        assert_eq!(Arguments(&words(&[&"f".repeat(64)])).bytes(0), None);
    }

    #[test]
    fn a_list_of_bytes_must_be_there_to_the_last_byte_but_not_padded() {
        let text = "6162000000000000000000000000000000000000000000000000000000000000";
        let data = words(&["20", "2", "40", "80", "2", text, "0"]);
        let listed = Some(vec![b"ab".as_slice(), b"".as_slice()]);
        assert_eq!(Arguments(&data).byte_strings(0), listed);
        assert_eq!(Arguments(&data[..223]).byte_strings(0), None);
        let alone = words(&["20", "1", "20", "2", text]);
        let listed = Some(vec![b"ab".as_slice()]);
        assert_eq!(Arguments(&alone[..130]).byte_strings(0), listed);
        assert_eq!(Arguments(&alone[..129]).byte_strings(0), None);
        assert_eq!(Arguments(&words(&["20", "ff"])).byte_strings(0), None);
    }

    #[test]
    fn an_address_must_be_clean() {
        let data = words(&["01", "010000000000000000000000000000000000000000"]);
        assert_eq!(
            Arguments(&data).address(0),
            Some(Address::with_last_byte(1))
        );
        assert_eq!(Arguments(&data).address(1), None);
    }
}
