//! Search and lists at 10,000, 100,000 and 1,000,000 tools; fails above the bounds. `make bench-search` runs it.
//!
//! Words follow Zipf's law, so that the commonest word is in most descriptions. Tools are written straight into the database and the
//! search index.

#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark"
)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use alloy_primitives::{Address, B256, U256, keccak256};
use atr_api::{
    Catalog,
    catalog::{ListParameters, SearchParameters},
};
use atr_search::{
    Change, Filters, MaxPrice, Price, SearchDocument, SearchIndex, SearchQuery, Standing,
};
use atr_store::index::{
    AccessType, Batch, Block, Event, EventBlock, EventKind, IndexStore, NewRegistry, RegistryKey,
    RegistryStatus, SqliteIndex,
};
use rustix::time::{ClockId, clock_gettime};

const WORDS: usize = 50_000;
const CHAIN: u64 = 8453;
const NOW: u64 = 1_795_000_000;
const COUNT: usize = 1_000;

/// Bounds at the largest size.
const SEARCH_CPU: Duration = Duration::from_millis(5);
const SEARCH_WALL: Duration = Duration::from_millis(20);
const LIST_CPU: Duration = Duration::from_millis(1);

/// A generator of numbers (xorshift64*), the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap() % bound
    }
}

/// Words by frequency.
struct Vocabulary {
    words: Vec<String>,
    /// Cumulative frequencies of Zipf's law.
    cumulative: Vec<f64>,
}

impl Vocabulary {
    fn new(random: &mut Random) -> Self {
        let syllables = [
            "ba", "co", "di", "fu", "ge", "ha", "jo", "ki", "lu", "me", "no", "pa", "ri", "so",
            "ta", "ve", "wi", "xu", "yo", "za",
        ];
        let mut known = std::collections::HashSet::new();
        let mut words = Vec::new();
        while words.len() < WORDS {
            let length = 2 + random.below(3);
            let word: String = (0..length)
                .map(|_| syllables[random.below(syllables.len())])
                .collect();
            if known.insert(word.clone()) {
                words.push(word);
            }
        }
        let mut total = 0.0;
        let cumulative = (1..=WORDS)
            .map(|rank| {
                total += 1.0 / rank as f64;
                total
            })
            .collect();
        Self { words, cumulative }
    }

    fn word(&self, random: &mut Random) -> &str {
        let total = self.cumulative[WORDS - 1];
        let point = (random.next() >> 11) as f64 / (1_u64 << 53) as f64 * total;
        &self.words[self
            .cumulative
            .partition_point(|sum| *sum < point)
            .min(WORDS - 1)]
    }

    fn text(&self, random: &mut Random, count: usize) -> String {
        let words: Vec<_> = (0..count).map(|_| self.word(random)).collect();
        words.join(" ")
    }
}

fn document(id: u64, vocabulary: &Vocabulary, random: &mut Random) -> SearchDocument {
    let name = vocabulary.text(random, 3);
    let count = 10 + random.below(20);
    let description = vocabulary.text(random, count);
    let tags = (0..2)
        .map(|_| format!("tag{}", random.below(200) * random.below(200) / 200))
        .collect();
    SearchDocument {
        key: format!("eip155:{CHAIN}/erc8257:{:#x}/{id}", registry().address),
        chain: CHAIN,
        creator: format!("{:#x}", creator(id)),
        name,
        description,
        tags,
        properties: (0..3).map(|_| vocabulary.word(random).to_owned()).collect(),
        access_type: ["open", "open", "open", "nft_gated", "subscription"][random.below(5)]
            .to_owned(),
        prices: match random.below(3) {
            0 => Vec::new(),
            _ => vec![Price {
                asset: "usdc".to_owned(),
                amount: random.next() % 1_000_000,
            }],
        },
        standing: [
            Standing::Verified,
            Standing::Verified,
            Standing::Verified,
            Standing::Unknown,
            Standing::Failed,
        ][random.below(5)],
        created_at: NOW - 10_000_000 + id,
        uses: random.next() % 1_000,
        ..SearchDocument::default()
    }
}

fn registry() -> RegistryKey {
    RegistryKey {
        chain_id: CHAIN,
        address: Address::repeat_byte(0x11),
    }
}

/// A thousand tools of each creator.
fn creator(id: u64) -> Address {
    Address::from_word(B256::from(U256::from(0xc000_0000 + id % 1_000)))
}

