//! Turns text into terms, the same way for documents and queries.

use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer,
    StopWordFilter, TextAnalyzer,
};

/// Longer words are not indexed. In bytes.
const MAX_WORD: usize = 40;

/// Words without meaning for a search, after folding. Beside articles and prepositions: what people write around an intent.
const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "but", "by", "can",
    "could", "do", "does", "for", "from", "get", "give", "had", "has", "have", "help", "how", "i",
    "if", "in", "into", "is", "it", "its", "let", "like", "me", "my", "need", "no", "not", "of",
    "on", "or", "our", "please", "should", "show", "so", "some", "such", "tell", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "to", "us", "want", "was", "way",
    "we", "what", "when", "where", "which", "who", "will", "with", "would", "you", "your",
];

/// Analyzer of English text. Text of other languages is indexed by its unchanged words.
#[derive(Clone)]
pub(crate) struct Analyzer {
    /// Folds words.
    words: TextAnalyzer,
    stemmer: TextAnalyzer,
}

/// A word of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryTerm {
    /// As in the index.
    pub(crate) stem: String,
    /// Folded but not stemmed: the stem of a misspelled word can differ from the correct one in more letters than the word.
    pub(crate) word: String,
}

impl Analyzer {
    pub(crate) fn new() -> Self {
        let words = || {
            let stop_words = STOP_WORDS.iter().map(|word| (*word).to_owned());
            TextAnalyzer::builder(SimpleTokenizer::default())
                .filter(RemoveLongFilter::limit(MAX_WORD))
                .filter(LowerCaser)
                .filter(AsciiFoldingFilter)
                .filter(StopWordFilter::remove(stop_words))
        };
        Self {
            words: words().build(),
            stemmer: words().filter(Stemmer::new(Language::English)).build(),
        }
    }

    /// Calls back with each term, at most `max` of them.
    pub(crate) fn for_each(&mut self, text: &str, max: usize, mut callback: impl FnMut(&str)) {
        let prepared = split_compounds(text);
        let mut stream = self.stemmer.token_stream(&prepared);
        let mut count = 0;
        while count < max && stream.advance() {
            callback(&stream.token().text);
            count += 1;
        }
    }

    /// The distinct terms of a query, in order.
    pub(crate) fn terms(&mut self, text: &str, max: usize) -> Vec<QueryTerm> {
        let mut terms: Vec<QueryTerm> = Vec::new();
        let prepared = split_compounds(text);
        // Both have the same tokens.
        let mut stems = self.stemmer.token_stream(&prepared);
        let mut words = self.words.token_stream(&prepared);
        // Repeated words do not use up the limit; a bound on the words that are read does.
        for _ in 0..8 * max {
            if terms.len() == max || !stems.advance() || !words.advance() {
                break;
            }
            let stem = &stems.token().text;
            if !terms.iter().any(|known| known.stem == *stem) {
                terms.push(QueryTerm {
                    stem: stem.clone(),
                    word: words.token().text.clone(),
                });
            }
        }
        terms
    }
}

/// Appends the parts of compounds: `tokenAddress` becomes `tokenAddress token Address`, and text of languages without spaces
/// becomes pairs of characters.
fn split_compounds(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + text.len() / 2);
    for word in text.split(|character: char| !character.is_alphanumeric()) {
        if word.is_empty() {
            continue;
        }
        if word.chars().any(is_unspaced) {
            push_pairs(&mut result, word);
            continue;
        }
        result.push_str(word);
        result.push(' ');
        let starts = part_starts(word);
        for (index, start) in starts.iter().enumerate().filter(|_| starts.len() > 1) {
            let end = starts.get(index + 1).copied().unwrap_or(word.len());
            result.push_str(&word[*start..end]);
            result.push(' ');
        }
    }
    result
}

/// Where a lower-case letter is followed by an upper-case one.
fn part_starts(word: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let mut was_lower = false;
    for (index, character) in word.char_indices() {
        if was_lower && character.is_uppercase() {
            starts.push(index);
        }
        was_lower = character.is_lowercase();
    }
    starts
}

fn is_unspaced(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn push_pairs(result: &mut String, word: &str) {
    let mut previous = None;
    let mut is_single = true;
    for character in word.chars() {
        if let Some(previous) = previous {
            result.push(previous);
            result.push(character);
            result.push(' ');
            is_single = false;
        }
        previous = Some(character);
    }
    if let Some(only) = previous.filter(|_| is_single) {
        result.push(only);
        result.push(' ');
    }
}

/// At most this many bytes, cut between characters.
pub(crate) fn truncate(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let terms = Analyzer::new().terms(text, 16);
        terms.into_iter().map(|term| term.stem).collect()
    }

    #[test]
    fn folds_stems_and_splits_compounds() {
        assert_eq!(terms("Translating the Documents"), ["translat", "document"]);
        assert_eq!(terms("tokenAddress"), ["tokenaddress", "token", "address"]);
        assert_eq!(terms("nft-price_oracle"), ["nft", "price", "oracl"]);
        assert_eq!(terms("Crème brûlée"), ["creme", "brule"]);
        assert_eq!(terms("翻訳ツール"), ["翻訳", "訳ツ", "ツー", "ール"]);
        assert_eq!(terms("語"), ["語"]);
    }

    #[test]
    fn the_syntax_of_query_languages_is_text() {
        assert_eq!(
            terms(r#"title:"weather" AND -rain~2 (wind OR [a TO z])^3 *"#),
            ["titl", "weather", "rain", "2", "wind", "z", "3"]
        );
        assert_eq!(terms("!?* ++ \u{0}\u{202e}"), Vec::<String>::new());
    }

    #[test]
    fn the_number_of_terms_is_bounded() {
        let text: String = (0..100_000)
            .map(|number| format!("word{number} "))
            .collect();
        assert_eq!(terms(&text).len(), 16);
        assert_eq!(terms(&"same ".repeat(100)), ["same"]);
        assert_eq!(terms(&"x".repeat(10_000)), Vec::<String>::new());
    }
}
