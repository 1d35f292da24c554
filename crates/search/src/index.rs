//! The index: opens or rebuilds, applies changes, searches.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use tantivy::{
    Index, IndexReader, IndexSettings, IndexSortByField, IndexWriter, Order, ReloadPolicy,
    Searcher, TantivyDocument, TantivyError, Term,
    directory::error::LockError,
    query::{BooleanQuery, TermQuery},
    schema::{IndexRecordOption, Value},
};

use crate::{
    Filters, Hit, Hits, MAX_PRICES, MAX_TEXT_BYTES, MAX_WINDOW, SearchDocument, SearchQuery,
    Standing,
    error::Error,
    ranking::{Filter, PriceLimit, Ranked, Selection, select},
    schema::{self, CREATED_AT, Columns, FORMAT, Fields},
    text::{self, Analyzer, QueryTerm},
    vocabulary,
};

/// Memory for documents that are not committed yet.
const WRITER_BYTES: usize = 64 * 1024 * 1024;

/// Terms of a query; the others are ignored.
const MAX_TERMS: usize = 16;

/// Words of a query that the index does not have and that are replaced by similar ones.
const MAX_REPLACED: usize = 4;

/// Bytes of a query that are read.
const MAX_QUERY_BYTES: usize = 1024;

/// How often the words of names and tags are indexed: a word there counts more than one in a description.
const TITLE_REPETITIONS: usize = 3;

/// Entries of the words of a query, at most; the rarest words are used first. With fewer than about a hundred thousand tools, all words
/// are used; beyond, the commonest ones say little and cost most.
const MAX_POSTINGS: u64 = 150_000;

/// A similar word counts less than the word itself.
const SIMILAR_BOOST: f32 = 0.7;

/// How far the index has followed a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Identifies the database: the index of another one is of no use.
    pub database: String,
    /// The last change that is contained.
    pub sequence: i64,
    format: u32,
}

/// A change of one document.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Adds or replaces.
    Put(Box<SearchDocument>),
    /// Removes the document with this key, if there is one.
    Remove(String),
}

/// How an index was opened.
#[derive(Debug)]
pub enum Opened {
    /// It continues where it ended.
    Resumed,
    /// There was none.
    Created,
    /// It was unusable, for this reason, and is empty now.
    Rebuilt(String),
}

/// Full-text index of tools. It contains nothing that the database does not have.
pub struct SearchIndex {
    index: Index,
    reader: IndexReader,
    fields: Fields,
    columns: Columns,
    database: String,
    folder: Option<PathBuf>,
    /// Created with the first change: an index can be searched while another process writes it.
    writer: Mutex<Option<IndexWriter>>,
    sequence: Mutex<i64>,
}

impl SearchIndex {
    /// An index in memory.
    ///
    /// # Errors
    ///
    /// If the index cannot be created.
    pub fn in_memory(database: &str) -> Result<Self, Error> {
        let (schema, fields, columns) = schema::build();
        let index = Index::builder()
            .schema(schema)
            .settings(settings())
            .create_in_ram()?;
        Self::new(index, fields, columns, database, None, 0)
    }

    /// The index in a folder. One that is damaged, has another format or belongs to another database is emptied.
    ///
    /// # Errors
    ///
    /// If the folder cannot be used, or another process writes an index that would have to be emptied.
    pub fn open(folder: &Path, database: &str) -> Result<(Self, Opened), Error> {
        let folder_error = |source| Error::Folder {
            path: folder.to_owned(),
            source,
        };
        fs::create_dir_all(folder).map_err(folder_error)?;
        let is_new = fs::read_dir(folder).map_err(folder_error)?.next().is_none();
        let reason = match Self::resume(folder, database) {
            Ok(index) => return Ok((index, Opened::Resumed)),
            Err(reason) => reason,
        };
        if !is_new {
            empty(folder, is_locked(folder))?;
        }
        let (schema, fields, columns) = schema::build();
        let index = Index::builder()
            .schema(schema)
            .settings(settings())
            .create_in_dir(folder)?;
        let opened = if is_new {
            Opened::Created
        } else {
            Opened::Rebuilt(reason)
        };
        let index = Self::new(index, fields, columns, database, Some(folder.to_owned()), 0)?;
        Ok((index, opened))
    }

