//! Reading ABI-encoded bytes a stranger returned: every offset and length is checked before it is used, and nothing is
//! allocated on a stranger's word.

use std::fmt;

use alloy_primitives::{Address, B256, FixedBytes, U256};

/// Bytes of one ABI word.
const WORD: usize = 32;

/// Encoded values. Offsets in them count from their beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoded<'a>(&'a [u8]);

/// Bytes are not what they should encode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(&'static str);

impl Malformed {
    pub(crate) const NOT_TEXT: Self = Self("a text is not UTF-8");
    pub(crate) const NO_LOGIC: Self = Self("the logic is neither AND nor OR");
    pub(crate) const WRONG_SIZE: Self = Self("it has not the size it should have");
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl<'a> Encoded<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn size(self) -> usize {
        self.0.len()
    }

    /// The word at a place, counted in words.
    pub(crate) fn word(self, place: usize) -> Result<B256, Malformed> {
        let start = place.checked_mul(WORD);
        let bytes = start.and_then(|start| self.0.get(start..)?.get(..WORD));
        bytes
            .map(B256::from_slice)
            .ok_or(Malformed("it ends before a value does"))
    }

    pub(crate) fn number(self, place: usize) -> Result<U256, Malformed> {
        self.word(place).map(Into::into)
    }

    pub(crate) fn address(self, place: usize) -> Result<Address, Malformed> {
        let word = self.word(place)?;
        if word[..12] != [0; 12] {
            return Err(Malformed("an address has more than 20 bytes"));
        }
        Ok(Address::from_word(word))
    }

    pub(crate) fn flag(self, place: usize) -> Result<bool, Malformed> {
        match self.byte(place)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed("a bool is neither 0 nor 1")),
        }
    }

    pub(crate) fn byte(self, place: usize) -> Result<u8, Malformed> {
        let number = self.number(place)?;
        u8::try_from(number).map_err(|_| Malformed("a uint8 has more than one byte"))
    }

    pub(crate) fn selector(self, place: usize) -> Result<FixedBytes<4>, Malformed> {
        let word = self.word(place)?;
        if word[4..] != [0; 28] {
            return Err(Malformed("a bytes4 has more than 4 bytes"));
        }
        Ok(FixedBytes::from_slice(&word[..4]))
    }

    /// What the offset at a place leads to.
    pub(crate) fn tail(self, place: usize) -> Result<Self, Malformed> {
        let offset = self.index(place)?;
        let tail = self.0.get(offset..);
        tail.map(Self).ok_or(Malformed("an offset leads outside"))
    }

    /// What follows so many words.
    pub(crate) fn after(self, words: usize) -> Result<Self, Malformed> {
        let rest = words
            .checked_mul(WORD)
            .and_then(|start| self.0.get(start..));
        rest.map(Self)
            .ok_or(Malformed("it ends before a value does"))
    }

    /// Here stands a number of entries of one word each, then the entries. More than there is room for is a lie.
    pub(crate) fn count(self) -> Result<usize, Malformed> {
        let count = self.index(0)?;
        if count > self.after(1)?.0.len() / WORD {
            return Err(Malformed("a list is longer than what carries it"));
        }
        Ok(count)
    }

    /// Here stand a length and so many bytes.
    pub(crate) fn content(self) -> Result<&'a [u8], Malformed> {
        let length = self.index(0)?;
        let content = self.after(1)?.0.get(..length);
        content.ok_or(Malformed("a text is longer than what carries it"))
    }

    /// The same as text.
    pub(crate) fn text(self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.content()?).map_err(|_| Malformed::NOT_TEXT)
    }

    fn index(self, place: usize) -> Result<usize, Malformed> {
        let number = self.number(place)?;
        // What does not fit leads outside of any memory, so outside of this one.
        Ok(usize::try_from(number).unwrap_or(usize::MAX))
    }
}

/// How many bytes the ABI gives a text of this length, its length word included.
pub(crate) const fn padded(length: usize) -> usize {
    WORD + length.div_ceil(WORD) * WORD
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), place in any::<usize>()) {
            let encoded = Encoded::new(&bytes);
            let _ = (encoded.address(place), encoded.flag(place), encoded.selector(place), encoded.byte(place));
            let _ = (encoded.after(place).map(|rest| rest.size()), encoded.count(), encoded.text());
            let _ = encoded.tail(place).map(|tail| (tail.count(), tail.content()));
        }
    }

    #[test]
    fn an_offset_or_a_length_that_lies_is_refused() {
        let huge = [0xff; 64];
        assert!(Encoded::new(&huge).tail(0).is_err());
        assert!(Encoded::new(&huge).count().is_err());
        assert!(Encoded::new(&huge).content().is_err());
        let mut one = [0; 64];
        one[31] = 33;
        assert!(Encoded::new(&one).content().is_err());
        one[31] = 32;
        assert_eq!(Encoded::new(&one).content(), Ok(&[0; 32][..]));
        one[31] = 2;
        assert!(Encoded::new(&one).count().is_err());
    }

    #[test]
    fn a_text_is_padded_to_whole_words() {
        assert_eq!([0, 1, 32, 33].map(padded), [32, 64, 64, 96]);
    }
}
