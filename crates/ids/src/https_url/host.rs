//! Hosts: DNS names, IPv4 and IPv6 addresses. Each host has exactly one accepted form.

use std::net::{Ipv4Addr, Ipv6Addr};

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

use crate::{Error, excerpt};

const MAX_LABEL: usize = 63;
const MAX_NAME: usize = 253;
const A_LABEL: &str = "xn--";

/// Validates a host (T-23) and converts it to lower case (G1).
pub(super) fn normalize(host: &str) -> Result<String, Error> {
    let lowercase = host.to_ascii_lowercase();
    if let Some(inner) = lowercase.strip_prefix('[') {
        check_ipv6(inner)?;
        return Ok(lowercase);
    }
    if lowercase.ends_with('.') {
        return Err(Error::TrailingDot {
            host: excerpt(host),
        });
    }
    for label in lowercase.split('.') {
        check_label(label)?;
    }
    check_bidi(&lowercase)?;
    if lowercase.len() > MAX_NAME {
        return Err(Error::HostTooLong {
            bytes: lowercase.len(),
        });
    }
    let last = lowercase.rsplit('.').next().unwrap_or_default();
    if is_ipv4_number(last) && lowercase.parse::<Ipv4Addr>().is_err() {
        return Err(Error::Ipv4NotCanonical {
            host: excerpt(host),
        });
    }
    Ok(lowercase)
}

fn check_label(label: &str) -> Result<(), Error> {
    // DNS, URL parsers and wildcard certificates allow underscores.
    let is_legal = label
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if label.is_empty() || !is_legal || label.starts_with('-') || label.ends_with('-') {
        return Err(Error::Host {
            label: excerpt(label),
        });
    }
    if label.len() > MAX_LABEL {
        return Err(Error::LabelTooLong {
            label: label.to_owned(),
        });
    }
    if label.starts_with(A_LABEL) && !is_a_label(label) {
        return Err(Error::BadALabel {
            label: label.to_owned(),
        });
    }
    Ok(())
}

/// Whether the label decodes as punycode and encodes to the same label.
fn is_a_label(label: &str) -> bool {
    Uts46::new()
        .to_ascii(
            label.as_bytes(),
            AsciiDenyList::STD3,
            Hyphens::CheckFirstLast,
            DnsLength::Verify,
        )
        .is_ok_and(|ascii| ascii == label)
}

/// The bidi rule of RFC 5893 applies to the whole name: one right-to-left label restricts all labels.
fn check_bidi(host: &str) -> Result<(), Error> {
    if !host.split('.').any(|label| label.starts_with(A_LABEL)) {
        return Ok(());
    }
    // Every label is valid by itself, so no other rule can fail.
    let ascii = Uts46::new().to_ascii(
        host.as_bytes(),
        AsciiDenyList::EMPTY,
        Hyphens::Allow,
        DnsLength::Ignore,
    );
    if ascii.is_ok_and(|ascii| ascii == host) {
        Ok(())
    } else {
        Err(Error::Bidi {
            host: excerpt(host),
        })
    }
}

/// Whether a URL parser treats a host with this last label as an IPv4 address: digits, or `0x` followed by hex digits.
fn is_ipv4_number(label: &str) -> bool {
    let is_hex = label
        .strip_prefix("0x")
        .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    is_hex || label.bytes().all(|byte| byte.is_ascii_digit())
}

/// Requires the canonical form of RFC 5952. IPv4-mapped addresses have two text forms, so both are rejected.
fn check_ipv6(bracketed: &str) -> Result<(), Error> {
    let text = bracketed.strip_suffix(']').unwrap_or_default();
    match text.parse::<Ipv6Addr>() {
        Ok(address) if address.to_ipv4_mapped().is_none() && address.to_string() == text => Ok(()),
        _ => Err(Error::Ipv6NotCanonical {
            host: excerpt(text),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(host: &str) -> &'static str {
        normalize(host).map_or_else(|error| error.code(), |_| "accept")
    }

    #[test]
    fn names_consist_of_letters_digits_underscores_and_inner_hyphens() {
        let long = "a".repeat(63);
        let name = [long.as_str(); 4].join(".");
        for (host, expected) in [
            (long.as_str(), "accept"),
            (&name[..253], "accept"),
            (&name, "host-too-long"),
            ("a_b.example", "accept"),
            ("_a.example", "accept"),
            ("xn--a_b-joa.example", "bad-a-label"),
            ("a-.example", "host"),
            ("ab--cd.example", "accept"),
            ("xn--bcher-kva.example", "accept"),
            ("xn--.example", "host"),
            ("xn--a-.example", "host"),
            ("xn--zzzzzz99999.example", "bad-a-label"),
        ] {
            assert_eq!(code(host), expected, "{host}");
        }
    }

    #[test]
    fn the_bidi_rule_applies_to_the_whole_name() {
        // G-02
        for (host, expected) in [
            ("xn--4dbrk0ce.example", "accept"),
            ("a1.xn--4dbrk0ce", "accept"),
            // A label that starts with a digit is not allowed beside a right-to-left label.
            ("1a.xn--4dbrk0ce", "bidi"),
            ("xn--4dbrk0ce.1a", "bidi"),
            ("a_b.1a.xn--4dbrk0ce", "bidi"),
            ("1a.xn--bcher-kva.example", "accept"),
            ("1a.example", "accept"),
        ] {
            assert_eq!(code(host), expected, "{host}");
        }
    }

    #[test]
    fn addresses_must_be_in_canonical_form() {
        for (host, expected) in [
            ("1.2.3.4", "accept"),
            ("1.2.3.04", "ipv4-not-canonical"),
            ("1.2.3.256", "ipv4-not-canonical"),
            ("1.2.3.4.5", "ipv4-not-canonical"),
            ("a.0x7f", "ipv4-not-canonical"),
            ("a.0x", "ipv4-not-canonical"),
            ("[::1]", "accept"),
            ("[::]", "accept"),
            ("[1:0::0:1]", "ipv6-not-canonical"),
            ("[::ffff:1.2.3.4]", "ipv6-not-canonical"),
            ("[::ffff:102:304]", "ipv6-not-canonical"),
            ("[fe80::1%25eth0]", "ipv6-not-canonical"),
            ("[::1", "ipv6-not-canonical"),
        ] {
            assert_eq!(code(host), expected, "{host}");
        }
    }
}
