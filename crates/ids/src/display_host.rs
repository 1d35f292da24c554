//! How to show the name of a host.

/// Scripts without letters that look like Latin ones. A label may use one of these groups, beside digits and hyphens.
const GROUPS: &[&[(char, char)]] = &[
    // Latin with diacritics. Letters without (such as the dotless i) look like others and are left out.
    &[
        ('a', 'z'),
        ('ß', 'ö'),
        ('ø', 'ÿ'),
        ('ā', 'ġ'),
        ('ģ', 'ĥ'),
        ('ĩ', 'ĭ'),
        ('ĵ', 'ķ'),
        ('ĺ', 'ľ'),
        ('ń', 'ň'),
        ('ō', 'ő'),
        ('ŕ', 'ž'),
    ],
    // Chinese and Japanese. The sign that looks like a slash and the long vowel mark, which looks like a dash, are left out.
    &[
        ('\u{3041}', '\u{3096}'),
        ('\u{30a1}', '\u{30fa}'),
        ('\u{3400}', '\u{4dbf}'),
        ('\u{4e00}', '\u{9fff}'),
    ],
    // Korean
    &[('\u{ac00}', '\u{d7a3}')],
    // Thai
    &[('\u{0e01}', '\u{0e4e}')],
    // Devanagari
    &[('\u{0900}', '\u{0963}')],
    // Hebrew
    &[('\u{05d0}', '\u{05ea}')],
    // Arabic
    &[('\u{0621}', '\u{064a}')],
];

/// A host for people: with Unicode letters where they cannot be mistaken for others, in punycode otherwise (K-15).
///
/// A label is shown in Unicode if all its letters belong to one group of scripts that has no letters like Latin ones. Cyrillic and
/// Greek are always shown in punycode, and so are labels that mix scripts.
#[must_use]
pub fn display_host(host: &str) -> String {
    let labels = host.split('.').map(|label| {
        let (unicode, result) = idna::domain_to_unicode(label);
        if result.is_ok() && is_clear(&unicode) {
            unicode
        } else {
            label.to_owned()
        }
    });
    labels.collect::<Vec<_>>().join(".")
}

fn is_clear(label: &str) -> bool {
    let is_common = |c: char| c.is_ascii_digit() || c == '-';
    let within = |group: &[(char, char)], c: char| {
        group
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&c))
    };
    GROUPS
        .iter()
        .any(|group| label.chars().all(|c| is_common(c) || within(group, c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clear_names_are_shown_in_unicode() {
        // K-15
        for (host, shown) in [
            ("tools.example.com", "tools.example.com"),
            ("xn--mnchen-3ya.de", "münchen.de"),
            ("xn--wgv71a119e.jp", "日本語.jp"),
            // Cyrillic letters that look like "apple"
            ("xn--80ak6aa92e.com", "xn--80ak6aa92e.com"),
            // "pаypal" with one Cyrillic letter
            ("xn--pypal-4ve.com", "xn--pypal-4ve.com"),
            // Greek
            ("xn--hxajbheg2az3al.gr", "xn--hxajbheg2az3al.gr"),
            // A dotless i
            ("xn--ctbank-q9a.com", "xn--ctbank-q9a.com"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]", "[::1]"),
            ("xn--zz--.com", "xn--zz--.com"),
        ] {
            assert_eq!(display_host(host), shown);
        }
    }
}
