use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use atr_loopback::{HostileServer, Request, Response};

use super::{
    fixture::{Reply, RunningGate},
    payment::{PRICE, PaidFixture, credential, post},
};
use crate::facilitator::Settle;

/// An upstream server that counts its requests. The request with this number is never answered, and reported.
fn server(silent: usize) -> (HostileServer, Arc<AtomicUsize>, mpsc::Receiver<()>) {
    let count = Arc::<AtomicUsize>::default();
    let (arrived, arrival) = mpsc::channel();
    let (counted, arrived) = (count.clone(), std::sync::Mutex::new(arrived));
    let server = HostileServer::over_tcp(move |connection| {
        if Request::read(connection).is_none() {
            return;
        }
        let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
        if number == silent {
            let _ = arrived.lock().unwrap().send(());
            loop {
                thread::park();
            }
        }
        let response = Response::new(200, format!(r#"{{"answer":{number}}}"#));
        let response = response.with_header("content-type", "application/json");
        let _ = response.write(connection);
        connection.close();
    });
    (server, count, arrival)
}

/// Sends a request in the background; the gate may die before it answers.
fn send(gate: &RunningGate, name: &str, value: &str) {
    let host = gate.url.trim_start_matches("http://").to_owned();
    let request = request(&host, name, value);
    let mut stream = TcpStream::connect(&host).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    thread::spawn(move || {
        let _ = stream.read_to_end(&mut Vec::new());
    });
}

fn request(host: &str, name: &str, value: &str) -> String {
    format!(
        "POST /paid HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n{name}: {value}\r\n\
         content-length: 2\r\n\r\n{{}}"
    )
}

/// Repeats a request until it is answered: for some seconds nobody knows that the first gate is dead.
fn repeat(gate: &RunningGate, (name, value): &(String, String)) -> Reply {
    let mut replies = (0..300).map(|_| {
        let reply = post(gate, &[(name, value)], "{}");
        if reply.status == 409 {
            thread::sleep(Duration::from_millis(100));
        }
        reply
    });
    let reply = replies.find(|reply| reply.status != 409);
    reply.expect("the payment is taken over")
}

#[test]
fn a_killed_gate_takes_no_money_twice_and_loses_no_answer() {
    let fixture = PaidFixture::new();
    let (upstream, calls, arrival) = server(1);
    let url = format!("http://{}", upstream.address());
    let store = ["--store", "payments.sqlite"];
    let gate = fixture.start(&url, &store);
    let (unsettled, settled) = (credential(&gate), credential(&gate));
    // Between verify and settle: the tool is working.
    send(&gate, &unsettled.0, &unsettled.1);
    arrival.recv().unwrap();
    // Between settle and answer: the money has moved, and the facilitator does not answer.
    fixture.facilitator.set_settle(Settle::Hang);
    send(&gate, &settled.0, &settled.1);
    while fixture.facilitator.held() == 0 {
        thread::yield_now();
    }
    gate.kill();
    assert_eq!(fixture.paid(), PRICE);
    assert_eq!(calls.load(Ordering::SeqCst), 2);

    fixture.facilitator.set_settle(Settle::Honest);
    let gate = fixture.start(&url, &store);
    let reply = repeat(&gate, &settled);
    assert_eq!(
        (reply.status, reply.json()["answer"].clone()),
        (200, 2.into())
    );
    assert!(reply.header("payment-response").is_some(), "{reply:?}");
    assert_eq!(calls.load(Ordering::SeqCst), 2, "the answer was stored");
    let reply = repeat(&gate, &unsettled);
    assert_eq!(
        (reply.status, reply.json()["answer"].clone()),
        (200, 3.into())
    );
    assert_eq!(fixture.paid(), 2 * PRICE);
}

#[test]
fn a_thousand_replays_reach_the_tool_once_and_are_paid_once() {
    let fixture = PaidFixture::new();
    let (upstream, calls, _) = server(0);
    let gate = fixture.start(&format!("http://{}", upstream.address()), &["--ephemeral"]);
    let (name, value) = credential(&gate);
    let host = gate.url.trim_start_matches("http://");
    let request = request(host, &name, &value);
    // Fewer connections than a process may have open files by default. The log is not read: replays must not fill it.
    for _ in 0..4 {
        let connect = |_| TcpStream::connect(host).unwrap();
        let mut streams: Vec<_> = (0..250).map(connect).collect();
        for stream in &mut streams {
            stream.write_all(request.as_bytes()).unwrap();
        }
        for mut stream in streams {
            let mut reply = String::new();
            stream.read_to_string(&mut reply).unwrap();
            let is_answer = reply.starts_with("HTTP/1.1 200") && reply.ends_with(r#"{"answer":1}"#);
            assert!(is_answer || reply.starts_with("HTTP/1.1 409"), "{reply}");
        }
    }
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    assert_eq!(fixture.paid(), PRICE);
}

#[test]
fn a_tool_that_dies_while_it_answers_is_not_paid() {
    let fixture = PaidFixture::new();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n";
    for written in ["", "HTTP/1.1 200", head, &format!("{head}{{\"answer\":")] {
        let bytes = written.to_owned();
        let upstream = HostileServer::over_tcp(move |connection| {
            if Request::read(connection).is_some() {
                let _ = connection.write_all(bytes.as_bytes());
                connection.close();
            }
        });
        let gate = fixture.start(&format!("http://{}", upstream.address()), &["--ephemeral"]);
        let (name, value) = credential(&gate);
        let reply = post(&gate, &[(&name, &value)], "{}");
        assert_eq!(reply.status, 502, "{written:?}: {reply:?}");
        assert_eq!(fixture.paid(), 0, "{written:?}");
        assert_eq!(fixture.facilitator.count("settle"), 0);
    }
}
