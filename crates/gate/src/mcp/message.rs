//! JSON-RPC messages of MCP.

use atr_auth::{
    Alphabet, PaymentHeader, decode_base64, encode_base64,
    x402::{
        Version,
        mcp::{PAYMENT, RECEIPT},
    },
};
use atr_manifest::{Document, Kind, Value};
use bytes::Bytes;
use http::HeaderValue;
use serde_json::{Value as Json, json};

pub(super) const PARSE_ERROR: i32 = -32700;
pub(super) const INVALID_REQUEST: i32 = -32600;
pub(super) const INVALID_PARAMS: i32 = -32602;
pub(super) const INTERNAL_ERROR: i32 = -32603;

const CALL: &str = "tools/call";

/// Members of messages and of their `params`.
const NAMES: [&str; 9] = [
    "jsonrpc",
    "id",
    "method",
    "params",
    "result",
    "error",
    "name",
    "arguments",
    "_meta",
];

/// Id of a request: a string or a number.
pub(super) type Id = Json;

/// A message of a client.
#[derive(Debug)]
pub(super) enum Message {
    /// `tools/call`.
    Call(Box<Call>),
    /// Anything that every client may send.
    Other,
}

/// A call of a tool.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: Id,
    pub(super) name: String,
    /// As JSON; an empty object if the call has none.
    pub(super) arguments: Bytes,
    /// The payment as the header that carries it over HTTP.
    pub(super) payment: Option<PaymentHeader>,
    /// The message without the payment.
    pub(super) content: Bytes,
}

/// Not a message that can be passed on.
#[derive(Debug)]
pub(super) struct InvalidMessage {
    pub(super) code: i32,
    pub(super) message: String,
}

impl Message {
    /// Reads a message strictly: what the server calls must be what was checked here.
    pub(super) fn read(content: &Bytes) -> Result<Self, InvalidMessage> {
        let document = Document::parse(content.to_vec()).map_err(|error| InvalidMessage {
            code: PARSE_ERROR,
            message: format!("invalid JSON: {error}"),
        })?;
        let root = document.root();
        if root.kind() == Kind::Array {
            for element in root.elements() {
                check_names(element)?;
                if is_call(element) {
                    return Err(invalid("a tool cannot be called in a batch"));
                }
            }
            return Ok(Self::Other);
        }
        check_names(root)?;
        if !is_call(root) {
            return Ok(Self::Other);
        }
        let params = root
            .get("params")
            .ok_or_else(|| invalid("params are missing"))?;
        let name = params.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| invalid("the name of the tool is missing"))?;
        // Strictly parsed above: there are no duplicate names.
        let mut message: Json =
            serde_json::from_slice(content).map_err(|_| invalid("invalid JSON"))?;
        let id = message["id"].clone();
        if !id.is_string() && !id.is_number() {
            return Err(invalid("the id of the request is missing"));
        }
        let arguments = message["params"].get("arguments");
        let arguments = arguments.map_or_else(|| "{}".to_owned(), ToString::to_string);
        let payment = take_payment(&mut message["params"]);
        let content = match payment {
            Some(_) => message.to_string().into(),
            None => content.clone(),
        };
        Ok(Self::Call(Box::new(Call {
            id,
            name: name.to_owned(),
            arguments: arguments.into(),
            payment,
            content,
        })))
    }
}

fn is_call(message: Value<'_>) -> bool {
    message.get("method").and_then(Value::as_str) == Some(CALL)
}

/// Rejects a message that a server with a tolerant parser could read differently. Some parsers, such as Go's, ignore the case of
/// names, and the last one wins.
fn check_names(message: Value<'_>) -> Result<(), InvalidMessage> {
    if message.kind() != Kind::Object {
        return Err(invalid("a message is a JSON object"));
    }
    let params = message.get("params");
    let levels = [
        Some(message),
        params.filter(|params| params.kind() == Kind::Object),
    ];
    for (name, _) in levels
        .into_iter()
        .flatten()
        .flat_map(|level| level.members())
    {
        let folded = fold(name);
        if folded != name && NAMES.contains(&folded.as_str()) {
            return Err(invalid("a name of the protocol is in the wrong case"));
        }
    }
    match message.get("method") {
        None => Ok(()),
        Some(method) => match method.as_str() {
            Some(method) if method == CALL || fold(method) != CALL => Ok(()),
            _ => Err(invalid("the method is not valid")),
        },
    }
}

/// Folds the case of all letters that any parser takes for an ASCII letter, such as `ſ` and the Kelvin sign.
fn fold(text: &str) -> String {
    let folded = text.chars().flat_map(char::to_uppercase);
    let folded = folded.flat_map(char::to_lowercase);
    // The dot of a lower case `İ`.
    folded.filter(|letter| *letter != '\u{307}').collect()
}

