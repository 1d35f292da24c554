//! Whom to believe.

use std::{
    io,
    sync::{Arc, OnceLock},
};

use rustls::{
    AlertDescription, CertificateError, ClientConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use rustls_platform_verifier::Verifier;
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::target::Target;
use crate::Error;

/// Root certificates: the system's, and more for hosts that are excepted. Read when first needed.
#[derive(Debug, Default)]
pub(super) struct Trust {
    more_roots: Vec<CertificateDer<'static>>,
    system: OnceLock<Arc<ClientConfig>>,
    excepted: OnceLock<Arc<ClientConfig>>,
}

impl Trust {
    pub(super) fn try_new(pem: &[u8]) -> Result<Self, Error> {
        let roots: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let more_roots = roots.map_err(|_| Error::Roots)?;
        if more_roots.is_empty() && !pem.is_empty() {
            return Err(Error::Roots);
        }
        Ok(Self {
            more_roots,
            ..Self::default()
        })
    }

    /// Makes sure that who answers is the host.
    pub(super) async fn handshake(
        &self,
        target: &Target,
        stream: TcpStream,
        is_excepted: bool,
    ) -> Result<TlsStream<TcpStream>, Error> {
        let config = self.config(is_excepted)?;
        let name = ServerName::try_from(target.bare_host().to_owned());
        let name = name.map_err(|_| Error::Tls {
            host: target.to_string(),
            reason: "no certificate can be for that host".to_owned(),
        })?;
        let secure = TlsConnector::from(config).connect(name, stream).await;
        secure.map_err(|error| refused(target, error))
    }

    fn config(&self, is_excepted: bool) -> Result<Arc<ClientConfig>, Error> {
        let (slot, roots) = if is_excepted {
            (&self.excepted, self.more_roots.as_slice())
        } else {
            (&self.system, &[][..])
        };
        if let Some(config) = slot.get() {
            return Ok(config.clone());
        }
        let config = Arc::new(config(roots).map_err(|error| Error::Setup {
            source: error.into(),
        })?);
        Ok(slot.get_or_init(|| config).clone())
    }
}

fn config(more_roots: &[CertificateDer<'static>]) -> Result<ClientConfig, rustls::Error> {
    let provider: Arc<CryptoProvider> = ring::default_provider().into();
    let verifier = Verifier::new_with_extra_roots(more_roots.iter().cloned(), provider.clone())?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // Nothing is remembered from one connection to the next.
    config.resumption = rustls::client::Resumption::disabled();
    Ok(config)
}

/// An error of the line, or one of TLS inside it.
pub(super) fn refused(target: &Target, error: io::Error) -> Error {
    let host = target.to_string();
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    match inner {
        Some(error) => Error::Tls {
            host,
            reason: reason(error),
        },
        None => Error::Unreachable {
            host,
            source: error.into(),
        },
    }
}

fn reason(error: &rustls::Error) -> String {
    use CertificateError as Bad;
    let known = match error {
        rustls::Error::InvalidCertificate(bad) => match bad {
            Bad::Expired | Bad::ExpiredContext { .. } => "its certificate has expired",
            Bad::NotValidYet | Bad::NotValidYetContext { .. } => "its certificate is not valid yet",
            Bad::NotValidForName | Bad::NotValidForNameContext { .. } => {
                "its certificate is for another name"
            }
            Bad::UnknownIssuer => "its certificate is signed by nobody we trust",
            Bad::Revoked => "its certificate was revoked",
            _ => "its certificate is not valid",
        },
        rustls::Error::AlertReceived(AlertDescription::HandshakeFailure) => {
            "we have no way of encryption in common"
        }
        rustls::Error::InvalidMessage(_) => "it does not speak TLS",
        // The library's own words: they hold nothing of ours.
        other => return other.to_string(),
    };
    known.to_owned()
}
