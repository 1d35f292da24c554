//! Selects the best documents: exact top-k with pruning by score, filters, and ties that do not follow the order of ids.

use std::{cmp::Reverse, collections::BinaryHeap};

use tantivy::{
    DocAddress, DocId, DocSet, Score, Searcher, SegmentOrdinal, SegmentReader, TERMINATED, Term,
    columnar::{Column, ColumnValues},
    query::{AllQuery, BooleanQuery, BoostQuery, EnableScoring, Query, Scorer, TermQuery, Weight},
    schema::IndexRecordOption,
};

use crate::{
    Sort,
    error::Error,
    schema::{CREATED_AT, PRICE_AMOUNTS, PRICE_ASSETS, TIE, USES},
};

/// A filter that leaves less than this share of the documents (1 in …) drives the search; others are tested for each candidate.
const SELECTIVE: u64 = 200;

/// Documents with the score of the last place that are compared with each other. Beyond it, the first ones found stay: with a common
/// word, hundreds of thousands of documents can have the same score.
const MAX_TIES: usize = 2_000;

/// A condition, and the number of its documents.
pub(crate) type Filter = (Box<dyn Query>, u64);

/// What to rank.
pub(crate) struct Selection {
    /// Terms and their weights, of which a document has at least one; `None` for all documents.
    pub(crate) words: Option<Vec<(Term, f32)>>,
    pub(crate) filters: Vec<Filter>,
    pub(crate) price: Option<PriceLimit>,
    pub(crate) sort: Sort,
}

#[derive(Clone, Debug)]
pub(crate) struct PriceLimit {
    /// Hashes of the assets.
    pub(crate) assets: Vec<u64>,
    pub(crate) amount: u64,
}

/// A selected document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ranked {
    rank: u64,
    tie: u64,
    segment: SegmentOrdinal,
    doc: DocId,
}

impl Ranked {
    pub(crate) fn address(&self) -> DocAddress {
        DocAddress::new(self.segment, self.doc)
    }

    /// The score of a search by relevance.
    pub(crate) const fn score(&self) -> f32 {
        f32::from_bits(self.rank as u32)
    }
}

