//! How nodes and providers refuse `eth_getLogs`.
//!
//! Neither codes nor messages are standardized, and the same code means different things at different providers: -32005 is a rate
//! limit at Infura and a limit of the range at the BNB chain. The message decides; the tests have the wording of each provider.

use alloy::{
    rpc::json_rpc::ErrorPayload,
    transports::{TransportError, TransportErrorKind},
};

/// Why a node refused a request, and what it would accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Too many blocks.
    Range {
        /// The maximum, if the node names it.
        max: Option<u64>,
    },
    /// Too many logs, a response that is too large, or a query that takes too long.
    Size {
        /// Last block of a range that would be accepted, if the node names it.
        end: Option<u64>,
    },
    /// The node does not have the block, because it is behind or the block was replaced.
    UnknownBlock,
    /// An error without a known meaning. A smaller range can help.
    Unrecognized,
}

/// Not about the size of the request: another size does not help.
const OTHER_LIMITS: [&str; 14] = [
    "rate limit",
    "rate-limit",
    "rate exceeded",
    "too many requests",
    "request limit",
    "requests per",
    "compute units",
    "credits",
    "quota",
    "daily request",
    "capacity",
    "archive",
    "unauthorized",
    "api key",
];

const UNKNOWN_BLOCK: [&str; 8] = [
    "beyond current head",
    "beyond latest executed block",
    "unknown block",
    "block not found",
    "header not found",
    "header for hash not found",
    "block could not be found",
    "resource not found",
];

const TOO_MANY_LOGS: [&str; 10] = [
    "returned more than",
    "exceeds max results",
    "too many results",
    "too many logs",
    "logs matched by query exceeds",
    "response size",
    "response too large",
    "query timeout",
    "timed out",
    "timeout exceeded",
];

const TOO_MANY_BLOCKS: [&str; 7] = [
    "range",
    "too many blocks",
    "blocks distance",
    "requested blocks",
    "limit the query to",
    "eth_getlogs is limited",
    "smaller than size",
];

/// Maximum length of a text that is searched.
const MAX_TEXT: usize = 1000;

impl Refusal {
    /// `None` if the error is not about the request: rate limits, authorization, unreachable nodes.
    pub(crate) fn of(error: &TransportError) -> Option<Self> {
        match error {
            TransportError::ErrorResp(payload) => Self::of_payload(payload),
            // A response that ends early.
            TransportError::DeserError { .. } => Some(Self::Size { end: None }),
            TransportError::Transport(TransportErrorKind::HttpError(http)) => match http.status {
                413 => Some(Self::Size { end: None }),
                401 | 403 | 429 | 500.. => None,
                _ => Self::of_text(&http.body).or(Some(Self::Unrecognized)),
            },
            TransportError::Transport(TransportErrorKind::Custom(source)) => {
                let source = source.downcast_ref();
                matches!(source, Some(atr_fetch::Error::TooLarge { .. }))
                    .then_some(Self::Size { end: None })
            }
            _ => None,
        }
    }

    /// As [`Self::of`], of a JSON-RPC error.
    pub(crate) fn of_payload(payload: &ErrorPayload) -> Option<Self> {
        /// The method does not exist.
        const METHOD_NOT_FOUND: i64 = -32601;
        /// "Limit exceeded" in EIP-1474.
        const LIMIT_EXCEEDED: i64 = -32005;
        let data = payload.data.as_ref().map_or("", |data| data.get());
        let has = |texts: &[&str]| {
            let message = lower_case(&payload.message);
            texts.iter().any(|text| message.contains(text))
        };
        if matches!(payload.code, METHOD_NOT_FOUND | 429) || has(&OTHER_LIMITS) {
            return None;
        }
        // Some nodes have a general message, and the reason in the data.
        let recognized = Self::of_text(&payload.message).or_else(|| Self::of_text(data));
        Some(recognized.unwrap_or(match payload.code {
            LIMIT_EXCEEDED => Self::Size { end: None },
            _ => Self::Unrecognized,
        }))
    }

    fn of_text(text: &str) -> Option<Self> {
        let text = lower_case(text);
        let has = |texts: &[&str]| texts.iter().any(|part| text.contains(part));
        if has(&UNKNOWN_BLOCK) {
            Some(Self::UnknownBlock)
        } else if has(&TOO_MANY_LOGS) {
            let end = suggested_end(&text);
            Some(Self::Size { end })
        } else if has(&TOO_MANY_BLOCKS) {
            let max = last_number(&text);
            Some(Self::Range { max })
        } else {
            None
        }
    }
}

