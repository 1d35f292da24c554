use alloy_primitives::{eip191_hash_message, keccak256};
use atr_auth::{Alphabet, Credential, CredentialError, SiweCredential, Window, encode_base64};

use crate::support::{CALLER, key, read, sign};

const DOMAIN: &str = "tools.example.com";
/// 2025-06-05T21:15:00Z
const NOW: u64 = 1_749_158_100;

/// A message as `viem` writes it, with a statement.
fn message() -> String {
    format!(
        "{DOMAIN} wants you to sign in with your Ethereum account:\n{CALLER}\n\nAuthenticate to access this tool\n\n\
         URI: https://{DOMAIN}/oracle\nVersion: 1\nChain ID: 8453\nNonce: 0123456789abcdef\n\
         Issued At: 2025-06-05T21:15:00.000Z\nExpiration Time: 2025-06-05T21:20:00.000Z"
    )
}

fn header(message: &str) -> String {
    let signature = sign(&key(1), eip191_hash_message(message));
    let encoded = encode_base64(message.as_bytes(), Alphabet::UrlSafe);
    format!("SIWE {encoded}.{signature}")
}

fn decode(header: &str) -> Result<SiweCredential, CredentialError> {
    match read(&[("Authorization", header)])? {
        Some(Credential::Siwe(siwe)) => Ok(siwe),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_signed_message_identifies_the_caller() {
    for message in [
        message(),
        // No statement; a scheme before the domain; further lines.
        message().replace("\nAuthenticate to access this tool\n", "\n"),
        format!("https://{}", message()),
        format!(
            "{}\nNot Before: 2025-06-05T21:15:00Z\nRequest ID: 7\nResources:\n- https://a.example",
            message()
        ),
        message().replace("21:20:00.000Z", "23:20:00+02:00"),
    ] {
        let siwe = decode(&header(&message)).unwrap();
        assert_eq!(
            siwe.check(DOMAIN, Window::DEFAULT, NOW),
            Ok(CALLER),
            "{message}"
        );
        assert_eq!((siwe.chain_id, siwe.expiration_time), (8453, NOW + 300));
        assert_eq!(siwe.uri, format!("https://{DOMAIN}/oracle"));
        let key = siwe.replay_key();
        assert_eq!((key.from, key.nonce), (CALLER, keccak256(&message)));
    }
}

#[test]
fn a_message_for_another_host_time_or_account_is_rejected() {
    let siwe = decode(&header(&message())).unwrap();
    let code = |domain, now| {
        siwe.check(domain, Window::DEFAULT, now)
            .map_or_else(|error| error.code(), |_| "ok")
    };
    assert_eq!(code("Tools.Example.com", NOW), "ok");
    assert_eq!(code("other.example.com", NOW), "wrong_domain");
    assert_eq!(code(DOMAIN, NOW + 299), "ok");
    assert_eq!(code(DOMAIN, NOW + 300), "expired");
    assert_eq!(code(DOMAIN, NOW - 601), "window_too_long");
    let later = format!("{}\nNot Before: 2025-06-05T21:16:00Z", message());
    let later = decode(&header(&later)).unwrap();
    let error = later.check(DOMAIN, Window::DEFAULT, NOW + 59).unwrap_err();
    assert_eq!(error.code(), "not_yet_valid");
    assert_eq!(later.check(DOMAIN, Window::DEFAULT, NOW + 60), Ok(CALLER));
    let encoded = encode_base64(message().as_bytes(), Alphabet::UrlSafe);
    let signature = sign(&key(2), eip191_hash_message(message()));
    let other = decode(&format!("SIWE {encoded}.{signature}")).unwrap();
    let error = other.check(DOMAIN, Window::DEFAULT, NOW).unwrap_err();
    assert_eq!(
        (error.code(), error.rejection().status()),
        ("signer_mismatch", 401)
    );
}

#[test]
fn malformed_messages_are_rejected() {
    let message = message();
    for (from, to) in [
        (" wants you", " want you"),
        (DOMAIN, ""),
        ("0x7E", "7E"),
        ("\n\nAuth", "\nAuth"),
        ("tool\n\nURI", "tool\nURI"),
        ("URI: ", "URL: "),
        ("Version: 1", "Version: 2"),
        ("Chain ID: 8453", "Chain ID: +8453"),
        ("Chain ID: 8453", "Chain ID: x"),
        ("Nonce: 0123456789abcdef", "Nonce: 0123"),
        ("Nonce: 0123456789abcdef", "Nonce: 0123456789-abcdef"),
        ("Issued At: 2025", "Issued At: x"),
        ("\nExpiration Time: 2025-06-05T21:20:00.000Z", ""),
        ("21:20:00.000Z", "21:20:00.000"),
        ("21:20:00.000Z", "21:20:00.Z"),
        ("21:20:00.000Z", "21:60:00Z"),
        ("21:20:00.000Z", "24:20:00Z"),
        ("21:20:00.000Z", "21:20:00+2:00"),
        ("2025-06-05T21:20", "2025-13-05T21:20"),
        ("2025-06-05T21:20", "2025-06-00T21:20"),
        ("2025-06-05T21:20", "2025-06-05 21:20"),
        ("2025-06-05T21:20", "+025-06-05T21:20"),
        ("2025-06-05T21:20:00.000Z", "1969-12-31T23:59:59Z"),
    ] {
        let changed = message.replacen(from, to, if from == DOMAIN { 1 } else { 9 });
        assert_ne!(changed, message, "{from}");
        let error = decode(&header(&changed)).unwrap_err();
        assert_eq!(
            (error.code(), error.rejection().status()),
            ("invalid_siwe_message", 401),
            "{to}"
        );
    }
    let late = format!("{message}\nNot Before: tomorrow");
    assert_eq!(
        decode(&header(&late)).unwrap_err().code(),
        "invalid_siwe_message"
    );
    let encoded = encode_base64(message.as_bytes(), Alphabet::UrlSafe);
    for (token, code) in [
        (encoded.clone(), "invalid_siwe_message"),
        (format!("{encoded}.1234"), "invalid_siwe_message"),
        (format!("{encoded}.0x123"), "invalid_siwe_message"),
        (format!("{encoded}.0xé"), "invalid_siwe_message"),
        (".0x12".to_owned(), "empty"),
        ("%.0x12".to_owned(), "invalid_base64"),
        ("_w.0x12".to_owned(), "invalid_siwe_message"),
    ] {
        assert_eq!(
            decode(&format!("SIWE {token}")).unwrap_err().code(),
            code,
            "{token}"
        );
    }
    let short = decode(&format!("SIWE {encoded}.0x12")).unwrap();
    let error = short.check(DOMAIN, Window::DEFAULT, NOW).unwrap_err();
    assert_eq!(error.code(), "invalid_signature_length");
}

#[test]
fn dates_are_converted_to_unix_time() {
    for (text, seconds) in [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:59.999Z", 59),
        ("1999-12-31T23:59:59Z", 946_684_799),
        ("2000-02-29T12:00:00Z", 951_825_600),
        ("2000-03-01T00:00:00Z", 951_868_800),
        ("2024-02-29T00:00:00-01:30", 1_709_170_200),
        ("2025-06-05T21:15:00Z", NOW),
        ("2100-03-01T00:00:00Z", 4_107_542_400),
        ("9999-12-31T23:59:59Z", 253_402_300_799),
    ] {
        let message = message().replace("2025-06-05T21:20:00.000Z", text);
        assert_eq!(
            decode(&header(&message)).unwrap().expiration_time,
            seconds,
            "{text}"
        );
    }
}