fn invalid(message: &str) -> InvalidMessage {
    InvalidMessage {
        code: INVALID_REQUEST,
        message: message.to_owned(),
    }
}

/// Removes the payment from `_meta`. The gate decides whether it is valid.
fn take_payment(params: &mut Json) -> Option<PaymentHeader> {
    let meta = params.get_mut("_meta")?.as_object_mut()?;
    let payment = meta.remove(PAYMENT)?;
    let version = match payment["x402Version"].as_u64() {
        Some(1) => Version::V1,
        _ => Version::V2,
    };
    Some(PaymentHeader {
        name: version.payment_header(),
        value: encode_base64(payment.to_string().as_bytes(), Alphabet::Standard),
    })
}

/// The JSON in a header of x402.
pub(super) fn decode_header(value: &HeaderValue) -> Option<Json> {
    let bytes = decode_base64(value.as_bytes(), Alphabet::Standard).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// A response with a result.
pub(super) fn response(id: &Id, result: Json) -> Json {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// A response with an error of the protocol.
pub(super) fn error(id: Option<&Id>, code: i32, message: &str) -> Json {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// A result that says why the tool was not called.
pub(super) fn failed_result(content: &Json) -> Json {
    json!({
        "isError": true,
        "content": [{ "type": "text", "text": content.to_string() }],
        "structuredContent": content,
    })
}

/// Adds a receipt to a result.
pub(super) fn add_receipt(result: &mut Json, receipt: Option<&Json>) {
    if let (Some(receipt), Some(members)) = (receipt, result.as_object_mut()) {
        let meta = members.entry("_meta").or_insert_with(|| json!({}));
        if let Some(meta) = meta.as_object_mut() {
            meta.insert(RECEIPT.to_owned(), receipt.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Message, InvalidMessage> {
        Message::read(&Bytes::copy_from_slice(text.as_bytes()))
    }

    #[test]
    fn only_calls_are_looked_at() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x/y","params":{"displayName":"N","other":{"Name":1}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x/y","params":[1]}"#,
        ] {
            assert!(matches!(read(text), Ok(Message::Other)), "{text}");
        }
    }

    #[test]
    fn rejects_what_two_parsers_could_read_differently() {
        for text in [
            r#"{"method":"tools/list","method":"tools/call","params":{"name":"a"},"id":1}"#,
            r#"{"id":1,"method":"tools/call","params":{"name":"free","name":"paid"}}"#,
            r#"[{"id":1,"method":"tools/call","params":{"name":"a"}}]"#,
            r#"{"id":1,"method":"tools/call"}"#,
            r#"{"id":1,"method":"tools/call","params":{"name":7}}"#,
            r#"{"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"id":1,"method":"ping","Method":"tools/call","params":{"name":"a"}}"#,
            r#"{"id":1,"METHOD":"tools/call","params":{"name":"a"}}"#,
            r#"{"id":1,"method":"ping","param\u017f":{"name":"a"}}"#,
            r#"{"id":1,"method":"tools/call","params":{"name":"free","Name":"paid"}}"#,
            r#"{"id":1,"method":"tools/call","params":{"name":"free","argument\u017f":{}}}"#,
            r#"{"id":1,"method":"Tools/Call","params":{"name":"a"}}"#,
            r#"{"id":1,"method":["tools/call"],"params":{"name":"a"}}"#,
            r#"[[{"id":1,"method":"tools/call","params":{"name":"a"}}]]"#,
            r#"[{"id":1,"method":"ping"},7]"#,
            r#"[{"id":1,"Method":"tools/call","params":{"name":"a"}}]"#,
            "7",
            "\u{feff}{}",
            "{",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_payment_becomes_a_header_and_leaves_the_message() {
        let text = r#"{"id":"x","method":"tools/call","params":{"name":"a","arguments":{"q":1},
            "_meta":{"progressToken":5,"x402/payment":{"x402Version":2,"payload":{}}}}}"#;
        let Ok(Message::Call(call)) = read(text) else {
            panic!()
        };
        assert_eq!((call.name.as_str(), call.id), ("a", json!("x")));
        assert_eq!(call.arguments, r#"{"q":1}"#);
        let payment = call.payment.unwrap();
        assert_eq!(payment.name, "PAYMENT-SIGNATURE");
        let header = HeaderValue::from_str(&payment.value).unwrap();
        assert_eq!(decode_header(&header).unwrap()["x402Version"], 2);
        let rest: Json = serde_json::from_slice(&call.content).unwrap();
        assert_eq!(rest["params"]["_meta"], json!({ "progressToken": 5 }));
    }
}
