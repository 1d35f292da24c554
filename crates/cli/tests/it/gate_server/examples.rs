use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use atr_loopback::ACCOUNTS;
use serde_json::json;

use super::fixture::{GateFixture, HOLDER};

/// A process that is killed when the value is dropped.
struct Example(Child);

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_example_servers_work_behind_a_gate() {
    let fixture = GateFixture::new();
    fixture.mint(HOLDER, 7);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gate/examples/servers");
    for (interpreter, file) in [("node", "server.mjs"), ("python3", "server.py")] {
        let mut server = Command::new(interpreter)
            .arg(folder.join(file))
            .arg("0")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = server.stdout.take().unwrap();
        let _server = Example(server);
        let mut url = String::new();
        BufReader::new(stdout).read_line(&mut url).unwrap();
        let args = fixture.args();
        let upstream = fixture.upstream_url();
        let args: Vec<_> = args
            .iter()
            .map(|arg| if *arg == upstream { url.trim() } else { arg })
            .collect();
        let gate = fixture.run(&args);
        // CGI and WSGI servers cannot tell this header from the real one.
        let reply = gate.call(HOLDER, &[("x_tool_caller", "forged")]);
        let greeting = format!("hello {}", ACCOUNTS[HOLDER]);
        let expected = json!({ "greeting": greeting, "agent": null, "paid": false, "input": {} });
        assert_eq!((reply.status, reply.json()), (200, expected), "{file}");
    }
}

#[test]
fn the_example_configuration_is_valid() {
    let text = include_str!("../../../../gate/examples/servers/gate.toml");
    let fixture = GateFixture::new();
    std::fs::write(fixture.chain.atr.path("gate.toml"), text).unwrap();
    std::fs::write(fixture.chain.atr.path("oracle.json"), "{}").unwrap();
    let output = fixture.chain.atr.output(&["gate", "--config", "gate.toml"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("/7: failed: not registered"), "{error}");
}
