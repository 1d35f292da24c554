//! The index: order, filters, changes, recovery.

use std::{fs, sync::LazyLock};

use atr_search::{
    Change, Error, Filters, MAX_WINDOW, MaxPrice, Opened, Price, SearchDocument, SearchIndex,
    SearchQuery, Sort, Standing,
};
use proptest::prelude::*;

fn tool(number: u64, name: &str) -> SearchDocument {
    SearchDocument {
        key: format!("tool/{number}"),
        chain: 8453,
        creator: "0xaa".to_owned(),
        name: name.to_owned(),
        description: "Answers questions.".to_owned(),
        access_type: "open".to_owned(),
        standing: Standing::Verified,
        created_at: 1_000 + number,
        ..SearchDocument::default()
    }
}

fn put(document: SearchDocument) -> Change {
    Change::Put(Box::new(document))
}

fn index(documents: impl IntoIterator<Item = SearchDocument>) -> SearchIndex {
    let index = SearchIndex::in_memory("test").unwrap();
    index.apply(documents.into_iter().map(put), 1).unwrap();
    index
}

fn query(text: &str) -> SearchQuery {
    SearchQuery {
        text: text.to_owned(),
        limit: 50,
        ..SearchQuery::default()
    }
}

fn keys(index: &SearchIndex, query: &SearchQuery) -> Vec<String> {
    let hits = index.search(query).unwrap().hits;
    hits.into_iter().map(|hit| hit.key).collect()
}

#[test]
fn verified_tools_come_first_and_the_others_only_on_request() {
    // K-09: the best match fails a check and comes last.
    let standing = |number, name: &str, standing| SearchDocument {
        standing,
        ..tool(number, name)
    };
    let index = index([
        standing(1, "price price price", Standing::Failed),
        standing(2, "price price", Standing::Unknown),
        standing(3, "a very long name with a price in it", Standing::Verified),
    ]);
    assert_eq!(keys(&index, &query("price")), ["tool/3"]);
    for sort in [Sort::Relevance, Sort::Newest, Sort::MostUsed] {
        let mut all = query("price");
        all.filters.include_unverified = true;
        all.sort = sort;
        assert_eq!(
            keys(&index, &all),
            ["tool/3", "tool/2", "tool/1"],
            "{sort:?}"
        );
        all.limit = 2;
        assert_eq!(keys(&index, &all), ["tool/3", "tool/2"], "{sort:?}");
        all.offset = 1;
        assert_eq!(keys(&index, &all), ["tool/2", "tool/1"], "{sort:?}");
    }
}

#[test]
fn equal_tools_are_not_ordered_by_id() {
    // K-09: ranks do not follow the order of ids, nor the order in which documents were added.
    let same = |number| SearchDocument {
        created_at: 7,
        ..tool(number, "same")
    };
    let numbers: Vec<u64> = (1..=20).collect();
    let forward = index(numbers.iter().copied().map(same));
    let backward = index(numbers.iter().rev().copied().map(same));
    for sort in [Sort::Relevance, Sort::Newest, Sort::MostUsed] {
        let query = SearchQuery {
            sort,
            limit: 10,
            ..query("same")
        };
        let found = keys(&forward, &query);
        assert_eq!(found, keys(&backward, &query), "{sort:?}");
        let ids: Vec<u64> = found
            .iter()
            .map(|key| key["tool/".len()..].parse().unwrap())
            .collect();
        assert!(!ids.is_sorted() && !ids.iter().rev().is_sorted(), "{ids:?}");
    }
}

