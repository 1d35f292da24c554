use std::{fmt::Write, fs, path::Path};

use serde_json::Value;

const MEGABYTE: usize = 1_000_000;

pub(crate) struct Input {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn all() -> [Input; 4] {
    [
        Input {
            name: "manifest",
            bytes: manifest(),
        },
        Input {
            name: "schema",
            bytes: schema(),
        },
        Input {
            name: "nesting",
            bytes: nesting(),
        },
        Input {
            name: "random",
            bytes: random(),
        },
    ]
}

/// The ERC's paid example, indented: 1.1 KB.
fn manifest() -> Vec<u8> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/manifests.json");
    let vectors: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(Vec::new(), formatter);
    serde::Serialize::serialize(&vectors["erc"][1]["manifest"], &mut serializer).unwrap();
    serializer.into_inner()
}

/// A valid manifest with the largest input schema that the limits allow: 0.95 MB.
fn schema() -> Vec<u8> {
    let mut random = Random(1);
    let mut properties = String::new();
    for index in 0..1_000 {
        let words: Vec<_> = (0..45).map(|_| random.word()).collect();
        let choices: Vec<_> = (0..50).map(|_| format!("\"{}\"", random.word())).collect();
        let comma = if index == 0 { "" } else { ",\n      " };
        let _ = write!(
            properties,
            "{comma}\"{}_{index}\": {{\"type\": \"string\", \"description\": \"{}\", \"maxLength\": {}, \"enum\": [{}]}}",
            random.word(),
            words.join(" "),
            random.below(10_000),
            choices.join(", "),
        );
    }
    format!(
        r#"{{
  "type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1",
  "name": "large-schema",
  "description": "A tool with many parameters.",
  "endpoint": "https://tools.example.com/large-schema",
  "creatorAddress": "0xabcdefabcdef1234567890abcdefabcdef123456",
  "outputs": {{}},
  "inputs": {{"type": "object", "properties": {{
      {properties}
  }}}}
}}"#
    )
    .into_bytes()
}

/// Chains of 118 nested objects and arrays in an extension, 120 levels in total: 0.4 MB.
fn nesting() -> Vec<u8> {
    let chain = "{\"children\": [".repeat(59) + "1" + &"]}".repeat(59);
    format!(
        r#"{{"type": "https://ercs.ethereum.org/ERCS/erc-8257#tool-manifest-v1", "io.example.deep": [{}]}}"#,
        vec![chain; 400].join(",")
    )
    .into_bytes()
}

/// Values of every type with unordered names: 1 MB.
fn random() -> Vec<u8> {
    let mut random = Random(2);
    let mut text = String::from("{\"io.example.random\":[0");
    while text.len() < MEGABYTE {
        text.push(',');
        random.value(&mut text, 4);
    }
    text.push_str("]}");
    text.into_bytes()
}

/// Deterministic random numbers (xorshift*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 33) % limit
    }

    fn word(&mut self) -> String {
        let length = 3 + self.below(8);
        (0..length)
            .map(|_| char::from(b'a' + self.below(26) as u8))
            .collect()
    }

    fn value(&mut self, text: &mut String, depth: u64) {
        // Writing to a string cannot fail.
        let _ = match self.below(if depth == 0 { 6 } else { 10 }) {
            0 => write!(text, "null"),
            1 => write!(text, "{}", self.below(2) == 0),
            2 => write!(text, "{}", self.below(1_000_000)),
            3 => write!(text, "{}", self.next() as f64 / 3e12),
            4 => write!(text, "\"{}\"", self.word()),
            5 => write!(text, "\"{} \\\"é\\u20ac\\n{}\"", self.word(), self.word()),
            6 | 7 => {
                text.push('[');
                for index in 0..self.below(6) {
                    text.push_str(if index == 0 { "" } else { "," });
                    self.value(text, depth - 1);
                }
                write!(text, "]")
            }
            _ => {
                text.push('{');
                for index in 0..self.below(8) {
                    text.push_str(if index == 0 { "" } else { "," });
                    let _ = write!(text, "\"{}{index}\":", self.word());
                    self.value(text, depth - 1);
                }
                write!(text, "}}")
            }
        };
    }
}
