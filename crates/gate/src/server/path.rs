//! Request paths: what upstream servers could read differently, and routes by prefix.

use percent_encoding::percent_decode_str;

/// How often a path is decoded when looking for hidden segments: more than any chain of servers does.
const DECODINGS: usize = 3;

/// A path that the gate and an upstream server could read differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathError {
    #[error("the path has a dot segment")]
    DotSegment,
    #[error("the path has a control character")]
    ControlCharacter,
    #[error("the path is ambiguous; send it without encoded or repeated slashes")]
    Ambiguous,
}

/// Values by path prefix. A prefix matches whole segments: `/a` matches `/a` and `/a/b`, not `/ab`.
#[derive(Clone, Debug)]
pub(crate) struct Routes<T> {
    /// Longest prefix first. The root is the empty prefix.
    prefixes: Vec<(String, T)>,
}

impl<T> Default for Routes<T> {
    fn default() -> Self {
        Self {
            prefixes: Vec::new(),
        }
    }
}

impl<T> Routes<T> {
    /// Adds a route; `false` if the prefix has one, also in other letter case.
    pub(crate) fn insert(&mut self, prefix: &str, value: T) -> bool {
        let prefix = prefix.trim_end_matches('/');
        let is_same = |(other, _): &(String, T)| other.eq_ignore_ascii_case(prefix);
        if self.prefixes.iter().any(is_same) {
            return false;
        }
        self.prefixes.push((prefix.to_owned(), value));
        self.prefixes
            .sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        true
    }

    /// The route of a path.
    ///
    /// # Errors
    ///
    /// If a server that decodes the path, merges slashes or ignores case could find another route.
    pub(crate) fn find(&self, path: &str) -> Result<Option<&T>, PathError> {
        let exact = self.index(|prefix| has_prefix(path, prefix));
        // Most paths and prefixes have one reading.
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"/-_".contains(&byte);
        let has_one_reading = |path: &str| path.bytes().all(is_plain) && !path.contains("//");
        let prefixes = self.prefixes.iter().map(|(prefix, _)| prefix.as_str());
        if !prefixes.chain([path]).all(has_one_reading) {
            for reading in readings(path)? {
                let folded = |prefix: &str| has_prefix(&reading, &prefix.to_ascii_lowercase());
                if self.index(folded) != exact {
                    return Err(PathError::Ambiguous);
                }
            }
        }
        Ok(exact.map(|index| &self.prefixes[index].1))
    }

    fn index(&self, matches: impl Fn(&str) -> bool) -> Option<usize> {
        self.prefixes.iter().position(|(prefix, _)| matches(prefix))
    }
}

fn has_prefix(path: &str, prefix: &str) -> bool {
    let rest = path.strip_prefix(prefix);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The path as lenient servers read it: decoded once or more, with merged slashes, without path parameters, in lower case.
fn readings(path: &str) -> Result<Vec<String>, PathError> {
    let mut decoded = path.to_owned();
    let mut readings = Vec::new();
    for _ in 0..=DECODINGS {
        if decoded.chars().any(char::is_control) {
            return Err(PathError::ControlCharacter);
        }
        let mut reading = String::new();
        for segment in decoded.split(['/', '\\']) {
            let segment = segment.split(';').next().unwrap_or_default();
            if matches!(segment, "." | "..") {
                return Err(PathError::DotSegment);
            }
            if !segment.is_empty() {
                reading.push('/');
                reading.push_str(&segment.to_ascii_lowercase());
            }
        }
        if reading.is_empty() {
            reading.push('/');
        }
        readings.push(reading);
        let next = percent_decode_str(&decoded)
            .decode_utf8_lossy()
            .into_owned();
        if next == decoded {
            return Ok(readings);
        }
        decoded = next;
    }
    Err(PathError::Ambiguous)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes() -> Routes<&'static str> {
        let mut routes = Routes::default();
        for prefix in ["/", "/paid", "/paid/free", "/Mixed"] {
            assert!(routes.insert(prefix, prefix));
        }
        routes
    }

    #[test]
    fn the_longest_prefix_of_whole_segments_wins() {
        for (path, expected) in [
            ("/", "/"),
            ("/a", "/"),
            ("/paid", "/paid"),
            ("/paid/", "/paid"),
            ("/paid/a%20b", "/paid"),
            ("/paid/a%2Fb", "/paid"),
            ("/paid/x;y=1", "/paid"),
            ("/paidfor", "/"),
            ("/paid/free/x", "/paid/free"),
            ("/caf%C3%A9", "/"),
            ("/Mixed/Case", "/Mixed"),
        ] {
            assert_eq!(routes().find(path), Ok(Some(&expected)), "{path}");
        }
        let mut only: Routes<()> = Routes::default();
        only.insert("/tool", ());
        assert_eq!(only.find("/other"), Ok(None));
        assert_eq!(only.find("/"), Ok(None));
    }

    #[test]
    fn a_prefix_has_one_route() {
        let mut routes = routes();
        for prefix in ["/paid", "/paid/", "/PAID", "", "/mixed"] {
            assert!(!routes.insert(prefix, "second"), "{prefix}");
        }
    }

    #[test]
    fn rejects_paths_that_another_server_could_route_differently() {
        for path in [
            "/x/../paid",
            "/x/%2e%2e/paid",
            "/x/.%2E/paid",
            "/x/%252e%252e/paid",
            "/x/..%2fpaid",
            "/x/..%5cpaid",
            "/x/..;/paid",
            "/x/./paid",
            "//paid",
            "/%70aid",
            "/%2570aid",
            "/x%2f..%2fpaid",
            "/%2fpaid",
            "/%5cpaid",
            "/PAID",
            "/paid;a=b/free",
            "/paid/%66ree",
            "/paid//free",
            "/paid%00",
            "/mixed",
            "/%25252525252570aid",
        ] {
            assert!(routes().find(path).is_err(), "{path}");
        }
    }
}
