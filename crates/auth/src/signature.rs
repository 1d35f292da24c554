//! ECDSA signatures over secp256k1.

use std::fmt;

use alloy_primitives::{Address, B256, U256, hex, uint};
use secp256k1::{
    Message, SECP256K1,
    ecdsa::{RecoverableSignature, RecoveryId},
};

use crate::SignatureError;

/// Half of the order of secp256k1. A larger `s` is the malleated twin of a signature.
const MAX_S: U256 = uint!(0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0_U256);

/// A signature of 65 bytes with a low `s` and a recovery id (T-48).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature {
    /// `r` and `s`.
    scalars: [u8; 64],
    is_odd: bool,
}

impl Signature {
    /// Reads `r`, `s` and `v`. `v` is 27 or 28; 0 and 1 are normalized. A high `s` is rejected, not normalized.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SignatureError> {
        let [scalars @ .., v]: &[u8; 65] = bytes
            .try_into()
            .map_err(|_| SignatureError::Length { bytes: bytes.len() })?;
        let is_odd = match v {
            0 | 27 => false,
            1 | 28 => true,
            other => return Err(SignatureError::RecoveryId { found: *other }),
        };
        if U256::from_be_slice(&scalars[32..]) > MAX_S {
            return Err(SignatureError::HighS);
        }
        Ok(Self {
            scalars: *scalars,
            is_odd,
        })
    }

    /// `r`, `s`, and `v` as 27 or 28.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 65] {
        let mut bytes = [0; 65];
        bytes[..64].copy_from_slice(&self.scalars);
        bytes[64] = 27 + u8::from(self.is_odd);
        bytes
    }

    /// The account that signed a digest. Every valid pair of scalars recovers to some account: compare it.
    pub fn recover(&self, digest: B256) -> Result<Address, SignatureError> {
        let id = if self.is_odd {
            RecoveryId::One
        } else {
            RecoveryId::Zero
        };
        let signature = RecoverableSignature::from_compact(&self.scalars, id)
            .map_err(|_| SignatureError::Unrecoverable)?;
        let key = SECP256K1
            .recover_ecdsa(Message::from_digest(digest.0), &signature)
            .map_err(|_| SignatureError::Unrecoverable)?;
        Ok(Address::from_raw_public_key(
            &key.serialize_uncompressed()[1..],
        ))
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode_prefixed(self.to_bytes()))
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({self})")
    }
}