fn lower_case(text: &str) -> String {
    text.chars()
        .take(MAX_TEXT)
        .collect::<String>()
        .to_lowercase()
}

/// The end of a range in the text: `[0x1, 0x2f]` or `range 1-47`.
fn suggested_end(text: &str) -> Option<u64> {
    let hexadecimal = || {
        let (_, end) = text.rsplit_once("0x")?;
        let digits = end.bytes().take_while(u8::is_ascii_hexdigit).count();
        text.contains("[0x")
            .then(|| u64::from_str_radix(&end[..digits], 16).ok())?
    };
    let decimal = || {
        let (_, range) = text.rsplit_once("range ")?;
        let (start, end) = range.split_once('-')?;
        start.trim().parse::<u64>().ok()?;
        let end = end.trim_start();
        let digits = end.bytes().take_while(u8::is_ascii_digit).count();
        end[..digits].parse().ok()
    };
    hexadecimal().or_else(decimal)
}

/// The last decimal number of a text: every provider that names its limit names it last. Understands `10,000` and `10k`.
fn last_number(text: &str) -> Option<u64> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == ',' || c == '_';
    let mut numbers = text.split(|c| !is_part(c)).filter_map(|word| {
        let word = word.trim_matches(',');
        let (digits, factor) = match word.strip_suffix('k') {
            Some(digits) => (digits, 1000),
            None => (word, 1),
        };
        let number: u64 = digits.replace([',', '_'], "").parse().ok()?;
        number.checked_mul(factor)
    });
    numbers.next_back().filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const fn range(max: u64) -> Option<Refusal> {
        Some(Refusal::Range { max: Some(max) })
    }

    const fn size(end: u64) -> Option<Refusal> {
        Some(Refusal::Size { end: Some(end) })
    }

    const RANGE: Option<Refusal> = Some(Refusal::Range { max: None });
    const SIZE: Option<Refusal> = Some(Refusal::Size { end: None });

    fn refusal(code: i64, message: &str, data: Value) -> Option<Refusal> {
        let mut error = json!({ "code": code, "message": message });
        if !data.is_null() {
            error["data"] = data;
        }
        // From text, as the transport does: a raw value keeps the bytes.
        let payload: ErrorPayload = serde_json::from_str(&error.to_string()).unwrap();
        Refusal::of_payload(&payload)
    }

    #[test]
    fn recognizes_the_block_limit_of_every_provider() {
        for (provider, code, message, expected) in [
            (
                "Alchemy",
                -32600,
                "You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x123c9b2, 0x123cba5]",
                range(500),
            ),
            (
                "Alchemy, free",
                -32600,
                "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1180fca, 0x1180fd3]. Upgrade to PAYG for expanded block range.",
                range(10),
            ),
            (
                "Infura",
                -32602,
                "range 1000000 exceeds limit of 10000",
                range(10_000),
            ),
            (
                "Infura",
                -32602,
                "range 25887126 - 25897127 exceeds limit of 10000",
                range(10_000),
            ),
            (
                "QuickNode",
                -32614,
                "eth_getLogs is limited to a 10,000 range",
                range(10_000),
            ),
            (
                "QuickNode, free",
                -32615,
                "eth_getLogs is limited to a 5 range",
                range(5),
            ),
            (
                "QuickNode",
                -32602,
                "eth_getLogs and eth_newFilter are limited to a 10,000 blocks range",
                range(10_000),
            ),
            ("Ankr", -32600, "block range is too wide", RANGE),
            (
                "Ankr, TAC",
                -32000,
                "maximum [from, to] blocks distance: 10000",
                range(10_000),
            ),
            (
                "dRPC",
                35,
                "ranges over 10000 blocks are not supported on free plan",
                range(10_000),
            ),
            (
                "PublicNode",
                -32701,
                "exceed maximum block range: 50000",
                range(50_000),
            ),
            (
                "geth",
                -32602,
                "exceed maximum block range: 5000",
                range(5000),
            ),
            (
                "geth, BNB chain",
                -32000,
                "exceed maximum block range: 5000",
                range(5000),
            ),
            (
                "reth",
                -32602,
                "query exceeds max block range 100000",
                range(100_000),
            ),
            (
                "erigon",
                -32602,
                "query block range exceeds server limit, narrow your filter: 1000",
                range(1000),
            ),
            (
                "erigon, Polygon",
                -32005,
                "block range too large, max range: 1000",
                range(1000),
            ),
            (
                "Cloudflare",
                -32047,
                "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800",
                range(800),
            ),
            ("Base", -32602, "block range too large", RANGE),
            ("Optimism", -32602, "Block range is too large", RANGE),
            (
                "1RPC",
                -32602,
                "eth_getLogs is limited to 0 - 50 blocks range",
                range(50),
            ),
            (
                "BlockPI",
                -32602,
                "eth_getLogs is limited to 1024 blocks",
                range(1024),
            ),
            (
                "Chainstack",
                -32602,
                "Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits#evm-range-limits",
                RANGE,
            ),
            (
                "Blast",
                -32602,
                "eth_getLogs block range exceeds the range allowed for your plan (5000 > 3000)",
                range(3000),
            ),
            (
                "thirdweb",
                -32005,
                "Maximum allowed number of requested blocks is 3500",
                range(3500),
            ),
            (
                "Coinbase",
                -32001,
                "please limit the query to at most 1000 blocks",
                range(1000),
            ),
            (
                "Avalanche",
                -32000,
                "requested too many blocks from 50331648 to 51380224, maximum is set to 2048",
                range(2048),
            ),
            (
                "Merkle",
                -32602,
                "eth_getLogs range is too large, max is 10k blocks",
                range(10_000),
            ),
            (
                "Moonbeam",
                -32603,
                "block range is too wide (maximum 1024)",
                range(1024),
            ),
            (
                "Harmony",
                -32000,
                "query must be smaller than size 1024",
                range(1024),
            ),
            (
                "Swell",
                -32602,
                "block range greater than 100 max",
                range(100),
            ),
            ("Somnia", -32602, "block range exceeds 1000", range(1000)),
            (
                "Scroll",
                -32000,
                "block range is bigger than maxBlockRange",
                RANGE,
            ),
            (
                "Morph",
                -32000,
                "block range is larger than max block range, block range = 5120, max block range = 5000",
                range(5000),
            ),
            (
                "LlamaRPC",
                -32602,
                "Block range too large: maximum allowed is 1000 blocks",
                range(1000),
            ),
        ] {
            let found = refusal(code, message, Value::Null);
            assert_eq!(found, expected, "{provider}: {message}");
        }
    }

    #[test]
    fn recognizes_the_result_limit_of_every_provider() {
        for (provider, code, message, expected) in [
            (
                "Alchemy",
                -32602,
                "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0xd043b8]",
                size(0xd0_43b8),
            ),
            (
                "Alchemy",
                -32000,
                "Query timeout exceeded. Consider reducing your block range. Based on your parameters and the response size limit, this block range should work: [0x5223c98, 0x5223e80]",
                size(0x522_3e80),
            ),
            (
                "Alchemy",
                -32008,
                "Response size is larger than 150MB limit.",
                SIZE,
            ),
            (
                "Infura",
                -32005,
                "query returned more than 10000 results. Try with this block range [0xBDE5F8, 0x102DBCC].",
                size(0x102_dbcc),
            ),
            (
                "Infura",
                -32005,
                "query returned more than 10000 results",
                SIZE,
            ),
            ("Infura", -32005, "query timeout exceeded", SIZE),
            (
                "zkSync, Abstract",
                -32602,
                "Query returned more than 10000 results. Try with this block range [0x100000, 0x1001b6].",
                size(0x10_01b6),
            ),
            (
                "reth",
                -32602,
                "query exceeds max results 20000, retry with the range 24383075-24383096",
                size(24_383_096),
            ),
            ("LlamaRPC", -32005, "query exceeds max results 20000", SIZE),
            (
                "erigon",
                -32602,
                "query returns too many logs, narrow your filter: 20000",
                SIZE,
            ),
            (
                "Nethermind",
                -32005,
                "Too many logs requested. Max logs per response is 20000.",
                SIZE,
            ),
            (
                "Nitro, Arbitrum",
                -32000,
                "logs matched by query exceeds limit of 10000",
                SIZE,
            ),
            ("Optimism", -32020, "backend response too large", SIZE),
            (
                "1RPC",
                -32602,
                "response size should not greater than 10000000 bytes",
                SIZE,
            ),
            (
                "PulseChain",
                -32000,
                "query returned more than allowed number of logs, try with smaller block range",
                SIZE,
            ),
            ("geth", -32002, "request timed out", SIZE),
            ("BNB chain", -32005, "limit exceeded", SIZE),
        ] {
            let found = refusal(code, message, Value::Null);
            assert_eq!(found, expected, "{provider}: {message}");
        }
    }

    #[test]
    fn reads_the_reason_from_the_data_of_a_general_error() {
        for (provider, data, expected) in [
            (
                "Nethermind, Gnosis",
                json!(
                    "Query returned more than 50000 results. Try with this block range [0x1000000, 0x1080000]."
                ),
                size(0x108_0000),
            ),
            (
                "Tenderly",
                json!({ "error_id": "4ed94073-0317", "payload": "range 9009594 is bigger than range limit 2000" }),
                range(2000),
            ),
            (
                "Ronin",
                json!(
                    "requested block range 16777217 exceeds the limit of 200; narrow your fromBlock/toBlock"
                ),
                range(200),
            ),
        ] {
            assert_eq!(
                refusal(-32602, "invalid params", data),
                expected,
                "{provider}"
            );
        }
        assert_eq!(
            refusal(-32602, "invalid params", Value::Null),
            Some(Refusal::Unrecognized)
        );
    }

    #[test]
    fn recognizes_nodes_that_do_not_have_the_block() {
        for (node, code, message) in [
            (
                "geth, reth",
                -32602,
                "block range extends beyond current head block",
            ),
            (
                "reth",
                -32000,
                "block range extends beyond current head block: requested 0x2000, head 0x1000",
            ),
            (
                "erigon",
                -32000,
                "requested block range [4096, 8192] is beyond latest executed block 4000 (node is still syncing)",
            ),
            ("geth, Infura", -32000, "unknown block"),
            ("EIP-234", -32000, "Block not found."),
            ("geth", -32000, "header not found"),
            ("geth", -32000, "header for hash not found"),
            ("Nethermind", -32001, "Block could not be found"),
            ("EIP-1474", -32001, "Resource not found"),
        ] {
            let found = refusal(code, message, Value::Null);
            assert_eq!(found, Some(Refusal::UnknownBlock), "{node}: {message}");
        }
    }

    #[test]
    fn a_smaller_range_does_not_help_against_other_errors() {
        for (provider, code, message) in [
            ("Infura", -32005, "exceeded project rate limit"),
            (
                "Infura",
                -32005,
                "daily request count exceeded, request rate limited",
            ),
            (
                "Alchemy",
                429,
                "Your app has exceeded its compute units per second capacity",
            ),
            ("QuickNode", -32007, "100/second request limit reached"),
            ("QuickNode", -32012, "credits limited to 6000/sec"),
            (
                "PublicNode",
                -32602,
                "Archive requests require a personal token",
            ),
            (
                "Ankr",
                -32000,
                "Unauthorized: You must authenticate your request with an API key",
            ),
            ("any", -32601, "the method eth_getLogs does not exist"),
        ] {
            assert_eq!(
                refusal(code, message, Value::Null),
                None,
                "{provider}: {message}"
            );
        }
    }

    #[test]
    fn classifies_errors_without_a_json_rpc_response() {
        let http = |status, body: &str| TransportErrorKind::http_error(status, body.to_owned());
        let fetch = TransportErrorKind::custom(atr_fetch::Error::TooLarge { limit: 1 });
        let timeout = TransportErrorKind::custom(atr_fetch::Error::TimedOut { seconds: 1 });
        let truncated = serde_json::from_str::<Value>("[").unwrap_err();
        for (error, expected) in [
            (http(413, ""), SIZE),
            (http(400, "block range is too wide"), RANGE),
            (http(400, "bad request"), Some(Refusal::Unrecognized)),
            (http(429, "block range"), None),
            (http(503, ""), None),
            (http(401, ""), None),
            (fetch, SIZE),
            (timeout, None),
            (TransportError::deser_err(truncated, "["), SIZE),
        ] {
            assert_eq!(Refusal::of(&error), expected, "{error}");
        }
    }

    #[test]
    fn reads_the_last_number_of_a_text() {
        for (text, number) in [
            ("10,000 range", Some(10_000)),
            ("max is 10k blocks", Some(10_000)),
            ("1 to 2, maximum 3.", Some(3)),
            ("[0x10, 0x20]", None),
            ("maximum 0", None),
            ("99999999999999999999999", None),
            ("99999999999999999999k", None),
            ("none", None),
        ] {
            assert_eq!(last_number(text), number, "{text}");
        }
    }

    #[test]
    fn reads_the_end_of_a_suggested_range() {
        for (text, end) in [
            ("[0x1, 0x2f]", Some(0x2f)),
            ("[0x1,0x2f].", Some(0x2f)),
            ("retry with the range 5-9", Some(9)),
            ("retry with the range 5 - 9.", Some(9)),
            ("range of 10-20", None),
            ("[from, to]", None),
            ("block 0x2f", None),
            ("[0x1, 0xfffffffffffffffffff]", None),
        ] {
            assert_eq!(suggested_end(text), end, "{text}");
        }
    }
}
