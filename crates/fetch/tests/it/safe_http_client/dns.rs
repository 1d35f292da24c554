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
