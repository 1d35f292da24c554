use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, TcpStream},
    sync::Arc,
};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};

/// Sends a GET request and returns the raw response.
pub(crate) fn get(pem: &str, name: &str, port: u16, path: &str) -> io::Result<String> {
    let mut roots = RootCertStore::empty();
    let root = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    roots.add(root).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    let mut stream = StreamOwned::new(connection, stream);
    write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}
