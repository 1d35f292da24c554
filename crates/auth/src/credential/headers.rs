//! Finding the credential among the headers of a request.

use super::{Credential, PaymentCredential, SiweCredential, malformed};
use crate::{
    CredentialError,
    x402::{Version, v1, v2},
};

const AUTHORIZATION: &str = "Authorization";

/// Which credentials of older clients are accepted. None by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AcceptedSchemes {
    /// `Authorization: EIP-3009`
    pub eip3009: bool,
    /// `Authorization: SIWE`
    pub siwe: bool,
}

impl Credential {
    /// Finds and decodes the credential of a request. `None` if there is none. Names are compared without case.
    ///
    /// Precedence: payment header, EIP-3009, SIWE. Schemes of `Authorization` that are not accepted are ignored: they
    /// may be meant for the server behind the gate.
    pub fn from_headers<'a>(
        headers: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        accepted: AcceptedSchemes,
    ) -> Result<Option<Self>, CredentialError> {
        let mut found = Found::default();
        for (name, value) in headers {
            found.add(name, value)?;
        }
        match (found.v1, found.v2) {
            (Some(_), Some(_)) => return Err(CredentialError::BothPaymentHeaders),
            (Some(value), None) => return payment(Version::V1, value),
            (None, Some(value)) => return payment(Version::V2, value),
            (None, None) => {}
        }
        if accepted.eip3009
            && let Some(token) = found.token("EIP-3009")?
        {
            let credential = PaymentCredential::decode_eip3009(token);
            let credential = credential.map_err(malformed(AUTHORIZATION))?;
            return Ok(Some(Self::Payment(credential)));
        }
        if accepted.siwe
            && let Some(token) = found.token("SIWE")?
        {
            let credential = SiweCredential::decode(token).map_err(malformed(AUTHORIZATION))?;
            return Ok(Some(Self::Siwe(credential)));
        }
        Ok(None)
    }
}

fn payment(version: Version, value: &[u8]) -> Result<Option<Credential>, CredentialError> {
    let credential = PaymentCredential::decode(version, value)?;
    Ok(Some(Credential::Payment(credential)))
}

#[derive(Default)]
struct Found<'a> {
    v1: Option<&'a [u8]>,
    v2: Option<&'a [u8]>,
    authorization: Vec<&'a [u8]>,
}

impl<'a> Found<'a> {
    fn add(&mut self, name: &str, value: &'a [u8]) -> Result<(), CredentialError> {
        let (slot, header) = if name.eq_ignore_ascii_case(v1::PAYMENT_HEADER) {
            (&mut self.v1, v1::PAYMENT_HEADER)
        } else if name.eq_ignore_ascii_case(v2::PAYMENT_HEADER) {
            (&mut self.v2, v2::PAYMENT_HEADER)
        } else {
            if name.eq_ignore_ascii_case(AUTHORIZATION) {
                self.authorization.push(value);
            }
            return Ok(());
        };
        match slot.replace(value) {
            None => Ok(()),
            Some(_) => Err(CredentialError::RepeatedHeader { header }),
        }
    }

    /// The token of an authentication scheme.
    fn token(&self, scheme: &str) -> Result<Option<&'a [u8]>, CredentialError> {
        let mut tokens = self
            .authorization
            .iter()
            .filter_map(|value| strip_scheme(value, scheme));
        match (tokens.next(), tokens.next()) {
            (token, None) => Ok(token),
            _ => Err(CredentialError::RepeatedHeader {
                header: AUTHORIZATION,
            }),
        }
    }
}

/// The token after an authentication scheme. Schemes are compared without case (RFC 9110).
fn strip_scheme<'a>(value: &'a [u8], scheme: &str) -> Option<&'a [u8]> {
    let (start, rest) = value.split_at_checked(scheme.len())?;
    if !start.eq_ignore_ascii_case(scheme.as_bytes()) {
        return None;
    }
    let token = rest.trim_ascii_start();
    (token.is_empty() || token.len() < rest.len()).then_some(token)
}
