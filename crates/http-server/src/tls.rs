//! TLS of the server.

use std::{fmt, sync::Arc};

use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

/// A certificate chain and its private key, loaded.
#[derive(Clone)]
pub struct TlsIdentity {
    pub(crate) config: Arc<ServerConfig>,
}

/// A certificate chain and private key cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// No certificate in PEM.
    #[error("no certificate in PEM")]
    Certificate,
    /// No private key in PEM.
    #[error("no private key in PEM")]
    Key,
    /// Certificate and key do not fit together.
    #[error("certificate and private key cannot be used")]
    Identity {
        /// The cause.
        #[from]
        source: rustls::Error,
    },
}

impl TlsIdentity {
    /// Loads a certificate chain, the server's certificate first, and its private key, both in PEM.
    ///
    /// # Errors
    ///
    /// If one of them cannot be parsed, or they do not fit together.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificates).collect();
        let chain = chain.map_err(|_| TlsError::Certificate)?;
        if chain.is_empty() {
            return Err(TlsError::Certificate);
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsError::Key)?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            config: Arc::new(config),
        })
    }
}

impl fmt::Debug for TlsIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsIdentity").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_text_without_a_certificate_or_key() {
        let result = TlsIdentity::from_pem(b"", b"");
        assert!(matches!(result, Err(TlsError::Certificate)));
        let key = b"-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n";
        assert!(matches!(
            TlsIdentity::from_pem(key, key),
            Err(TlsError::Certificate)
        ));
    }
}
