//! The certificate of the local gate.

use std::{
    fs,
    path::{Path, PathBuf},
};

use atr_gate::server::TlsIdentity;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
};

use super::DevError;
use crate::error::Error;

pub(super) struct Certificates {
    /// File with the certificate of the authority, which callers must trust.
    pub(super) authority: PathBuf,
    /// For `localhost`.
    pub(super) identity: TlsIdentity,
}

/// Creates an authority whose key is forgotten, and a certificate for `localhost`.
pub(super) fn create(folder: &Path) -> eyre::Result<Certificates> {
    let (authority, certificate, key) =
        issue().map_err(|source| DevError::Certificate { source })?;
    let path = folder.join("ca.pem");
    fs::write(&path, authority).map_err(|source| Error::Write {
        path: path.clone(),
        source,
    })?;
    Ok(Certificates {
        authority: path,
        identity: TlsIdentity::from_pem(certificate.as_bytes(), key.as_bytes())?,
    })
}

/// Authority, certificate and private key in PEM.
fn issue() -> Result<(String, String, String), rcgen::Error> {
    let mut params = CertificateParams::default();
    let name = "atr dev authority";
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let params = CertificateParams::new(vec!["localhost".to_owned()])?;
    let certificate = params.signed_by(&key, &issuer)?;
    Ok((issuer.pem(), certificate.pem(), key.serialize_pem()))
}