async fn fill(store: &dyn IndexStore, count: u64) {
    let new = NewRegistry {
        key: registry(),
        name: "bench".to_owned(),
        is_canonical: true,
        first_block: 1,
        code_hash: B256::ZERO,
        proxy_indicators: "[]".to_owned(),
    };
    let mut version = store.register(&new, NOW).await.unwrap().version;
    let mut id = 0;
    while id < count {
        let block = Block {
            number: 1 + id,
            hash: keccak256(id.to_be_bytes()),
            time: NOW - 10_000_000 + id,
        };
        let events = (0..2_000.min(count - id)).map(|index| {
            let id = id + index + 1;
            let uri = format!("https://tools.example.com/.well-known/ai-tool/{id}.json");
            Event {
                kind: EventKind::Registered,
                log_index: index,
                transaction: B256::ZERO,
                address: None,
                tool_id: Some(U256::from(id)),
                creator: Some(creator(id)),
                predicate: None,
                uri_key: Some(keccak256(&uri)[..16].try_into().unwrap()),
                metadata_uri: Some(uri),
                manifest_hash: Some(keccak256(id.to_be_bytes())),
                data: Vec::new(),
            }
        });
        let events: Vec<_> = events.collect();
        id += events.len() as u64;
        let batch = Batch {
            registry: registry(),
            expected_version: version,
            rewind: None,
            blocks: vec![EventBlock { block, events }],
            tip: block,
            head: block.number,
            checkpoint: "{}".to_owned(),
            status: RegistryStatus::Following,
            now: NOW,
        };
        version = store.apply(&batch).await.unwrap().version;
    }
}

/// Kinds of queries, each with its bound.
fn queries(vocabulary: &Vocabulary, random: &mut Random) -> Vec<(&'static str, Vec<SearchQuery>)> {
    let query = |text: String, filters: Filters| SearchQuery {
        text,
        filters,
        limit: 20,
        ..SearchQuery::default()
    };
    let mut zipf = |filters: &dyn Fn(&mut Random) -> Filters| -> Vec<SearchQuery> {
        (0..COUNT)
            .map(|_| {
                let count = 1 + random.below(4);
                let text = vocabulary.text(random, count);
                query(text, filters(random))
            })
            .collect()
    };
    let tag = |number: usize| Filters {
        tags: vec![format!("tag{number}")],
        ..Filters::default()
    };
    let mut kinds = vec![
        ("words by frequency", zipf(&|_| Filters::default())),
        (
            "with unverified tools",
            zipf(&|_| Filters {
                include_unverified: true,
                ..Filters::default()
            }),
        ),
        ("a common tag", zipf(&|_| tag(0))),
        ("a rare tag", zipf(&|random| tag(100 + random.below(90)))),
        (
            "an access type",
            zipf(&|_| Filters {
                access_types: vec!["subscription".to_owned()],
                ..Filters::default()
            }),
        ),
        (
            "a creator",
            zipf(&|random| Filters {
                creator: Some(format!("{:#x}", creator(random.next()))),
                ..Filters::default()
            }),
        ),
        (
            "a maximum price",
            zipf(&|random| Filters {
                max_price: Some(MaxPrice {
                    assets: vec!["usdc".to_owned()],
                    amount: random.next() % 1_000_000,
                }),
                ..Filters::default()
            }),
        ),
        (
            "chain, type and price",
            zipf(&|random| Filters {
                chain: Some(CHAIN),
                access_types: vec!["open".to_owned()],
                max_price: Some(MaxPrice {
                    assets: vec!["usdc".to_owned()],
                    amount: random.next() % 100_000,
                }),
                ..Filters::default()
            }),
        ),
    ];
    let commonest = (0..COUNT)
        .map(|index| {
            let words: Vec<_> = (0..=index % 4)
                .map(|word| vocabulary.words[(index + word) % 8].as_str())
                .collect();
            query(words.join(" "), Filters::default())
        })
        .collect();
    kinds.push(("the commonest words", commonest));
    let misspelled = (0..COUNT)
        .map(|index| {
            let mut word = vocabulary.words[(index * 37) % WORDS].clone();
            word.insert(word.len() / 2, 'q');
            query(
                format!("{word} {}", vocabulary.word(random)),
                Filters::default(),
            )
        })
        .collect();
    kinds.push(("a misspelled word", misspelled));
    kinds
}

fn cpu(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(
        time.tv_sec.try_into().unwrap(),
        time.tv_nsec.try_into().unwrap(),
    )
}

/// p50, p99 and the largest.
fn percentiles(mut times: Vec<Duration>) -> (Duration, Duration, Duration) {
    times.sort();
    (
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        times[times.len() - 1],
    )
}

