use atr_fetch::{AllowedHosts, Limits, SafeHttpClient};
use atr_loopback::{DnsResponse, DnsServer};

use super::url;

#[tokio::test]
async fn a_missing_name_is_permanent_and_a_dns_failure_is_retryable() {
    // H-07
    let dns = DnsServer::start();
    let client = SafeHttpClient::try_new(Limits::MANIFEST, AllowedHosts::default())
        .unwrap()
        .with_name_server(dns.address());
    dns.script("bare.example", [DnsResponse::addresses(&[])]);
    dns.script("down.example", [DnsResponse::ServFail]);
    for (name, code, is_retryable) in [
        ("gone.example", "no-address", false),
        ("bare.example", "no-address", false),
        ("down.example", "resolver", true),
    ] {
        let url = url(&format!("https://{name}"));
        let error = client.fetch_document(&url).await.unwrap_err();
        assert_eq!(
            (error.code(), error.is_retryable()),
            (code, is_retryable),
            "{name}"
        );
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[tokio::test]
async fn a_single_label_is_resolved_without_the_search_list() {
    let dns = DnsServer::start();
    let client = SafeHttpClient::try_new(Limits::MANIFEST, AllowedHosts::default())
        .unwrap()
        .with_name_server(dns.address());
    let error = client
        .fetch_document(&url("https://tools"))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "no-address");
    assert_eq!(
        dns.queries(),
        dns.a_queries("tools") + dns.aaaa_queries("tools")
    );
}

#[tokio::test]
async fn name_servers_are_those_of_the_zone_of_the_host() {
    // K-12
    let dns = DnsServer::start();
    let client = SafeHttpClient::try_new(Limits::MANIFEST, AllowedHosts::default())
        .unwrap()
        .with_name_server(dns.address());
    let servers = DnsResponse::NameServers(vec!["B.ns.example.net", "a.ns.example.net"]);
    dns.script("example.com", [servers]);
    dns.script("down.example.org", [DnsResponse::ServFail]);
    // The top-level domain has name servers too, but not those of the host's owner.
    dns.script("test", [DnsResponse::NameServers(vec!["tld.example"])]);
    let expected = vec![
        "a.ns.example.net.".to_owned(),
        "b.ns.example.net.".to_owned(),
    ];
    for (host, expected) in [
        ("example.com", Some(&expected)),
        ("a.tools.example.com", Some(&expected)),
        ("tools.test", None),
        ("test", None),
        ("localhost", None),
        ("127.0.0.1", None),
    ] {
        let found = client
            .name_servers(&url(&format!("https://{host}/x")))
            .await;
        assert_eq!(found.unwrap().as_ref(), expected, "{host}");
    }
    let error = client
        .name_servers(&url("https://down.example.org"))
        .await
        .unwrap_err();
    assert!(error.is_retryable(), "{error}");
}
