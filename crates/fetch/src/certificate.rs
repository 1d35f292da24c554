//! Certificates of servers.

use rustls::pki_types::CertificateDer;
use x509_parser::parse_x509_certificate;

/// Longest distinguished name that is kept, in bytes.
const MAX_ISSUER_BYTES: usize = 512;

/// Parts of the certificate that a server presented, to notice a change (K-12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Distinguished name of the issuer. Untrusted text.
    pub issuer: String,
    /// Start of the validity in seconds since 1970; 0 if it is earlier.
    pub not_before: u64,
}

impl Certificate {
    /// `None` if the certificate cannot be parsed. TLS verified it before.
    pub(crate) fn parse(certificate: &CertificateDer<'_>) -> Option<Self> {
        let (_, parsed) = parse_x509_certificate(certificate).ok()?;
        let mut issuer = parsed.issuer().to_string();
        let end =
            (0..=MAX_ISSUER_BYTES.min(issuer.len())).rfind(|end| issuer.is_char_boundary(*end));
        issuer.truncate(end.unwrap_or_default());
        let not_before = parsed.validity().not_before.timestamp();
        Some(Self {
            issuer,
            not_before: not_before.try_into().unwrap_or_default(),
        })
    }
}
