use std::{
    net::{Ipv4Addr, UdpSocket},
    time::Duration,
};

use atr_loopback::{DnsAnswer, NameServer};

const A: u8 = 1;
const AAAA: u8 = 28;

/// Response code, number of records and the last bytes of the answer about `tools.example`.
fn ask(server: &NameServer, kind: u8) -> Option<(u8, u8, [u8; 4])> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let wait = Some(Duration::from_millis(300));
    socket.set_read_timeout(wait).unwrap();
    let head = [7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    let question = [b"\x05Tools\x07example\x00".as_slice(), &[0, kind, 0, 1]].concat();
    let packet = [head.as_slice(), &question].concat();
    socket.send_to(&packet, server.address()).unwrap();
    let mut answer = [0; 512];
    let length = socket.recv(&mut answer).ok()?;
    assert_eq!(answer[..2], [7, 7]);
    let last = answer[length - 4..length].try_into().unwrap();
    Some((answer[3] & 0xf, answer[7], last))
}

#[test]
fn answers_follow_the_script_by_type_and_the_last_one_stays() {
    let server = NameServer::start();
    assert_eq!(ask(&server, A).unwrap().0, 3);
    let server = NameServer::start();
    server.script(
        "tools.example",
        [
            DnsAnswer::of(&["8.8.8.8", "1.1.1.1", "::1"]),
            DnsAnswer::of(&["127.0.0.1"]),
            DnsAnswer::Failure,
            DnsAnswer::Silence,
        ],
    );
    assert_eq!(ask(&server, A), Some((0, 2, [1, 1, 1, 1])));
    assert_eq!(ask(&server, AAAA), Some((0, 1, [0, 0, 0, 1])));
    assert_eq!(ask(&server, A), Some((0, 1, [127, 0, 0, 1])));
    assert_eq!(ask(&server, A).unwrap().0, 2);
    assert_eq!((ask(&server, A), ask(&server, A)), (None, None));
    assert_eq!(server.questions_a("tools.example"), 5);
    assert_eq!(server.questions_aaaa("tools.example"), 1);
    assert_eq!(server.questions(), 6);
}
