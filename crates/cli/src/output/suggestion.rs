//! "Did you mean": the nearest of a few known words.

/// Two words nearer than this are probably meant to be the same; the measure and the bar are those of the argument parser.
const NEAR_ENOUGH: f64 = 0.7;

/// The known word that `found` is most likely a misspelling of, if any.
pub(crate) fn nearest<'a>(
    found: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    known
        .into_iter()
        .map(|word| (strsim::jaro(found, word), word))
        .filter(|(nearness, _)| *nearness > NEAR_ENOUGH)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, word)| word)
}

/// "did you mean `word`? ", or nothing.
pub(crate) fn hint<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(found, known)
        .map(|word| format!("did you mean `{word}`? "))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_nearest_word_and_nothing_when_none_is_near() {
        assert_eq!(nearest("rpc_url", ["registry", "rpc-url"]), Some("rpc-url"));
        assert_eq!(
            nearest("base-sepolai", ["base", "base-sepolia"]),
            Some("base-sepolia")
        );
        assert_eq!(nearest("zzz", ["registry", "rpc-url"]), None);
        assert_eq!(hint("mainet", ["mainnet"]), "did you mean `mainnet`? ");
        assert_eq!(hint("zzz", ["mainnet"]), "");
    }
}
