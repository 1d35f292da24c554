use std::net::Ipv4Addr;

use atr_fetch::{AllowedHosts, Error, Limits, SafeHttpClient};
use atr_loopback::{Authority, DnsAnswer, HttpsServer, NameServer};

use super::{door_to, honest, url};

fn strict(names: &NameServer) -> SafeHttpClient {
    SafeHttpClient::try_new(Limits::MANIFEST, AllowedHosts::default())
        .unwrap()
        .with_name_server(names.address())
}

#[tokio::test]
async fn loopback_is_refused_by_whatever_name_it_goes_and_nobody_is_asked_about_it() {
    // J-01, J-03
    let (server, _) = honest();
    let names = NameServer::start();
    let port = server.address().port();
    for host in [
        "localhost",
        "tools.localhost",
        "127.0.0.1",
        "127.9.9.9",
        "[::1]",
    ] {
        let url = url(&format!("https://{host}:{port}/x"));
        let error = strict(&names).document(&url).await.unwrap_err();
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
        let error = strict(&names)
            .post(&url, &[], Vec::new())
            .await
            .unwrap_err();
        assert_eq!(
            (error.code(), error.is_retryable()),
            ("forbidden-address", false)
        );
    }
    assert_eq!((names.questions(), server.requests().len()), (0, 0));
}

#[tokio::test]
async fn literal_addresses_are_judged_like_resolved_ones() {
    // J-01, J-03
    let names = NameServer::start();
    for (host, range) in [
        ("10.0.0.1", "private (RFC 1918)"),
        ("172.16.0.1", "private (RFC 1918)"),
        ("192.168.1.1", "private (RFC 1918)"),
        ("100.64.0.1", "shared by a provider (RFC 6598)"),
        ("169.254.169.254", "a cloud's metadata service"),
        ("0.0.0.0", "this network"),
        ("[fd00::1]", "unique local (RFC 4193)"),
        ("[fe80::1]", "link-local"),
        ("[64:ff9b::7f00:1]", "IPv4 wrapped in IPv6 (NAT64)"),
    ] {
        let url = url(&format!("https://{host}/x"));
        let text = strict(&names).document(&url).await.unwrap_err().to_string();
        let bare = host.trim_matches(['[', ']']);
        assert_eq!(
            text,
            format!("{host} leads to {bare}, which is {range}; only public addresses are asked")
        );
    }
}

#[tokio::test]
async fn names_that_lead_to_private_places_are_refused() {
    // J-01, J-03
    let names = NameServer::start();
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
        names.script(name, [DnsAnswer::of(&[address])]);
        let url = url(&format!("https://{name}/x"));
        let error = strict(&names).document(&url).await.unwrap_err();
        assert_eq!(error.code(), "forbidden-address", "{name}");
        let error = strict(&names)
            .post(&url, &[], Vec::new())
            .await
            .unwrap_err();
        assert_eq!(error.code(), "forbidden-address", "{name}");
    }
}

#[tokio::test]
async fn an_exception_is_for_one_host_and_one_port() {
    let (server, _) = honest();
    server.put("/x", "{}");
    let port = server.address().port();
    let authority = Authority::new();
    for (host, address) in [
        ("localhost", (Ipv4Addr::LOCALHOST, port ^ 1)),
        ("127.0.0.1", (Ipv4Addr::LOCALHOST, port)),
        ("a.localhost", (Ipv4Addr::LOCALHOST, port)),
    ] {
        let door = door_to(host, address.into(), &authority, Limits::MANIFEST);
        let url = url(&format!("{}/x", server.origin()));
        let error = door.document(&url).await.unwrap_err();
        assert_eq!(error.code(), "forbidden-address", "{host}");
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn of_two_servers_the_one_that_was_resolved_is_asked() {
    // J-02
    let authority = Authority::new();
    let identity = authority.issue(&["tools.example.com"]);
    let first = HttpsServer::start_at(([127, 0, 0, 2], 0).into(), &identity);
    let port = first.address().port();
    let second = HttpsServer::start_at(([127, 0, 0, 3], port).into(), &identity);
    let names = NameServer::start();
    names.script(
        "tools.example.com",
        [DnsAnswer::of(&["127.0.0.2"]), DnsAnswer::of(&["127.0.0.3"])],
    );
    let door = door_to(
        "tools.example.com",
        first.address(),
        &authority,
        Limits::MANIFEST,
    )
    .with_name_server(names.address());
    let url = url(&format!("https://tools.example.com:{port}/x"));
    for (nth, asked) in [(1, (1, 0)), (2, (1, 1)), (3, (1, 2))] {
        let status = door.post(&url, &[], Vec::new()).await.unwrap().status;
        assert_eq!(status, 404);
        assert_eq!((first.count("/x"), second.count("/x")), asked);
        assert_eq!(names.questions_a("tools.example.com"), nth);
    }
}

#[tokio::test]
async fn an_address_where_nobody_listens_is_not_the_end() {
    let (authority, names) = (Authority::new(), NameServer::start());
    let server = HttpsServer::start(&authority.issue(&["tools.example.com"]));
    server.put("/x", "{}");
    names.script(
        "tools.example.com",
        [DnsAnswer::of(&["127.0.0.9", "127.0.0.1"])],
    );
    let door = door_to(
        "tools.example.com",
        server.address(),
        &authority,
        Limits::MANIFEST,
    )
    .with_name_server(names.address());
    let port = server.address().port();
    let url = url(&format!("https://tools.example.com:{port}/x"));
    assert_eq!(door.document(&url).await.unwrap(), b"{}");
    drop(server);
    let error = door.document(&url).await.unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), ("unreachable", true));
    assert_eq!(
        error.to_string(),
        format!("cannot reach tools.example.com:{port}")
    );
}