/// The best `limit` documents, best first.
pub(crate) fn select(
    searcher: &Searcher,
    selection: Selection,
    limit: usize,
) -> Result<Vec<Ranked>, Error> {
    let mut top = Top::new(limit);
    if limit == 0 {
        return Ok(Vec::new());
    }
    let Selection {
        words,
        mut filters,
        price,
        sort,
    } = selection;
    let sort = if words.is_none() && sort == Sort::Relevance {
        Sort::Newest
    } else {
        sort
    };
    filters.sort_by_key(|(_, count)| *count);
    let is_selective = filters
        .first()
        .is_some_and(|(_, count)| *count < searcher.num_docs() / SELECTIVE);
    let drives = words.is_none() || is_selective;
    let lead = (drives && !filters.is_empty()).then(|| filters.remove(0).0);
    let unscored = EnableScoring::disabled_from_searcher(searcher);
    let scoring = match sort {
        Sort::Relevance => EnableScoring::enabled_from_searcher(searcher),
        Sort::Newest | Sort::MostUsed => unscored,
    };
    let source = match (words, lead) {
        (Some(words), None) => Source::Documents(union(&words).weight(scoring)?),
        (Some(words), Some(lead)) => Source::Filtered {
            lead: lead.weight(unscored)?,
            words: words
                .iter()
                .map(|word| term_query(word).weight(scoring))
                .collect::<Result<_, _>>()?,
        },
        (None, Some(lead)) => Source::Documents(lead.weight(unscored)?),
        (None, None) => Source::Documents(AllQuery.weight(unscored)?),
    };
    let filters: Vec<_> = filters
        .iter()
        .map(|(filter, _)| filter.weight(unscored))
        .collect::<Result<_, _>>()?;
    for (segment, reader) in (0..).zip(searcher.segment_readers()) {
        let mut matcher = Matcher::new(reader, &filters, price.as_ref())?;
        let tie = reader.fast_fields().u64(TIE)?.first_or_default_col(0);
        let column = match sort {
            Sort::Relevance => None,
            Sort::Newest => Some(
                reader
                    .fast_fields()
                    .u64(CREATED_AT)?
                    .first_or_default_col(0),
            ),
            Sort::MostUsed => Some(reader.fast_fields().u64(USES)?.first_or_default_col(0)),
        };
        match (&source, column) {
            (Source::Documents(weight), None) => {
                weight.for_each_pruning(top.threshold(), reader, &mut |doc, score| {
                    top.count_tie(score);
                    if matcher.accepts(doc) {
                        top.push_score(score, &*tie, segment, doc);
                    }
                    top.threshold()
                })?;
            }
            (Source::Documents(weight), Some(values)) => {
                let mut scorer = weight.scorer(reader, 1.0)?;
                let mut doc = scorer.doc();
                while doc != TERMINATED {
                    let rank = values.get_val(doc);
                    if top.is_below(rank) {
                        // Segments are sorted by time: the others are older.
                        if sort == Sort::Newest {
                            break;
                        }
                    } else if matcher.accepts(doc) {
                        top.push_rank(rank, &*tie, segment, doc);
                    }
                    doc = scorer.advance();
                }
            }
            (Source::Filtered { lead, words }, values) => {
                let mut words = words
                    .iter()
                    .map(|word| word.scorer(reader, 1.0))
                    .collect::<Result<Vec<_>, _>>()?;
                let mut lead = lead.scorer(reader, 1.0)?;
                let mut doc = lead.doc();
                while doc != TERMINATED {
                    if let Some(score) = score(&mut words, doc).filter(|_| matcher.accepts(doc)) {
                        match &values {
                            Some(values) => top.push_rank(values.get_val(doc), &*tie, segment, doc),
                            None => top.push_score(score, &*tie, segment, doc),
                        }
                    }
                    doc = lead.advance();
                }
            }
        }
    }
    Ok(top.into_sorted())
}

/// Where candidates come from.
enum Source {
    /// All documents of a query. Unions of terms are pruned by score.
    Documents(Box<dyn Weight>),
    /// The few documents of a filter; the words are looked up in each.
    Filtered {
        lead: Box<dyn Weight>,
        words: Vec<Box<dyn Weight>>,
    },
}

fn term_query((term, boost): &(Term, f32)) -> BoostQuery {
    let query = TermQuery::new(term.clone(), IndexRecordOption::WithFreqs);
    BoostQuery::new(Box::new(query), *boost)
}

/// A flat list of terms, or one term alone: the library prunes such queries by score.
fn union(words: &[(Term, f32)]) -> Box<dyn Query> {
    if let [(term, _)] = words {
        // The weight of one word changes no order, and its query would not be pruned.
        return Box::new(TermQuery::new(term.clone(), IndexRecordOption::WithFreqs));
    }
    let queries = words
        .iter()
        .map(|word| Box::new(term_query(word)) as Box<dyn Query>);
    Box::new(BooleanQuery::union(queries.collect()))
}

/// The score of a document; `None` if it has none of the words. Documents come in ascending order.
fn score(words: &mut [Box<dyn Scorer>], doc: DocId) -> Option<Score> {
    let mut sum = None;
    for word in words {
        if word.doc() < doc {
            word.seek(doc);
        }
        if word.doc() == doc {
            sum = Some(sum.unwrap_or(0.0) + word.score());
        }
    }
    sum
}

/// The best entries so far.
struct Top {
    limit: usize,
    /// The worst is first.
    heap: BinaryHeap<Reverse<Ranked>>,
    /// Documents so far that had the score of the last place at that time.
    ties: usize,
}