    /// `Err`: why the index in the folder cannot be used.
    fn resume(folder: &Path, database: &str) -> Result<Self, String> {
        let text = |error: TantivyError| error.to_string();
        let (schema, fields, columns) = schema::build();
        let index = Index::open_in_dir(folder).map_err(text)?;
        if index.schema() != schema {
            return Err("its fields are of another version".to_owned());
        }
        let payload = index
            .load_metas()
            .map_err(text)?
            .payload
            .unwrap_or_default();
        let position: Position =
            serde_json::from_str(&payload).map_err(|_| "it was never committed".to_owned())?;
        if position.format != FORMAT {
            return Err("it is of another version".to_owned());
        }
        if position.database != database {
            return Err("it belongs to another database".to_owned());
        }
        let damaged = index.validate_checksum().map_err(text)?;
        if let Some(file) = damaged.iter().next() {
            return Err(format!("{} is damaged", file.display()));
        }
        Self::new(
            index,
            fields,
            columns,
            database,
            Some(folder.to_owned()),
            position.sequence,
        )
        .map_err(|error| error.to_string())
    }

    fn new(
        index: Index,
        fields: Fields,
        columns: Columns,
        database: &str,
        folder: Option<PathBuf>,
        sequence: i64,
    ) -> Result<Self, Error> {
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        Ok(Self {
            index,
            reader,
            fields,
            columns,
            database: database.to_owned(),
            folder,
            writer: Mutex::default(),
            sequence: Mutex::new(sequence),
        })
    }

    /// The last change that results contain; 0 before the first.
    #[must_use]
    pub fn sequence(&self) -> i64 {
        *lock(&self.sequence)
    }

    /// Number of documents.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Applies changes up to a sequence and commits. Blocks.
    ///
    /// # Errors
    ///
    /// If another process writes the index, or the disk fails. Nothing is applied then.
    pub fn apply(
        &self,
        changes: impl IntoIterator<Item = Change>,
        sequence: i64,
    ) -> Result<(), Error> {
        let mut slot = lock(&self.writer);
        let writer = match slot.take() {
            Some(writer) => slot.insert(writer),
            None => slot.insert(self.create_writer()?),
        };
        let written = self.write(writer, changes, sequence);
        if written.is_err() {
            // The state of the writer is not known. The next one starts with what is committed.
            *slot = None;
        }
        written?;
        self.reader.reload()?;
        *lock(&self.sequence) = sequence;
        Ok(())
    }

    /// Waits for merges in the background, as before a measurement. Blocks.
    ///
    /// # Errors
    ///
    /// If a merge failed.
    pub fn wait_for_merges(&self) -> Result<(), Error> {
        if let Some(writer) = lock(&self.writer).take() {
            writer.wait_merging_threads()?;
        }
        self.reader.reload()?;
        Ok(())
    }

    /// Reads what another process has committed to the folder since.
    ///
    /// # Errors
    ///
    /// If the disk fails.
    pub fn reload(&self) -> Result<(), Error> {
        self.reader.reload()?;
        let payload = self.index.load_metas()?.payload.unwrap_or_default();
        if let Ok(position) = serde_json::from_str::<Position>(&payload) {
            *lock(&self.sequence) = position.sequence;
        }
        Ok(())
    }

