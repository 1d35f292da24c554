use atr_fetch::{AllowedHosts, Limits, SafeHttpClient};
use atr_loopback::{DnsAnswer, NameServer};

use super::url;

#[tokio::test]
async fn a_name_that_does_not_exist_is_told_from_one_nobody_can_tell_of() {
    // H-07
    let names = NameServer::start();
    let door = SafeHttpClient::try_new(Limits::MANIFEST, AllowedHosts::default())
        .unwrap()
        .with_name_server(names.address());
    names.script("bare.example", [DnsAnswer::of(&[])]);
    names.script("down.example", [DnsAnswer::Failure]);
    for (name, code, is_retryable) in [
        ("gone.example", "no-address", false),
        ("bare.example", "no-address", false),
        ("down.example", "resolver", true),
    ] {
        let url = url(&format!("https://{name}"));
        let error = door.document(&url).await.unwrap_err();
        assert_eq!(
            (error.code(), error.is_retryable()),
            (code, is_retryable),
            "{name}"
        );
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[tokio::test]
async fn a_name_of_one_label_is_asked_about_as_it_is() {
    let names = NameServer::start();
    let door = SafeHttpClient::try_new(Limits::MANIFEST, AllowedHosts::default())
        .unwrap()
        .with_name_server(names.address());
    let error = door.document(&url("https://tools")).await.unwrap_err();
    assert_eq!(error.code(), "no-address");
    assert_eq!(
        names.questions(),
        names.questions_a("tools") + names.questions_aaaa("tools")
    );
}
