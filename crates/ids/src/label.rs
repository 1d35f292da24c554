//! Grammar of slugs and tags: `[a-z0-9]([a-z0-9-]*[a-z0-9])?`.

/// Whether a text consists of 1 to `max` lower-case letters, digits and inner hyphens. Not a regular expression: in some
/// engines `$` matches before a trailing newline (T-25).
pub(crate) const fn is_lowercase_label(text: &str, max: usize) -> bool {
    let bytes = text.as_bytes();
    if bytes.is_empty() || bytes.len() > max {
        return false;
    }
    let mut at = 0;
    while at < bytes.len() {
        let is_edge = at == 0 || at == bytes.len() - 1;
        match bytes[at] {
            b'a'..=b'z' | b'0'..=b'9' => {}
            b'-' if !is_edge => {}
            _ => return false,
        }
        at += 1;
    }
    true
}