    fn create_writer(&self) -> Result<IndexWriter, Error> {
        match self.index.writer_with_num_threads(1, WRITER_BYTES) {
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) => Err(Error::Locked {
                path: self.folder.clone().unwrap_or_default(),
            }),
            other => Ok(other?),
        }
    }

    fn write(
        &self,
        writer: &mut IndexWriter,
        changes: impl IntoIterator<Item = Change>,
        sequence: i64,
    ) -> Result<(), Error> {
        let mut analyzer = Analyzer::new();
        for change in changes {
            let key = match &change {
                Change::Put(document) => &document.key,
                Change::Remove(key) => key,
            };
            writer.delete_term(Term::from_field_text(self.fields.key, key));
            if let Change::Put(document) = &change {
                writer.add_document(self.document(document, &mut analyzer))?;
            }
        }
        let position = Position {
            database: self.database.clone(),
            sequence,
            format: FORMAT,
        };
        let payload = serde_json::to_string(&position)
            .map_err(io::Error::from)
            .map_err(TantivyError::from)?;
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&payload);
        commit.commit()?;
        Ok(())
    }

    fn document(&self, from: &SearchDocument, analyzer: &mut Analyzer) -> TantivyDocument {
        let (fields, columns) = (self.fields, self.columns);
        let mut document = TantivyDocument::new();
        document.add_text(fields.key, &from.key);
        document.add_u64(fields.chain, from.chain);
        document.add_text(fields.creator, &from.creator);
        document.add_text(fields.access_type, &from.access_type);
        document.add_u64(fields.standing, from.standing.number());
        document.add_u64(columns.created_at, from.created_at);
        document.add_u64(columns.uses, from.uses);
        document.add_u64(columns.tie, hash(&from.key));
        for price in from.prices.iter().take(MAX_PRICES) {
            document.add_u64(columns.price_assets, hash(&price.asset));
            document.add_u64(columns.price_amounts, price.amount);
        }
        let mut remaining = MAX_TEXT_BYTES;
        let (mut title, mut body, mut grams) = (String::new(), String::new(), String::new());
        let mut known = std::collections::HashSet::new();
        let names = [&from.name, &from.display_name]
            .into_iter()
            .chain(&from.tags);
        for text in names {
            for_each_term(analyzer, text, &mut remaining, |term| {
                push(&mut title, term);
                if known.insert(term.to_owned()) {
                    vocabulary::push_grams(&mut grams, term);
                }
            });
        }
        for text in std::iter::once(&from.description).chain(&from.properties) {
            for_each_term(analyzer, text, &mut remaining, |term| push(&mut body, term));
        }
        for _ in 0..TITLE_REPETITIONS {
            body.push_str(&title);
        }
        document.add_text(fields.body, body);
        document.add_text(fields.grams, grams);
        for tag in &from.tags {
            document.add_text(fields.tag, fold_tag(tag));
        }
        document
    }

    /// Searches. Blocks, for a few milliseconds at most.
    ///
    /// # Errors
    ///
    /// If the disk fails.
    pub fn search(&self, query: &SearchQuery) -> Result<Hits, Error> {
        let searcher = self.reader.searcher();
        let end = query.offset.saturating_add(query.limit).min(MAX_WINDOW);
        if query.offset >= end {
            return Ok(Hits::default());
        }
        let text = text::truncate(&query.text, MAX_QUERY_BYTES);
        let terms = Analyzer::new().terms(text, MAX_TERMS);
        let has_words = !query.text.trim().is_empty();
        let words = self.words(&searcher, &terms)?;
        if has_words && words.is_none() {
            // Nothing but punctuation, stop words, or words that no tool has.
            return Ok(Hits::default());
        }
        let mut ranked: Vec<(Ranked, Standing)> = Vec::new();
        let standings = if query.filters.include_unverified {
            Standing::ALL.len()
        } else {
            1
        };
        // One more than needed tells whether there is another page.
        for standing in &Standing::ALL[..standings] {
            let missing = end + 1 - ranked.len();
            if missing == 0 {
                break;
            }
            let selection = Selection {
                words: words.clone(),
                filters: self.filters(&searcher, &query.filters, *standing)?,
                price: query.filters.max_price.as_ref().map(|price| PriceLimit {
                    assets: price.assets.iter().map(|asset| hash(asset)).collect(),
                    amount: price.amount,
                }),
                sort: query.sort,
            };
            let found = select(&searcher, selection, missing)?;
            ranked.extend(found.into_iter().map(|found| (found, *standing)));
        }
        let has_more = ranked.len() > end && end < MAX_WINDOW;
        let page = ranked.into_iter().take(end).skip(query.offset);
        let is_scored = has_words && query.sort == crate::Sort::Relevance;
        let hits = page.map(|(ranked, standing)| {
            let document: TantivyDocument = searcher.doc(ranked.address())?;
            let key = document
                .get_first(self.fields.key)
                .and_then(|value| value.as_str());
            Ok(Hit {
                key: key.unwrap_or_default().to_owned(),
                standing,
                score: if is_scored { ranked.score() } else { 0.0 },
            })
        });
        Ok(Hits {
            hits: hits.collect::<Result<_, Error>>()?,
            has_more,
        })
    }

    /// The terms to rank by, each with its weight; `None` if no document has any of them.
    fn words(
        &self,
        searcher: &Searcher,
        terms: &[QueryTerm],
    ) -> Result<Option<Vec<(Term, f32)>>, Error> {
        let mut words: Vec<(Term, f32, u64)> = Vec::new();
        let mut add = |text: &str, boost: f32| -> Result<bool, Error> {
            let term = Term::from_field_text(self.fields.body, text);
            let count = searcher.doc_freq(&term)?;
            if count > 0 && !words.iter().any(|(known, ..)| *known == term) {
                words.push((term, boost, count));
            }
            Ok(count > 0)
        };
        let mut replaced = 0;
        for term in terms {
            if !add(&term.stem, 1.0)? && replaced < MAX_REPLACED {
                replaced += 1;
                for similar in vocabulary::similar(searcher, self.fields, term)? {
                    add(&similar.term, SIMILAR_BOOST * similar.similarity)?;
                }
            }
        }
        drop_common(&mut words);
        let words: Vec<_> = words
            .into_iter()
            .map(|(term, boost, _)| (term, boost))
            .collect();
        Ok((!words.is_empty()).then_some(words))
    }

    /// Each with the number of its documents.
    fn filters(
        &self,
        searcher: &Searcher,
        filters: &Filters,
        standing: Standing,
    ) -> Result<Vec<Filter>, Error> {
        let fields = self.fields;
        let mut terms = vec![Term::from_field_u64(fields.standing, standing.number())];
        terms.extend(
            filters
                .tags
                .iter()
                .map(|tag| Term::from_field_text(fields.tag, &fold_tag(tag))),
        );
        terms.extend(
            filters
                .chain
                .map(|chain| Term::from_field_u64(fields.chain, chain)),
        );
        terms.extend(
            filters
                .creator
                .iter()
                .map(|creator| Term::from_field_text(fields.creator, creator)),
        );
        let query = |term: Term| -> Result<Filter, Error> {
            let count = searcher.doc_freq(&term)?;
            Ok((
                Box::new(TermQuery::new(term, IndexRecordOption::Basic)),
                count,
            ))
        };
        let mut queries: Vec<_> = terms.into_iter().map(query).collect::<Result<_, _>>()?;
        if !filters.access_types.is_empty() {
            let types = filters.access_types.iter();
            let types = types.map(|name| query(Term::from_field_text(fields.access_type, name)));
            let types: Vec<_> = types.collect::<Result<_, _>>()?;
            let count = types.iter().map(|(_, count)| count).sum();
            let any = BooleanQuery::union(types.into_iter().map(|(query, _)| query).collect());
            queries.push((Box::new(any), count));
        }
        Ok(queries)
    }
}

