//! Accounts with a private key.

use alloy_primitives::{Address, B256, keccak256, uint};
use k256::ecdsa::SigningKey;

/// A private key and its account.
#[derive(Clone, Debug)]
pub struct Signer {
    key: SigningKey,
    /// The account of the key.
    pub address: Address,
}

impl Signer {
    /// The key derived from a name.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        let key = SigningKey::from_slice(keccak256(name).as_slice()).expect("a hash is a key");
        let point = key.verifying_key().to_encoded_point(false);
        let address = Address::from_raw_public_key(&point.as_bytes()[1..]);
        Self { key, address }
    }

    /// Signs with low s: r, s, v.
    #[must_use]
    pub fn sign(&self, digest: B256) -> [u8; 65] {
        let (signature, id) = self
            .key
            .sign_prehash_recoverable(digest.as_slice())
            .expect("a hash can be signed");
        let mut bytes = [0; 65];
        bytes[..64].copy_from_slice(&signature.to_bytes());
        bytes[64] = 27 + id.to_byte();
        bytes
    }
}

/// The malleated signature: n − s and the other v. It recovers the same account.
#[must_use]
pub fn high_s(mut signature: [u8; 65]) -> [u8; 65] {
    let order = uint!(0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141_U256);
    let s = alloy_primitives::U256::from_be_slice(&signature[32..64]);
    signature[32..64].copy_from_slice(&(order - s).to_be_bytes::<32>());
    signature[64] = 27 + 28 - signature[64];
    signature
}
