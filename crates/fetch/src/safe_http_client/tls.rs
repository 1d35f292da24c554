//! TLS configuration and handshake.

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

/// The system's root certificates, and additional ones for allowed hosts. Loaded on first use.
#[derive(Debug, Default)]
pub(super) struct RootCertificates {
    additional: Vec<CertificateDer<'static>>,
    system: OnceLock<Arc<ClientConfig>>,
    allowed: OnceLock<Arc<ClientConfig>>,
}

impl RootCertificates {
    pub(super) fn try_new(pem: &[u8]) -> Result<Self, Error> {
        let roots: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let additional = roots.map_err(|_| Error::RootCertificates)?;
        if additional.is_empty() && !pem.is_empty() {
            return Err(Error::RootCertificates);
        }
        Ok(Self {
            additional,
            ..Self::default()
        })
    }

    /// Performs the handshake and verifies the certificate against the host.
    pub(super) async fn handshake(
        &self,
        target: &Target,
        stream: TcpStream,
        is_allowed: bool,
    ) -> Result<TlsStream<TcpStream>, Error> {
        let config = self.config(is_allowed)?;
        let name = ServerName::try_from(target.bare_host().to_owned());
        let name = name.map_err(|_| Error::Tls {
            host: target.to_string(),
            reason: "the host is not a valid TLS server name".to_owned(),
        })?;
        let connected = TlsConnector::from(config).connect(name, stream).await;
        connected.map_err(|error| convert_error(target, error))
    }

    fn config(&self, is_allowed: bool) -> Result<Arc<ClientConfig>, Error> {
        let (slot, roots) = if is_allowed {
            (&self.allowed, self.additional.as_slice())
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

fn config(additional: &[CertificateDer<'static>]) -> Result<ClientConfig, rustls::Error> {
    let provider: Arc<CryptoProvider> = ring::default_provider().into();
    let verifier = Verifier::new_with_extra_roots(additional.iter().cloned(), provider.clone())?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // No state is shared between connections.
    config.resumption = rustls::client::Resumption::disabled();
    Ok(config)
}

/// Converts an I/O error, which can wrap a TLS error.
pub(super) fn convert_error(target: &Target, error: io::Error) -> Error {
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
    use CertificateError as Cause;
    let known = match error {
        rustls::Error::InvalidCertificate(cause) => match cause {
            Cause::Expired | Cause::ExpiredContext { .. } => "the certificate has expired",
            Cause::NotValidYet | Cause::NotValidYetContext { .. } => {
                "the certificate is not valid yet"
            }
            Cause::NotValidForName | Cause::NotValidForNameContext { .. } => {
                "the certificate is for another host"
            }
            Cause::UnknownIssuer => "the certificate is not signed by a trusted authority",
            Cause::Revoked => "the certificate is revoked",
            _ => "the certificate is not valid",
        },
        rustls::Error::AlertReceived(AlertDescription::HandshakeFailure) => {
            "no common cipher suite or protocol version"
        }
        rustls::Error::InvalidMessage(_) => "the server does not use TLS",
        // The message of the library contains no request data.
        other => return other.to_string(),
    };
    known.to_owned()
}