impl fmt::Debug for SearchIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchIndex")
            .field("folder", &self.folder)
            .field("sequence", &self.sequence())
            .finish_non_exhaustive()
    }
}

/// Keeps the rarest words, within the bound on their entries.
fn drop_common(words: &mut Vec<(Term, f32, u64)>) {
    words.sort_by_key(|(.., count)| *count);
    let mut sum = 0;
    let mut is_first = true;
    words.retain(|(.., count)| {
        sum += count;
        std::mem::take(&mut is_first) || sum <= MAX_POSTINGS
    });
}

/// Segments are sorted by time: the newest documents are found without reading the others.
fn settings() -> IndexSettings {
    IndexSettings {
        sort_by_field: Some(IndexSortByField {
            field: CREATED_AT.to_owned(),
            order: Order::Desc,
        }),
        ..IndexSettings::default()
    }
}

fn for_each_term(
    analyzer: &mut Analyzer,
    text: &str,
    remaining: &mut usize,
    mut callback: impl FnMut(&str),
) {
    let text = text::truncate(text, *remaining);
    *remaining -= text.len();
    analyzer.for_each(text, usize::MAX, &mut callback);
}

fn push(text: &mut String, term: &str) {
    text.push_str(term);
    text.push(' ');
}

fn fold_tag(tag: &str) -> String {
    text::truncate(tag, 256).to_lowercase()
}

/// The same in every process, because replicas must agree on the order of ties (FNV-1a with a finalizer).
fn hash(text: &str) -> u64 {
    let fnv = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = (fnv ^ (fnv >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

fn is_locked(folder: &Path) -> bool {
    let index = Index::open_in_dir(folder);
    let writer =
        index.map(|index| index.writer_with_num_threads::<TantivyDocument>(1, WRITER_BYTES));
    matches!(
        writer,
        Ok(Err(TantivyError::LockFailure(LockError::LockBusy, _)))
    )
}

fn empty(folder: &Path, is_locked: bool) -> Result<(), Error> {
    let path = || folder.to_owned();
    if is_locked {
        return Err(Error::Locked { path: path() });
    }
    fs::remove_dir_all(folder)
        .and_then(|()| fs::create_dir_all(folder))
        .map_err(|source| Error::Folder {
            path: path(),
            source,
        })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