#[test]
fn filters_apply_alone_and_together() {
    let usdc = |amount| Price {
        asset: "usdc".to_owned(),
        amount,
    };
    let documents = [
        SearchDocument {
            tags: vec!["NFT".to_owned(), "price".to_owned()],
            ..tool(1, "oracle one")
        },
        SearchDocument {
            tags: vec!["nft".to_owned()],
            chain: 1,
            prices: vec![usdc(100)],
            ..tool(2, "oracle two")
        },
        SearchDocument {
            creator: "0xbb".to_owned(),
            access_type: "nft_gated".to_owned(),
            prices: vec![
                Price {
                    asset: "dai".to_owned(),
                    amount: 5,
                },
                usdc(300),
            ],
            ..tool(3, "oracle three")
        },
        SearchDocument {
            access_type: "subscription".to_owned(),
            prices: vec![usdc(u64::MAX)],
            ..tool(4, "oracle four")
        },
    ];
    let index = index(documents);
    let price = |assets: &[&str], amount| {
        let assets = assets.iter().map(|asset| (*asset).to_owned()).collect();
        Filters {
            max_price: Some(MaxPrice { assets, amount }),
            ..Filters::default()
        }
    };
    let tags = |tags: &[&str]| Filters {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..Filters::default()
    };
    let access = |types: &[&str]| Filters {
        access_types: types.iter().map(|name| (*name).to_owned()).collect(),
        ..Filters::default()
    };
    // O-02: each filter alone and combined, with and without words.
    for (filters, expected) in [
        (Filters::default(), vec![1, 2, 3, 4]),
        (tags(&["nft"]), vec![1, 2]),
        (tags(&["Nft", "price"]), vec![1]),
        (tags(&["unknown"]), vec![]),
        (access(&["nft_gated"]), vec![3]),
        (access(&["nft_gated", "subscription"]), vec![3, 4]),
        (
            Filters {
                chain: Some(1),
                ..Filters::default()
            },
            vec![2],
        ),
        (
            Filters {
                creator: Some("0xbb".to_owned()),
                ..Filters::default()
            },
            vec![3],
        ),
        (price(&["usdc"], 99), vec![1]),
        (price(&["usdc"], 100), vec![1, 2]),
        (price(&["usdc"], 299), vec![1, 2]),
        (price(&["dai"], 5), vec![1, 3]),
        (price(&["dai", "usdc"], 100), vec![1, 2, 3]),
        (
            Filters {
                chain: Some(8453),
                ..tags(&["nft"])
            },
            vec![1],
        ),
        (
            Filters {
                access_types: vec!["open".to_owned()],
                ..price(&["usdc"], 100)
            },
            vec![1, 2],
        ),
    ] {
        for text in ["oracle", ""] {
            let mut found = keys(
                &index,
                &SearchQuery {
                    filters: filters.clone(),
                    ..query(text)
                },
            );
            found.sort();
            let expected: Vec<_> = expected.iter().map(|id| format!("tool/{id}")).collect();
            assert_eq!(found, expected, "{text:?} {filters:?}");
        }
    }
}

#[test]
fn finds_partial_words_and_typos() {
    let index = index([
        tool(1, "translator"),
        tool(2, "weather-forecast"),
        tool(3, "tokenAddress lookup"),
        tool(4, "price"),
    ]);
    for (text, expected) in [
        ("transl", vec!["tool/1"]),
        ("anslat", vec!["tool/1"]),
        ("tranlsator", vec!["tool/1"]),
        ("wether", vec!["tool/2"]),
        ("foreca", vec!["tool/2"]),
        // The stem of the misspelled word, `pirc`, is two edits away.
        ("pirce", vec!["tool/4"]),
        ("TOKENADDRESS", vec!["tool/3"]),
        ("address", vec!["tool/3"]),
        ("zzzz", vec![]),
        ("the", vec![]),
        ("!?", vec![]),
    ] {
        assert_eq!(keys(&index, &query(text)), expected, "{text}");
    }
}

#[test]
fn changes_replace_and_remove_documents() {
    let index = index([tool(1, "old name"), tool(2, "other")]);
    index
        .apply(
            [
                put(tool(1, "new name")),
                Change::Remove("tool/2".to_owned()),
            ],
            2,
        )
        .unwrap();
    assert_eq!((index.sequence(), index.len()), (2, 1));
    assert_eq!(keys(&index, &query("new")), ["tool/1"]);
    assert_eq!(keys(&index, &query("old")), Vec::<String>::new());
    assert_eq!(keys(&index, &query("")), ["tool/1"]);
    // The last change of a batch counts.
    index
        .apply(
            [
                put(tool(3, "first")),
                put(tool(3, "second")),
                Change::Remove("tool/9".to_owned()),
            ],
            3,
        )
        .unwrap();
    assert_eq!(keys(&index, &query("first")), Vec::<String>::new());
    assert_eq!(keys(&index, &query("second")), ["tool/3"]);
}

#[test]
fn pages_are_disjoint_and_end() {
    let index = index((1..=1_200).map(|number| tool(number, "page")));
    let mut seen = Vec::new();
    let mut page = SearchQuery {
        limit: 150,
        ..query("page")
    };
    loop {
        let hits = index.search(&page).unwrap();
        seen.extend(hits.hits.into_iter().map(|hit| hit.key));
        page.offset += page.limit;
        if !hits.has_more {
            break;
        }
    }
    assert_eq!(seen.len(), MAX_WINDOW);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), MAX_WINDOW);
    assert_eq!(
        index
            .search(&SearchQuery {
                offset: usize::MAX,
                ..query("page")
            })
            .unwrap()
            .hits
            .len(),
        0
    );
}

