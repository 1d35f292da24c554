//! The example of the README is run as it is written.

use std::process::{Command, Output};

use atr_loopback::ACCOUNTS;
use serde_json::json;

use crate::gate::Tokens;

const README: &str = include_str!("../../../../README.md");

/// The host in the README.
const HOST: &str = "localhost:33615";

/// A command of the example and the lines that are shown of its output.
struct Step {
    command: String,
    lines: Vec<String>,
}

fn steps() -> Vec<Step> {
    let example = README.split("\n## Example\n").nth(1).unwrap();
    let block = example.split("```console\n").nth(1).unwrap();
    let block = block.split("```").next().unwrap();
    let mut steps: Vec<Step> = Vec::new();
    for line in block.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: command.to_owned(),
                lines: Vec::new(),
            });
        } else if !line.is_empty() {
            steps.last_mut().unwrap().lines.push(line.to_owned());
        }
    }
    steps
}

/// Whether a line is as in the README, where `…` stands for text that is left out.
fn matches(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    let mut is_complete = rest.is_empty();
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
        is_complete = rest.is_empty() || part.is_empty();
    }
    is_complete
}

fn run(tokens: &Tokens, command: &str) -> Output {
    let fixture = &tokens.fixture;
    let template = fixture.atr.command(&[]);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .current_dir(fixture.atr.path(""));
    shell.env_clear();
    for (name, value) in template.get_envs() {
        shell.env(name, value.unwrap());
    }
    let program = std::path::Path::new(template.get_program());
    let directory = program.parent().unwrap();
    let output = shell
        .env("PATH", format!("{}:/bin:/usr/bin", directory.display()))
        .env("ATR_ALLOW_HOST", fixture.host())
        .env("ATR_CA_FILE", "ca.pem")
        .output();
    output.unwrap()
}

#[test]
fn the_example_prints_what_the_readme_shows() {
    let tokens = Tokens::new();
    let fixture = &tokens.fixture;
    let mut manifest = fixture.manifest("NFT price oracle");
    manifest["endpoint"] = json!(format!("{}/nft-price-oracle", fixture.server.origin()));
    fixture.serve("nft-price-oracle", &manifest);
    let steps = steps();
    assert!(steps.len() >= 5, "the example has {} steps", steps.len());
    for step in steps {
        let command = step
            .command
            .replace(HOST, &fixture.host())
            .replace("0x6101…d788", &tokens.erc721.to_string())
            .replace("0x9a67…7508", &tokens.erc20.to_string())
            .replace("0x0b30…7016", &tokens.erc1155.to_string())
            .replace("0x3C44…93BC", ACCOUNTS[2]);
        assert!(!command.contains('…'), "{command}");
        let output = run(&tokens, &command);
        let stdout = String::from_utf8(output.stdout).unwrap();
        let stdout = stdout.replace(&fixture.host(), HOST);
        let mut lines = stdout.lines();
        for line in &step.lines {
            assert!(
                lines.any(|found| matches(line, found)),
                "{command}\nprints no line (in this order) as\n{line}\n{stdout}{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}

#[test]
fn omitted_text_matches_anything() {
    for (pattern, line, expected) in [
        (
            "mined  0x… in block …",
            "mined  0xab in block 7, 8 gas",
            true,
        ),
        ("fee … ETH", "fee 0.1 ETH", true),
        ("fee … ETH", "fee 0.1 ETH or more", false),
        ("name  a", "name  ab", false),
        ("name  a", "name  a", true),
    ] {
        assert_eq!(matches(pattern, line), expected, "{pattern}: {line}");
    }
}
