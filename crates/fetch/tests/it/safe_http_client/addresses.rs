use std::net::Ipv4Addr;

use atr_fetch::{AllowedHosts, Error, Limits, SafeHttpClient};
use atr_loopback::{CertificateAuthority, DnsResponse, DnsServer, HttpsServer};

use super::{client_for, server_and_client, url};

fn client_without_allowed_hosts(dns: &DnsServer) -> SafeHttpClient {
    SafeHttpClient::try_new(Limits::MANIFEST, AllowedHosts::default())
        .unwrap()
        .with_name_server(dns.address())
}

#[tokio::test]
async fn rejects_every_name_of_loopback_without_dns() {
    // J-01, J-03
    let (server, _) = server_and_client();
    let dns = DnsServer::start();
    let port = server.address().port();
    for host in [
        "localhost",
        "tools.localhost",
        "127.0.0.1",
        "127.9.9.9",
        "[::1]",
    ] {
        let url = url(&format!("https://{host}:{port}/x"));
        let error = client_without_allowed_hosts(&dns)
            .fetch_document(&url)
            .await
            .unwrap_err();
        assert!(
            matches!(
                error,
                Error::ForbiddenAddress {
                    range: "loopback",
                    ..
                }
            ),
            "{error:?}"
        );
        let error = client_without_allowed_hosts(&dns)
            .post(&url, &[], Vec::new())
            .await
            .unwrap_err();
        assert_eq!(
            (error.code(), error.is_retryable()),
            ("forbidden-address", false)
        );
    }
    assert_eq!((dns.queries(), server.requests().len()), (0, 0));
}

#[tokio::test]
async fn literal_addresses_are_checked_like_resolved_ones() {
    // J-01, J-03
    let dns = DnsServer::start();
    for (host, range) in [
        ("10.0.0.1", "private (RFC 1918)"),
        ("172.16.0.1", "private (RFC 1918)"),
        ("192.168.1.1", "private (RFC 1918)"),
        ("100.64.0.1", "shared address space (RFC 6598)"),
        ("169.254.169.254", "cloud metadata service"),
        ("0.0.0.0", "this network"),
        ("[fd00::1]", "unique local (RFC 4193)"),
        ("[fe80::1]", "link-local"),
        ("[64:ff9b::7f00:1]", "IPv4 embedded in IPv6 (NAT64)"),
    ] {
        let url = url(&format!("https://{host}/x"));
        let text = client_without_allowed_hosts(&dns)
            .fetch_document(&url)
            .await
            .unwrap_err()
            .to_string();
        let bare = host.trim_matches(['[', ']']);
        assert_eq!(
            text,
            format!("{host} resolves to {bare}, which is not public: {range}")
        );
    }
}

#[tokio::test]
async fn rejects_names_that_resolve_to_private_addresses() {
    // J-01, J-03
    let dns = DnsServer::start();
    for (name, address) in [
        ("a.example", "127.0.0.1"),
        ("b.example", "10.1.2.3"),
        ("c.example", "169.254.169.254"),
        ("d.example", "::1"),
        ("e.example", "fd00:ec2::254"),
        ("f.example", "::ffff:127.0.0.1"),
        ("g.example", "100.100.100.200"),
        ("h.example", "2002:7f00:1::"),
    ] {
        dns.script(name, [DnsResponse::addresses(&[address])]);
        let url = url(&format!("https://{name}/x"));
        let error = client_without_allowed_hosts(&dns)
            .fetch_document(&url)
            .await
            .unwrap_err();
        assert_eq!(error.code(), "forbidden-address", "{name}");
        let error = client_without_allowed_hosts(&dns)
            .post(&url, &[], Vec::new())
            .await
            .unwrap_err();
        assert_eq!(error.code(), "forbidden-address", "{name}");
    }
}

#[tokio::test]
async fn an_allowed_host_is_one_host_and_one_port() {
    let (server, _) = server_and_client();
    server.put("/x", "{}");
    let port = server.address().port();
    let authority = CertificateAuthority::new();
    for (host, address) in [
        ("localhost", (Ipv4Addr::LOCALHOST, port ^ 1)),
        ("127.0.0.1", (Ipv4Addr::LOCALHOST, port)),
        ("a.localhost", (Ipv4Addr::LOCALHOST, port)),
    ] {
        let client = client_for(host, address.into(), &authority, Limits::MANIFEST);
        let url = url(&format!("{}/x", server.origin()));
        let error = client.fetch_document(&url).await.unwrap_err();
        assert_eq!(error.code(), "forbidden-address", "{host}");
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn connects_to_the_server_that_was_resolved() {
    // J-02
    let authority = CertificateAuthority::new();
    let identity = authority.issue(&["tools.example.com"]);
    let first = HttpsServer::start_at(([127, 0, 0, 2], 0).into(), &identity);
    let port = first.address().port();
    let second = HttpsServer::start_at(([127, 0, 0, 3], port).into(), &identity);
    let dns = DnsServer::start();
    dns.script(
        "tools.example.com",
        [
            DnsResponse::addresses(&["127.0.0.2"]),
            DnsResponse::addresses(&["127.0.0.3"]),
        ],
    );
    let client = client_for(
        "tools.example.com",
        first.address(),
        &authority,
        Limits::MANIFEST,
    )
    .with_name_server(dns.address());
    let url = url(&format!("https://tools.example.com:{port}/x"));
    for (lookups, requests) in [(1, (1, 0)), (2, (1, 1)), (3, (1, 2))] {
        let status = client.post(&url, &[], Vec::new()).await.unwrap().status;
        assert_eq!(status, 404);
        assert_eq!((first.count("/x"), second.count("/x")), requests);
        assert_eq!(dns.a_queries("tools.example.com"), lookups);
    }
}

#[tokio::test]
async fn tries_the_next_address_if_one_does_not_accept_connections() {
    let (authority, dns) = (CertificateAuthority::new(), DnsServer::start());
    let server = HttpsServer::start(&authority.issue(&["tools.example.com"]));
    server.put("/x", "{}");
    dns.script(
        "tools.example.com",
        [DnsResponse::addresses(&["127.0.0.9", "127.0.0.1"])],
    );
    let client = client_for(
        "tools.example.com",
        server.address(),
        &authority,
        Limits::MANIFEST,
    )
    .with_name_server(dns.address());
    let port = server.address().port();
    let url = url(&format!("https://tools.example.com:{port}/x"));
    assert_eq!(client.fetch_document(&url).await.unwrap(), b"{}");
    drop(server);
    let error = client.fetch_document(&url).await.unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), ("unreachable", true));
    assert_eq!(
        error.to_string(),
        format!("cannot connect to tools.example.com:{port}: connection refused")
    );
}
