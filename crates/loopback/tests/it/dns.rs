use std::{
    net::{Ipv4Addr, UdpSocket},
    time::Duration,
};

use atr_loopback::{DnsResponse, DnsServer};

const A: u8 = 1;
const AAAA: u8 = 28;

/// Response code, number of records and last bytes of the response for `tools.example`.
fn query(server: &DnsServer, record_type: u8) -> Option<(u8, u8, [u8; 4])> {
    query_within(Duration::from_secs(60), server, record_type)
}

fn query_within(wait: Duration, server: &DnsServer, record_type: u8) -> Option<(u8, u8, [u8; 4])> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.set_read_timeout(Some(wait)).unwrap();
    let head = [7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    let question = [
        b"\x05Tools\x07example\x00".as_slice(),
        &[0, record_type, 0, 1],
    ]
    .concat();
    let packet = [head.as_slice(), &question].concat();
    socket.send_to(&packet, server.address()).unwrap();
    let mut response = [0; 512];
    let length = socket.recv(&mut response).ok()?;
    assert_eq!(response[..2], [7, 7]);
    let last = response[length - 4..length].try_into().unwrap();
    Some((response[3] & 0xf, response[7], last))
}

#[test]
fn responses_follow_the_script_per_type_and_the_last_one_repeats() {
    let server = DnsServer::start();
    assert_eq!(query(&server, A).unwrap().0, 3);
    let server = DnsServer::start();
    server.script(
        "tools.example",
        [
            DnsResponse::addresses(&["8.8.8.8", "1.1.1.1", "::1"]),
            DnsResponse::addresses(&["127.0.0.1"]),
            DnsResponse::ServFail,
            DnsResponse::NoResponse,
        ],
    );
    assert_eq!(query(&server, A), Some((0, 2, [1, 1, 1, 1])));
    assert_eq!(query(&server, AAAA), Some((0, 1, [0, 0, 0, 1])));
    assert_eq!(query(&server, A), Some((0, 1, [127, 0, 0, 1])));
    assert_eq!(query(&server, A).unwrap().0, 2);
    for _ in 0..2 {
        let wait = Duration::from_millis(100);
        assert_eq!(query_within(wait, &server, A), None);
    }
    // The server may count a query after the client has given up.
    while server.queries() < 6 {
        std::thread::yield_now();
    }
    assert_eq!(server.a_queries("tools.example"), 5);
    assert_eq!(server.aaaa_queries("tools.example"), 1);
    assert_eq!(server.queries(), 6);
}