fn line(name: &str, times: Vec<Duration>, bound: Option<Duration>, failures: &mut Vec<String>) {
    let (median, p99, max) = percentiles(times);
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "  {name:<34} p50 {:>7.3}  p99 {:>7.3}  max {:>7.3} ms",
        millis(median),
        millis(p99),
        millis(max)
    );
    if let Some(bound) = bound.filter(|bound| p99 > *bound) {
        failures.push(format!(
            "{name}: p99 {:.3} ms, at most {:.3} ms",
            millis(p99),
            millis(bound)
        ));
    }
}

async fn measure(count: u64, failures: &mut Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(
        SqliteIndex::open(&folder.path().join("index.db"), || NOW)
            .await
            .unwrap(),
    );
    let start = Instant::now();
    fill(&*store, count).await;
    println!(
        "{count} tools: database in {:.1} s",
        start.elapsed().as_secs_f64()
    );

    let mut random = Random(0x5eed);
    let vocabulary = Vocabulary::new(&mut random);
    let (index, _) = SearchIndex::open(&folder.path().join("search"), "bench").unwrap();
    let (start, start_cpu) = (Instant::now(), cpu(ClockId::ProcessCPUTime));
    for first in (1..=count).step_by(50_000) {
        let last = count.min(first + 49_999);
        let documents =
            (first..=last).map(|id| Change::Put(Box::new(document(id, &vocabulary, &mut random))));
        index
            .apply(documents, i64::try_from(last).unwrap())
            .unwrap();
    }
    index.wait_for_merges().unwrap();
    let used = cpu(ClockId::ProcessCPUTime) - start_cpu;
    let size: u64 = std::fs::read_dir(folder.path().join("search"))
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    println!(
        "  search index in {:.1} s, {:.1} µs of CPU per tool, {} MB",
        start.elapsed().as_secs_f64(),
        used.as_secs_f64() * 1e6 / count as f64,
        size / 1_000_000
    );

    println!("  CPU of a search:");
    let kinds = queries(&vocabulary, &mut random);
    for (name, queries) in &kinds {
        for query in queries.iter().take(50) {
            index.search(query).unwrap();
        }
        let times = queries.iter().map(|query| {
            let start = cpu(ClockId::ThreadCPUTime);
            index.search(query).unwrap();
            cpu(ClockId::ThreadCPUTime) - start
        });
        line(name, times.collect(), Some(SEARCH_CPU), failures);
    }

    let catalog = Catalog::new(store, Arc::new(index), || NOW);
    println!("  wall time of a request at 100 per second:");
    let mixed: Vec<_> = (0..COUNT)
        .map(|number| kinds[number % kinds.len()].1[number].clone())
        .collect();
    let mut interval = tokio::time::interval(Duration::from_millis(10));
    let mut running = Vec::new();
    for query in mixed {
        interval.tick().await;
        let catalog = catalog.clone();
        running.push(tokio::spawn(async move {
            let parameters = SearchParameters {
                query: query.text,
                // The database has no verifications here.
                include_unverified: true,
                limit: 20,
                ..SearchParameters::default()
            };
            let start = Instant::now();
            catalog.search(&parameters).await.unwrap();
            start.elapsed()
        }));
    }
    let mut times = Vec::new();
    for request in running {
        times.push(request.await.unwrap());
    }
    line("search with records", times, Some(SEARCH_WALL), failures);

    println!("  CPU of a list:");
    for (name, access_types, creator) in [
        ("newest", Vec::new(), None),
        ("open", vec![AccessType::Open], None),
        ("a creator", Vec::new(), Some(creator(7))),
    ] {
        let mut times = Vec::new();
        let mut cursor = None;
        for _ in 0..COUNT {
            let parameters = ListParameters {
                access_types: access_types.clone(),
                creator,
                include_unverified: true,
                limit: 20,
                cursor: cursor.take(),
                ..ListParameters::default()
            };
            // All threads: the database has its own.
            let start = cpu(ClockId::ProcessCPUTime);
            let page = catalog.list(&parameters).await.unwrap();
            times.push(cpu(ClockId::ProcessCPUTime) - start);
            cursor = page.next;
        }
        line(
            &format!("{name}, page by page"),
            times,
            Some(LIST_CPU),
            failures,
        );
    }
}

fn main() {
    // `cargo bench` and `cargo test` pass options of the standard harness.
    let sizes: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|size| size.parse().ok())
        .collect();
    let is_test = std::env::args().any(|argument| argument == "--test");
    let sizes = match sizes.as_slice() {
        [] if is_test => return,
        [] => vec![10_000, 100_000, 1_000_000],
        sizes => sizes.to_vec(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let mut failures = Vec::new();
    for size in sizes {
        runtime.block_on(measure(size, &mut failures));
    }
    if !failures.is_empty() {
        println!("too slow:\n  {}", failures.join("\n  "));
        std::process::exit(1);
    }
}
