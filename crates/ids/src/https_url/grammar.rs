//! Grammar of https URLs on the raw text. Nothing is repaired.

use crate::{Error, excerpt};

const SCHEME: &str = "https:";
const DEFAULT_PORT: u16 = 443;

/// Parts of a URL.
pub(super) struct Parts<'a> {
    /// ASCII, not normalized. An IPv6 address has its brackets.
    pub(super) host: &'a str,
    /// None if the port is 443 or absent (G2).
    pub(super) port: Option<u16>,
    /// Path, query and fragment.
    pub(super) rest: &'a str,
}

/// Splits a URL into its parts. The order of the checks determines which error is reported if there are several.
pub(super) fn parse(text: &str) -> Result<Parts<'_>, Error> {
    let (authority, rest) = split(text)?;
    if !authority.is_ascii() {
        return Err(Error::ULabelHost {
            host: excerpt(authority),
        });
    }
    if let Some((userinfo, _)) = authority.rsplit_once('@') {
        return Err(Error::Userinfo {
            userinfo: excerpt(userinfo),
        });
    }
    check_characters(text, rest)?;

    // The port starts at the first colon outside the brackets of an IPv6 address.
    let host_end = match authority.find(']') {
        Some(bracket) if authority.starts_with('[') => bracket + 1,
        _ => authority.find(':').unwrap_or(authority.len()),
    };
    let (host, port) = authority.split_at(host_end);
    if host.is_empty() {
        return Err(Error::EmptyHost);
    }
    Ok(Parts {
        host,
        port: parse_port(port)?,
        rest,
    })
}

/// Converts the host of a URL to A-labels.
pub(super) fn with_a_labels(text: &str) -> Result<String, Error> {
    let (authority, rest) = split(text)?;
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, format!(":{port}")),
        None => (authority, String::new()),
    };
    let ascii = idna::domain_to_ascii_strict(host).map_err(|_| Error::ULabelHost {
        host: excerpt(host),
    })?;
    Ok(format!("https://{ascii}{port}{rest}"))
}

/// Splits a URL into authority and the rest, which starts at the first of `/?#`.
fn split(text: &str) -> Result<(&str, &str), Error> {
    if text.is_empty() {
        return Err(Error::Empty);
    }
    // Lenient parsers drop or trim these bytes, so they are checked first.
    let is_dropped = |byte: &u8| *byte <= b' ' || *byte == b'\\' || *byte == 0x7f;
    if let Some(at) = text.bytes().position(|byte| is_dropped(&byte)) {
        return Err(illegal_character(text, at));
    }
    let starts_with = |prefix: &str| {
        text.get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    if !starts_with(SCHEME) {
        return Err(Error::Scheme {
            found: scheme(text),
        });
    }
    let after = text[SCHEME.len()..]
        .strip_prefix("//")
        .ok_or(Error::Malformed)?;
    let end = after
        .bytes()
        .position(|byte| matches!(byte, b'/' | b'?' | b'#'))
        .unwrap_or(after.len());
    Ok(after.split_at(end))
}

/// The scheme, formatted for an error message.
fn scheme(text: &str) -> String {
    let is_scheme = |found: &&str| {
        found.starts_with(|first: char| first.is_ascii_alphabetic())
            && found
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    };
    match text
        .split_once(':')
        .map(|(scheme, _)| scheme)
        .filter(is_scheme)
    {
        Some(scheme) => format!("`{}`", excerpt(scheme)),
        None => "missing".to_owned(),
    }
}

/// ERC-8257 applies only G1 to G3, which leave path, query and fragment unchanged (G-11). Rejected are control characters, the
/// delimiters of RFC 2396 (`"<>`), incomplete percent-encoding and a second `#`: URL parsers disagree on them.
fn check_characters(text: &str, rest: &str) -> Result<(), Error> {
    let offset = text.len() - rest.len();
    let bytes = rest.as_bytes();
    let mut in_fragment = false;
    for (at, character) in rest.char_indices() {
        let is_legal = match character {
            '%' => bytes
                .get(at + 1..at + 3)
                .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)),
            '#' => !std::mem::replace(&mut in_fragment, true),
            // Marks text that was truncated or was not valid UTF-8.
            '"' | '<' | '>' | char::REPLACEMENT_CHARACTER => false,
            other => !other.is_control(),
        };
        if !is_legal {
            return Err(illegal_character(text, offset + at));
        }
    }
    Ok(())
}

/// Whether RFC 3986 allows every character in a path, query or fragment.
pub(super) fn is_rfc_3986(rest: &str) -> bool {
    rest.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?#%".contains(&byte))
}

fn illegal_character(text: &str, at: usize) -> Error {
    Error::IllegalCharacter {
        character: text[at..].chars().next().unwrap_or_default(),
        at,
    }
}

/// Parses an empty text, or `:` followed by a port.
fn parse_port(text: &str) -> Result<Option<u16>, Error> {
    let Some(digits) = text.strip_prefix(':') else {
        return if text.is_empty() {
            Ok(None)
        } else {
            // Text between the bracket of an IPv6 address and the port.
            Err(Error::Host {
                label: excerpt(text),
            })
        };
    };
    let is_number = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    match digits.parse::<u16>() {
        Ok(port) if is_number => Ok((port != DEFAULT_PORT).then_some(port)),
        _ => Err(Error::Port {
            found: excerpt(digits),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(url: &str) -> &'static str {
        parse(url).map_or_else(|error| error.code(), |_| "accept")
    }

    #[test]
    fn path_query_and_fragment_may_contain_characters_outside_rfc_3986() {
        // G-11
        for rest in ["/a[0]{id}", "/café", "?q=[1]&r={x}|y^z`", "?q=東京", "#😀"] {
            assert_eq!(
                code(&format!("https://a.example{rest}")),
                "accept",
                "{rest}"
            );
            assert!(!is_rfc_3986(rest), "{rest}");
        }
        assert!(is_rfc_3986("/%C3%A9;'()*!~@:$&+,=?-._#"));
    }

    #[test]
    fn rejects_control_characters_delimiters_and_incomplete_percent_encoding() {
        // G-12
        for rest in [
            "/%zz",
            "/%az",
            "/%za",
            "/%4",
            "/%",
            "?%",
            "#%zz",
            "/a b",
            "/\\",
            "/\u{7f}",
            "/\u{85}",
            "/\n",
            "/\"",
            "/<",
            "/>",
            "/x#y#z",
            "/\u{fffd}",
        ] {
            let url = format!("https://a.example{rest}");
            assert_eq!(code(&url), "illegal-character", "{rest:?}");
        }
        assert_eq!(code("https://a.example/%aF?%00#%Ff"), "accept");
    }
}