#[test]
fn resumes_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let (first, opened) = SearchIndex::open(folder.path(), "one").unwrap();
    assert!(matches!(opened, Opened::Created), "{opened:?}");
    first.apply([put(tool(1, "kept"))], 42).unwrap();
    // Another process can search meanwhile, but not write.
    let (reader, _) = SearchIndex::open(folder.path(), "one").unwrap();
    assert_eq!(keys(&reader, &query("kept")), ["tool/1"]);
    assert!(matches!(reader.apply([], 43), Err(Error::Locked { .. })));
    // Nor empty the index.
    assert!(matches!(
        SearchIndex::open(folder.path(), "two"),
        Err(Error::Locked { .. })
    ));
    first.apply([put(tool(2, "kept"))], 44).unwrap();
    reader.reload().unwrap();
    assert_eq!(
        (reader.sequence(), keys(&reader, &query("kept")).len()),
        (44, 2)
    );
    drop((first, reader));
    let (again, opened) = SearchIndex::open(folder.path(), "one").unwrap();
    assert!(matches!(opened, Opened::Resumed), "{opened:?}");
    assert_eq!((again.sequence(), again.len()), (44, 2));
}

#[test]
fn rebuilds_an_index_that_is_damaged_or_of_another_database() {
    let folder = tempfile::tempdir().unwrap();
    let write = |database: &str| {
        let (index, opened) = SearchIndex::open(folder.path(), database).unwrap();
        let sequence = index.sequence();
        index.apply([put(tool(1, "kept"))], 42).unwrap();
        (sequence, matches!(opened, Opened::Rebuilt(_)))
    };
    assert_eq!(write("one"), (0, false));
    assert_eq!(write("one"), (42, false));
    assert_eq!(write("two"), (0, true));
    // A damaged segment.
    let files = fs::read_dir(folder.path())
        .unwrap()
        .map(|file| file.unwrap().path());
    let segment = files
        .into_iter()
        .find(|path| path.extension().is_some_and(|name| name == "term"))
        .unwrap();
    let mut bytes = fs::read(&segment).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&segment, bytes).unwrap();
    assert_eq!(write("two"), (0, true));
    // A missing segment, damaged metadata, a foreign file.
    fs::write(folder.path().join("meta.json"), "{}").unwrap();
    assert_eq!(write("two"), (0, true));
    fs::remove_file(folder.path().join("meta.json")).unwrap();
    assert_eq!(write("two"), (0, true));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// The newest are found without reading the others: compared with sorting all.
    #[test]
    fn the_newest_come_first_after_any_commits_and_merges(
        times in prop::collection::vec(prop::collection::vec(0_u64..50, 1..8), 1..12),
        limit in 1_usize..10,
    ) {
        let index = SearchIndex::in_memory("test").unwrap();
        let mut number = 0;
        let mut expected = Vec::new();
        for (sequence, batch) in (1..).zip(&times) {
            let documents: Vec<_> = batch.iter().map(|time| {
                number += 1;
                expected.push(*time);
                put(SearchDocument { created_at: *time, ..tool(number, "same") })
            }).collect();
            index.apply(documents, sequence).unwrap();
        }
        expected.sort_by(|a, b| b.cmp(a));
        expected.truncate(limit);
        let all: Vec<u64> = times.concat();
        for text in ["same", ""] {
            let found = keys(&index, &SearchQuery { sort: Sort::Newest, limit, ..query(text) });
            let found: Vec<_> = found.iter().map(|key| {
                let number: usize = key["tool/".len()..].parse().unwrap();
                all[number - 1]
            }).collect();
            prop_assert_eq!(&found, &expected);
        }
    }

}

static SMALL: LazyLock<SearchIndex> =
    LazyLock::new(|| index([tool(1, "translator"), tool(2, "天気予報 weather")]));

proptest! {
    /// Queries are text: nothing in them is an error or a panic.
    #[test]
    fn no_query_is_an_error(text in "\\PC{0,40}|[-+:\"'()\\[\\]{}^~*?!\\\\/ a-z]{0,40}|.{0,200}", offset in 0_usize..2_000) {
        let index = &*SMALL;
        let query = SearchQuery { offset, ..query(&text) };
        prop_assert!(index.search(&query).is_ok());
        let mut filtered = query;
        filtered.filters.tags = vec![text.clone()];
        filtered.filters.creator = Some(text.clone());
        filtered.filters.access_types = vec![text];
        prop_assert!(index.search(&filtered).is_ok());
    }
}
