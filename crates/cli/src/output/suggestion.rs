//! "Did you mean" suggestions.

/// Minimum Jaro similarity; clap uses the same metric and threshold.
const THRESHOLD: f64 = 0.7;

/// The known name most similar to `found`, if any is similar enough.
pub(crate) fn closest<'a>(
    found: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    known
        .into_iter()
        .map(|word| (strsim::jaro(found, word), word))
        .filter(|(similarity, _)| *similarity > THRESHOLD)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, word)| word)
}

/// "did you mean `name`? " or an empty string.
pub(crate) fn hint<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    closest(found, known)
        .map(|name| format!("did you mean `{name}`? "))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_most_similar_name_if_any() {
        assert_eq!(closest("rpc_url", ["registry", "rpc-url"]), Some("rpc-url"));
        assert_eq!(
            closest("base-sepolai", ["base", "base-sepolia"]),
            Some("base-sepolia")
        );
        assert_eq!(closest("zzz", ["registry", "rpc-url"]), None);
        assert_eq!(hint("mainet", ["mainnet"]), "did you mean `mainnet`? ");
        assert_eq!(hint("zzz", ["mainnet"]), "");
    }
}
