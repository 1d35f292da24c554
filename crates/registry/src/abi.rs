//! Decoding of untrusted ABI-encoded bytes. Every offset and length is checked before use, and nothing is allocated before the
//! length is known to fit.

use std::fmt;

use alloy_primitives::{Address, B256, FixedBytes, U256};

/// Bytes of one ABI word.
const WORD: usize = 32;

/// ABI-encoded values. Offsets inside are relative to the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AbiSlice<'a>(&'a [u8]);

/// The bytes do not decode to the expected type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(&'static str);

impl Malformed {
    pub(crate) const NOT_UTF8: Self = Self("string is not UTF-8");
    pub(crate) const INVALID_LOGIC: Self = Self("logic is neither AND (0) nor OR (1)");
    const TRUNCATED: Self = Self("truncated data");
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl<'a> AbiSlice<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    const fn len(self) -> usize {
        self.0.len()
    }

    /// The word at an index counted in words. All indices below count words too.
    pub(crate) fn bytes32(self, index: usize) -> Result<B256, Malformed> {
        let start = index.checked_mul(WORD);
        let bytes = start.and_then(|start| self.0.get(start..)?.get(..WORD));
        bytes.map(B256::from_slice).ok_or(Malformed::TRUNCATED)
    }

    pub(crate) fn uint256(self, index: usize) -> Result<U256, Malformed> {
        self.bytes32(index).map(Into::into)
    }

    pub(crate) fn address(self, index: usize) -> Result<Address, Malformed> {
        let word = self.bytes32(index)?;
        if word[..12] != [0; 12] {
            return Err(Malformed("address exceeds 20 bytes"));
        }
        Ok(Address::from_word(word))
    }

    pub(crate) fn bool(self, index: usize) -> Result<bool, Malformed> {
        match self.uint8(index)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed("bool is neither 0 nor 1")),
        }
    }

    pub(crate) fn uint8(self, index: usize) -> Result<u8, Malformed> {
        let number = self.uint256(index)?;
        u8::try_from(number).map_err(|_| Malformed("uint8 exceeds 255"))
    }

    pub(crate) fn bytes4(self, index: usize) -> Result<FixedBytes<4>, Malformed> {
        let word = self.bytes32(index)?;
        if word[4..] != [0; 28] {
            return Err(Malformed("bytes4 exceeds 4 bytes"));
        }
        Ok(FixedBytes::from_slice(&word[..4]))
    }

    /// The dynamic value whose offset is at an index.
    pub(crate) fn dynamic(self, index: usize) -> Result<Self, Malformed> {
        let offset = self.usize(index)?;
        let tail = self.0.get(offset..);
        tail.map(Self).ok_or(Malformed("offset out of bounds"))
    }

    /// The bytes after this many words.
    pub(crate) fn skip(self, words: usize) -> Result<Self, Malformed> {
        let rest = words
            .checked_mul(WORD)
            .and_then(|start| self.0.get(start..));
        rest.map(Self).ok_or(Malformed::TRUNCATED)
    }

    /// The length of the array that starts here, at one word or more per entry. The data must be long enough for it.
    pub(crate) fn array_length(self) -> Result<usize, Malformed> {
        let length = self.usize(0)?;
        if length > self.skip(1)?.0.len() / WORD {
            return Err(Malformed("array length exceeds the data"));
        }
        Ok(length)
    }

    /// The `bytes` value that starts here.
    pub(crate) fn bytes(self) -> Result<&'a [u8], Malformed> {
        let length = self.usize(0)?;
        let content = self.skip(1)?.0.get(..length);
        content.ok_or(Malformed("bytes length exceeds the data"))
    }

    /// The `string` value that starts here.
    pub(crate) fn string(self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Malformed::NOT_UTF8)
    }

    /// Fails unless there are exactly this many words.
    pub(crate) fn expect_words(self, words: usize) -> Result<(), Malformed> {
        self.expect_length(words * WORD)
    }

    /// The dynamic value at an index, which must directly follow the head of `head_words`, as standard encoders place it.
    pub(crate) fn dynamic_after_head(
        self,
        index: usize,
        head_words: usize,
    ) -> Result<Self, Malformed> {
        let value = self.dynamic(index)?;
        value.expect_length(self.skip(head_words)?.len())?;
        Ok(value)
    }

    /// The `bytes` value at an index, which must directly follow the head and be the last value.
    pub(crate) fn last_bytes(self, index: usize, head_words: usize) -> Result<&'a [u8], Malformed> {
        let value = self.dynamic_after_head(index, head_words)?;
        let content = value.bytes()?;
        value.expect_length(encoded_bytes_size(content.len()))?;
        Ok(content)
    }

    fn expect_length(self, length: usize) -> Result<(), Malformed> {
        if self.len() == length {
            return Ok(());
        }
        Err(Malformed("unexpected length"))
    }

    fn usize(self, index: usize) -> Result<usize, Malformed> {
        let number = self.uint256(index)?;
        // A value that does not fit is out of bounds, like `usize::MAX`.
        Ok(usize::try_from(number).unwrap_or(usize::MAX))
    }
}

/// Encoded size of a `bytes` value of this length: the length word and the padded content.
const fn encoded_bytes_size(length: usize) -> usize {
    WORD + length.div_ceil(WORD) * WORD
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), index in any::<usize>()) {
            let slice = AbiSlice::new(&bytes);
            let _ = (slice.address(index), slice.bool(index), slice.bytes4(index), slice.uint8(index));
            let _ = (slice.skip(index).map(|rest| rest.len()), slice.array_length(), slice.string());
            let _ = slice.dynamic(index).map(|tail| (tail.array_length(), tail.bytes()));
        }
    }

    #[test]
    fn rejects_offsets_and_lengths_out_of_bounds() {
        let huge = [0xff; 64];
        assert!(AbiSlice::new(&huge).dynamic(0).is_err());
        assert!(AbiSlice::new(&huge).array_length().is_err());
        assert!(AbiSlice::new(&huge).bytes().is_err());
        let mut data = [0; 64];
        data[31] = 33;
        assert!(AbiSlice::new(&data).bytes().is_err());
        data[31] = 32;
        assert_eq!(AbiSlice::new(&data).bytes(), Ok(&[0; 32][..]));
        data[31] = 2;
        assert!(AbiSlice::new(&data).array_length().is_err());
    }

    #[test]
    fn bytes_are_padded_to_whole_words() {
        assert_eq!([0, 1, 32, 33].map(encoded_bytes_size), [32, 64, 64, 96]);
    }
}