impl Top {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            heap: BinaryHeap::with_capacity(limit + 1),
            ties: 0,
        }
    }

    fn worst(&self) -> Option<&Ranked> {
        let is_full = self.heap.len() >= self.limit;
        self.heap
            .peek()
            .map(|Reverse(worst)| worst)
            .filter(|_| is_full)
    }

    /// Scores above it can enter. Just below the worst score while there are few ties, so that they are compared.
    fn threshold(&self) -> Score {
        let worst = self.worst().map(Ranked::score);
        match worst {
            None => Score::MIN,
            Some(worst) if self.ties < MAX_TIES => worst.next_down(),
            Some(worst) => worst,
        }
    }

    fn is_below(&self, rank: u64) -> bool {
        self.worst().is_some_and(|worst| rank < worst.rank)
    }

    fn count_tie(&mut self, score: Score) {
        let worst = self.worst().map(Ranked::score);
        self.ties += usize::from(worst.is_some_and(|worst| score <= worst));
    }

    fn push_score(
        &mut self,
        score: Score,
        tie: &dyn ColumnValues<u64>,
        segment: SegmentOrdinal,
        doc: DocId,
    ) {
        self.push_rank(u64::from(score.max(0.0).to_bits()), tie, segment, doc);
    }

    fn push_rank(
        &mut self,
        rank: u64,
        tie: &dyn ColumnValues<u64>,
        segment: SegmentOrdinal,
        doc: DocId,
    ) {
        if !self.is_below(rank) {
            self.push(Ranked {
                rank,
                tie: tie.get_val(doc),
                segment,
                doc,
            });
        }
    }

    fn push(&mut self, entry: Ranked) {
        // Segments are merged at different times: the position of a document must not decide.
        let is_better = |worst: &Ranked| (entry.rank, entry.tie) > (worst.rank, worst.tie);
        match self.worst() {
            Some(worst) if !is_better(worst) => {}
            Some(_) => {
                self.heap.pop();
                self.heap.push(Reverse(entry));
            }
            None => self.heap.push(Reverse(entry)),
        }
    }

    fn into_sorted(self) -> Vec<Ranked> {
        self.heap
            .into_sorted_vec()
            .into_iter()
            .map(|Reverse(entry)| entry)
            .collect()
    }
}

/// Tests the documents of a segment, in ascending order.
struct Matcher<'a> {
    reader: &'a SegmentReader,
    filters: Vec<Box<dyn Scorer>>,
    price: Option<(&'a PriceLimit, Column<u64>, Column<u64>)>,
}

impl<'a> Matcher<'a> {
    fn new(
        reader: &'a SegmentReader,
        filters: &[Box<dyn Weight>],
        price: Option<&'a PriceLimit>,
    ) -> Result<Self, Error> {
        let columns = reader.fast_fields();
        Ok(Self {
            reader,
            filters: filters
                .iter()
                .map(|filter| filter.scorer(reader, 1.0))
                .collect::<Result<_, _>>()?,
            price: match price {
                Some(limit) => Some((
                    limit,
                    columns.u64(PRICE_ASSETS)?,
                    columns.u64(PRICE_AMOUNTS)?,
                )),
                None => None,
            },
        })
    }

    fn accepts(&mut self, doc: DocId) -> bool {
        if self
            .reader
            .alive_bitset()
            .is_some_and(|alive| !alive.is_alive(doc))
        {
            return false;
        }
        for filter in &mut self.filters {
            if filter.doc() < doc {
                filter.seek(doc);
            }
            if filter.doc() != doc {
                return false;
            }
        }
        let Some((limit, assets, amounts)) = &self.price else {
            return true;
        };
        let mut is_free = true;
        for (asset, amount) in assets.values_for_doc(doc).zip(amounts.values_for_doc(doc)) {
            if limit.assets.contains(&asset) && amount <= limit.amount {
                return true;
            }
            is_free = false;
        }
        is_free
    }
}
