//! Values of columns.

use alloy_primitives::{Address, B256, U256};
use serde::{Serialize, de::DeserializeOwned};
use sqlx::Row as _;

use super::DbRow;
use crate::{
    Error,
    index::{Block, RegistryKey, ToolKey},
};

/// Larger numbers than 2^63 do not occur.
pub(super) fn int(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn id_bytes(id: U256) -> [u8; 32] {
    id.to_be_bytes()
}

pub(super) fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|error| Error::Corrupt {
        detail: error.to_string(),
    })
}

/// Reads the columns of a row from left to right.
pub(super) struct Columns<'r> {
    row: &'r DbRow,
    next: usize,
}

impl<'r> Columns<'r> {
    pub(super) const fn new(row: &'r DbRow) -> Self {
        Self { row, next: 0 }
    }

    fn index(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    pub(super) fn int(&mut self) -> Result<i64, Error> {
        let index = self.index();
        Ok(self.row.try_get(index)?)
    }

    pub(super) fn optional_int(&mut self) -> Result<Option<i64>, Error> {
        let index = self.index();
        Ok(self.row.try_get(index)?)
    }

    pub(super) fn number(&mut self) -> Result<u64, Error> {
        Ok(self.int()?.try_into().unwrap_or_default())
    }

    pub(super) fn optional_number(&mut self) -> Result<Option<u64>, Error> {
        let value = self.optional_int()?;
        Ok(value.map(|value| value.try_into().unwrap_or_default()))
    }

    pub(super) fn flag(&mut self) -> Result<bool, Error> {
        Ok(self.int()? != 0)
    }

    pub(super) fn code<T>(&mut self, decode: impl FnOnce(i64) -> Option<T>) -> Result<T, Error> {
        let value = self.int()?;
        decode(value).ok_or_else(|| corrupt(format!("unknown code {value}")))
    }

    pub(super) fn optional_code<T>(
        &mut self,
        decode: impl FnOnce(i64) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let value = self.optional_int()?;
        let known = |value| decode(value).ok_or_else(|| corrupt(format!("unknown code {value}")));
        value.map(known).transpose()
    }

    pub(super) fn bytes(&mut self) -> Result<&'r [u8], Error> {
        let index = self.index();
        Ok(self.row.try_get(index)?)
    }

    pub(super) fn optional_bytes(&mut self) -> Result<Option<&'r [u8]>, Error> {
        let index = self.index();
        Ok(self.row.try_get(index)?)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let bytes = self.bytes()?;
        to_array(bytes)
    }

    pub(super) fn optional_array<const N: usize>(&mut self) -> Result<Option<[u8; N]>, Error> {
        let bytes = self.optional_bytes()?;
        bytes.map(to_array).transpose()
    }

    pub(super) fn hash(&mut self) -> Result<B256, Error> {
        Ok(B256::new(self.array()?))
    }

    pub(super) fn optional_hash(&mut self) -> Result<Option<B256>, Error> {
        Ok(self.optional_array()?.map(B256::new))
    }

    pub(super) fn address(&mut self) -> Result<Address, Error> {
        Ok(Address::new(self.array()?))
    }

    pub(super) fn optional_address(&mut self) -> Result<Option<Address>, Error> {
        Ok(self.optional_array()?.map(Address::new))
    }

    pub(super) fn text(&mut self) -> Result<String, Error> {
        to_text(self.bytes()?)
    }

    pub(super) fn optional_text(&mut self) -> Result<Option<String>, Error> {
        self.optional_bytes()?.map(to_text).transpose()
    }

    pub(super) fn json<T: DeserializeOwned>(&mut self) -> Result<T, Error> {
        from_json(self.bytes()?)
    }

    pub(super) fn optional_json<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Error> {
        self.optional_bytes()?.map(from_json).transpose()
    }

    /// Number, hash, time.
    pub(super) fn block(&mut self) -> Result<Block, Error> {
        Ok(Block {
            number: self.number()?,
            hash: self.hash()?,
            time: self.number()?,
        })
    }

    /// Chain id, address, tool id.
    pub(super) fn tool_key(&mut self) -> Result<ToolKey, Error> {
        Ok(ToolKey {
            registry: RegistryKey {
                chain_id: self.number()?,
                address: self.address()?,
            },
            id: U256::from_be_bytes(self.array::<32>()?),
        })
    }
}

fn to_array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Error> {
    bytes
        .try_into()
        .map_err(|_| corrupt(format!("{} bytes instead of {N}", bytes.len())))
}

fn to_text(bytes: &[u8]) -> Result<String, Error> {
    String::from_utf8(bytes.to_vec()).map_err(|_| corrupt("text is not UTF-8".to_owned()))
}

fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(bytes).map_err(|error| corrupt(error.to_string()))
}

pub(super) const fn corrupt(detail: String) -> Error {
    Error::Corrupt { detail }
}
