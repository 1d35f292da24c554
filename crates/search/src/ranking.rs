//! Selects the best documents: exact top-k with pruning by score, filters, and ties that do not follow the order of ids.

use std::{cmp::Reverse, collections::BinaryHeap, sync::Arc};

use tantivy::{
    DocAddress, DocId, DocSet, Score, Searcher, SegmentOrdinal, SegmentReader, TERMINATED,
    columnar::{Column, ColumnValues},
    query::{AllQuery, BooleanQuery, ConstScoreQuery, EnableScoring, Occur, Query, Scorer, Weight},
};

use crate::{
    Sort,
    error::Error,
    schema::{CREATED_AT, PRICE_AMOUNTS, PRICE_ASSETS, TIE, USES},
};

/// A filter that leaves less than this share of the documents (1 in …) drives the search; others are tested for each candidate.
const SELECTIVE: u64 = 50;

/// What to rank.
pub(crate) struct Selection {
    /// Gives the score; `None` for all documents.
    pub(crate) words: Option<Box<dyn Query>>,
    /// Each with the number of its documents.
    pub(crate) filters: Vec<(Box<dyn Query>, u64)>,
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
    let query: Box<dyn Query> = match (words, lead) {
        (Some(words), None) => words,
        (None, Some(lead)) => lead,
        (None, None) => Box::new(AllQuery),
        (Some(words), Some(lead)) => Box::new(BooleanQuery::new(vec![
            (Occur::Must, Box::new(ConstScoreQuery::new(lead, 0.0))),
            (Occur::Must, words),
        ])),
    };
    let scoring = match sort {
        Sort::Relevance => EnableScoring::enabled_from_searcher(searcher),
        Sort::Newest | Sort::MostUsed => EnableScoring::disabled_from_searcher(searcher),
    };
    let weight = query.weight(scoring)?;
    let unscored = EnableScoring::disabled_from_searcher(searcher);
    let filters: Vec<_> = filters
        .iter()
        .map(|(filter, _)| filter.weight(unscored))
        .collect::<Result<_, _>>()?;
    for (segment, reader) in (0..).zip(searcher.segment_readers()) {
        let mut matcher = Matcher::new(reader, &filters, price.as_ref())?;
        let tie = reader.fast_fields().u64(TIE)?.first_or_default_col(0);
        match sort {
            Sort::Relevance => {
                weight.for_each_pruning(top.threshold(), reader, &mut |doc, score| {
                    if matcher.accepts(doc) {
                        let rank = u64::from(score.max(0.0).to_bits());
                        top.push(Ranked {
                            rank,
                            tie: tie.get_val(doc),
                            segment,
                            doc,
                        });
                    }
                    top.threshold()
                })?;
            }
            Sort::Newest => by_column(
                &*weight,
                reader,
                CREATED_AT,
                segment,
                &tie,
                &mut matcher,
                &mut top,
                true,
            )?,
            Sort::MostUsed => by_column(
                &*weight,
                reader,
                USES,
                segment,
                &tie,
                &mut matcher,
                &mut top,
                false,
            )?,
        }
    }
    Ok(top.into_sorted())
}

/// Ranks by a column. If the segment is sorted by it, reading ends with the first document that is too low.
#[expect(clippy::too_many_arguments, reason = "the state of one loop")]
fn by_column(
    weight: &dyn Weight,
    reader: &SegmentReader,
    column: &str,
    segment: SegmentOrdinal,
    tie: &Arc<dyn ColumnValues<u64>>,
    matcher: &mut Matcher<'_>,
    top: &mut Top,
    is_sorted: bool,
) -> Result<(), Error> {
    let values = reader.fast_fields().u64(column)?.first_or_default_col(0);
    let mut scorer = weight.scorer(reader, 1.0)?;
    let mut doc = scorer.doc();
    while doc != TERMINATED {
        let rank = values.get_val(doc);
        if top.is_below(rank) {
            if is_sorted {
                break;
            }
        } else if matcher.accepts(doc) {
            top.push(Ranked {
                rank,
                tie: tie.get_val(doc),
                segment,
                doc,
            });
        }
        doc = scorer.advance();
    }
    Ok(())
}

/// The best entries so far.
struct Top {
    limit: usize,
    /// The worst is first.
    heap: BinaryHeap<Reverse<Ranked>>,
}

impl Top {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            heap: BinaryHeap::with_capacity(limit + 1),
        }
    }

    fn worst(&self) -> Option<&Ranked> {
        let is_full = self.heap.len() >= self.limit;
        self.heap
            .peek()
            .map(|Reverse(worst)| worst)
            .filter(|_| is_full)
    }

    /// Scores above it can enter. Just below the worst score, so that ties are compared as well.
    fn threshold(&self) -> Score {
        self.worst()
            .map_or(Score::MIN, |worst| worst.score().next_down())
    }

    fn is_below(&self, rank: u64) -> bool {
        self.worst().is_some_and(|worst| rank < worst.rank)
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
