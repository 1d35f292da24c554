//! Words of the index that resemble a word of a query that the index does not have: partial words and typos.
//!
//! The field `grams` has, for each term of a title and each of its trigrams, the term `<trigram>:<term>`. The terms that contain a
//! trigram are then one range of the term dictionary. No document is read.

use std::collections::HashMap;

use tantivy::{Searcher, Term, query::FuzzyTermQuery};

use crate::{error::Error, schema::Fields, text::QueryTerm};

/// Words that replace one word.
const MAX_WORDS: usize = 5;

/// Entries of the dictionary that are read for the trigrams of one word.
const MAX_ENTRIES: usize = 6_000;

/// Misspellings that are read from one segment.
const MAX_MISSPELLINGS: usize = 100;

/// Trigrams of a word that are looked up, and of a term that are indexed.
const MAX_TRIGRAMS: usize = 12;

/// Terms with less in common with the word are not similar. Of 1.
const MIN_SIMILARITY: f32 = 0.5;

const SEPARATOR: char = ':';

/// Text of the field for a term.
pub(crate) fn push_grams(text: &mut String, term: &str) {
    for gram in trigrams(term).into_iter().take(MAX_TRIGRAMS) {
        text.push_str(gram);
        text.push(SEPARATOR);
        text.push_str(term);
        text.push(' ');
    }
}

/// A term of the index, and how similar it is to the word. At most 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Similar {
    pub(crate) term: String,
    pub(crate) similarity: f32,
}

/// Terms that contain the word or differ in one letter or two.
pub(crate) fn similar(
    searcher: &Searcher,
    fields: Fields,
    term: &QueryTerm,
) -> Result<Vec<Similar>, Error> {
    let mut found: HashMap<String, f32> = HashMap::new();
    let mut add = |term: &str, similarity: f32| {
        let known = found.entry(term.to_owned()).or_default();
        *known = known.max(similarity);
    };
    for_each_misspelling(searcher, fields, &term.stem, &mut add)?;
    if term.word != term.stem {
        for_each_misspelling(searcher, fields, &term.word, &mut add)?;
    }
    for_each_by_trigram(searcher, fields, &term.stem, &mut add)?;
    let mut found: Vec<_> = found
        .into_iter()
        .map(|(term, similarity)| Similar { term, similarity })
        .collect();
    found.sort_by(|a, b| {
        let by_similarity = b.similarity.total_cmp(&a.similarity);
        by_similarity.then_with(|| a.term.cmp(&b.term))
    });
    found.truncate(MAX_WORDS);
    Ok(found)
}

/// Terms of all text within an edit distance of 1; if there is none, of 2 for long words.
fn for_each_misspelling(
    searcher: &Searcher,
    fields: Fields,
    word: &str,
    add: &mut impl FnMut(&str, f32),
) -> Result<(), Error> {
    let max_distance = match word.chars().count() {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    };
    for distance in 1..=max_distance {
        let query = FuzzyTermQuery::new(Term::from_field_text(fields.body, word), distance, true);
        let automaton = query.automaton()?;
        let mut is_found = false;
        for segment in searcher.segment_readers() {
            let index = segment.inverted_index(fields.body)?;
            let stream = index.terms().search(&automaton).into_stream();
            let mut stream = stream.map_err(tantivy::TantivyError::from)?;
            let mut remaining = MAX_MISSPELLINGS;
            while remaining > 0 && stream.advance() {
                remaining -= 1;
                is_found = true;
                if let Ok(term) = std::str::from_utf8(stream.key()) {
                    // The first letter is rarely wrong.
                    let is_plausible = term.chars().next() == word.chars().next();
                    add(term, if is_plausible { 0.8 } else { 0.6 });
                }
            }
        }
        if is_found {
            break;
        }
    }
    Ok(())
}

fn for_each_by_trigram(
    searcher: &Searcher,
    fields: Fields,
    word: &str,
    add: &mut impl FnMut(&str, f32),
) -> Result<(), Error> {
    let grams = trigrams(word);
    let mut common: HashMap<String, usize> = HashMap::new();
    let budget = MAX_ENTRIES
        / (grams.len().clamp(1, MAX_TRIGRAMS) * searcher.segment_readers().len().max(1));
    for segment in searcher.segment_readers() {
        let index = segment.inverted_index(fields.grams)?;
        let mut seen: HashMap<String, usize> = HashMap::new();
        for gram in grams.iter().take(MAX_TRIGRAMS) {
            let from = format!("{gram}{SEPARATOR}");
            let to = format!("{gram}{}", char::from(SEPARATOR as u8 + 1));
            let range = index.terms().range().ge(&from).lt(&to);
            let mut stream = range.into_stream().map_err(tantivy::TantivyError::from)?;
            let mut remaining = budget;
            while remaining > 0 && stream.advance() {
                remaining -= 1;
                let term = stream.key().get(from.len()..).map(std::str::from_utf8);
                if let Some(Ok(term)) = term {
                    match seen.get_mut(term) {
                        Some(count) => *count += 1,
                        None => {
                            seen.insert(term.to_owned(), 1);
                        }
                    }
                }
            }
        }
        for (term, count) in seen {
            let known = common.entry(term).or_default();
            *known = (*known).max(count);
        }
    }
    for (term, count) in common {
        let similarity = if term.contains(word) {
            // A beginning is what people type first.
            let bonus = if term.starts_with(word) { 0.1 } else { 0.0 };
            0.7 + bonus + 0.2 * word.len() as f32 / term.len() as f32
        } else {
            2.0 * count as f32 / (grams.len() + trigrams(&term).len()) as f32
        };
        if similarity >= MIN_SIMILARITY {
            add(&term, similarity.min(1.0));
        }
    }
    Ok(())
}

/// Overlapping sequences of three characters, without repetition.
fn trigrams(word: &str) -> Vec<&str> {
    let starts: Vec<usize> = word
        .char_indices()
        .map(|(index, _)| index)
        .chain([word.len()])
        .collect();
    let mut grams: Vec<&str> = starts
        .windows(4)
        .map(|window| &word[window[0]..window[3]])
        .collect();
    let mut known = std::collections::HashSet::new();
    grams.retain(|gram| known.insert(*gram));
    grams
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigrams_overlap() {
        assert_eq!(trigrams("swap"), ["swa", "wap"]);
        assert_eq!(trigrams("aaaaa"), ["aaa"]);
        assert_eq!(trigrams("über"), ["übe", "ber"]);
        assert_eq!(trigrams("ab"), Vec::<&str>::new());
        let mut text = String::new();
        push_grams(&mut text, "swap");
        assert_eq!(text, "swa:swap wap:swap ");
    }
}
