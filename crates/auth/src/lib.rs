#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod access_proof;
mod authorization;
mod challenge;
mod credential;
mod error;
mod network;
mod offer;
mod signature;
mod token;
mod window;
mod wire;
pub mod x402;

pub use access_proof::{AccessProof, SignedAccessProof};
pub use authorization::{
    Authorization, SignedAuthorization, TransferWithAuthorization, UnsignedAuthorization,
};
pub use challenge::{Challenge, PaymentHeader, Requirement};
pub use credential::{
    AcceptedSchemes, AuthorizationFields, Credential, PaymentCredential, ReplayKey, SiweCredential,
    Source, Terms,
};
pub use error::{CredentialError, DecodeError, Rejection, SignatureError};
pub use network::{CHAINS, KnownChain, KnownToken, Network};
pub use offer::{ChallengeMode, ChallengeResponse, Offer, OfferError, Offers, audience_payee};
pub use signature::Signature;
pub use token::{AmountError, Token, Tokens};
pub use window::Window;
pub use wire::{Alphabet, Json, JsonObject, MAX_HEADER_BYTES, decode_base64, encode_base64};
