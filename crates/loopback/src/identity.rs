//! TLS identity of a server.

use std::{fmt, sync::Arc};

use rcgen::KeyPair;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer},
};

/// A certificate and its private key.
#[derive(Clone)]
pub struct Identity {
    config: Arc<ServerConfig>,
}

impl Identity {
    pub(crate) fn new(certificate: CertificateDer<'static>, key: &KeyPair) -> Self {
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        Self {
            config: Arc::new(config),
        }
    }

    pub(crate) fn config(&self) -> Arc<ServerConfig> {
        self.config.clone()
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").finish_non_exhaustive()
    }
}
