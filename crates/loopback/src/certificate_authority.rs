//! Certificates for servers on loopback.

use std::{
    process,
    sync::atomic::{AtomicUsize, Ordering},
};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};

use crate::Identity;

/// A certificate authority. No client trusts it by default.
#[derive(Debug)]
pub struct CertificateAuthority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Default for CertificateAuthority {
    fn default() -> Self {
        Self::new()
    }
}

impl CertificateAuthority {
    /// Creates an authority with a new key.
    #[must_use]
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let mut params = CertificateParams::default();
        // Names are unique, so that verifiers report an unknown issuer instead of a bad signature.
        let index = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("atr loopback authority {}-{index}", process::id());
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap());
        Self {
            issuer: issuer.unwrap(),
        }
    }

    /// Certificate of the authority in PEM.
    #[must_use]
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Issues a certificate for host names and addresses, such as `localhost` or `127.0.0.1`.
    #[must_use]
    pub fn issue(&self, names: &[&str]) -> Identity {
        self.sign(&params(names))
    }

    /// Issues a certificate for a server that is not of this crate: certificate and private key in PEM.
    #[must_use]
    pub fn issue_pem(&self, names: &[&str]) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let certificate = params(names).signed_by(&key, &self.issuer).unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    /// Issues a certificate that expired in 2020.
    #[must_use]
    pub fn issue_expired(&self, names: &[&str]) -> Identity {
        let mut params = params(names);
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2020, 2, 1);
        self.sign(&params)
    }

    fn sign(&self, params: &CertificateParams) -> Identity {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Identity::new(certificate.der().clone(), &key)
    }
}

fn params(names: &[&str]) -> CertificateParams {
    let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    CertificateParams::new(names).unwrap()
}
