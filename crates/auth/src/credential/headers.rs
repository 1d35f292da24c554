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
    /// A payment header has precedence over `Authorization`. Schemes of `Authorization` that are not accepted are ignored: they
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
        let mut tokens = found.authorization.iter().filter_map(|value| {
            let token = |scheme| strip_scheme(value, scheme);
            let eip3009 = token("EIP-3009").filter(|_| accepted.eip3009);
            let siwe = token("SIWE").filter(|_| accepted.siwe);
            eip3009
                .map(|token| (true, token))
                .or_else(|| siwe.map(|token| (false, token)))
        });
        let Some((is_eip3009, token)) = tokens.next() else {
            return Ok(None);
        };
        if tokens.next().is_some() {
            return Err(CredentialError::RepeatedHeader {
                header: AUTHORIZATION,
            });
        }
        let credential = if is_eip3009 {
            PaymentCredential::decode_eip3009(token).map(Self::Payment)
        } else {
            SiweCredential::decode(token).map(Self::Siwe)
        };
        credential.map(Some).map_err(malformed(AUTHORIZATION))
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
}

/// The token after an authentication scheme. Schemes are compared without case (RFC 9110).
fn strip_scheme<'a>(value: &'a [u8], scheme: &str) -> Option<&'a [u8]> {
    let (start, rest) = value.split_at_checked(scheme.len())?;
    if !start.eq_ignore_ascii_case(scheme.as_bytes()) {
        return None;
    }
    match rest {
        [] => Some(rest),
        [b' ', token @ ..] => Some(token),
        _ => None,
    }
}
