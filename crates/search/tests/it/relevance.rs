//! Relevance: the tools that people mean are among the first five.

use std::collections::BTreeSet;

use atr_search::{Change, SearchDocument, SearchIndex, SearchQuery, Standing};

#[derive(serde::Deserialize)]
struct Suite {
    tool: Vec<Tool>,
    query: Vec<Intent>,
}

#[derive(serde::Deserialize)]
struct Tool {
    name: String,
    display: String,
    description: String,
    tags: Vec<String>,
    properties: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Intent {
    text: String,
    relevant: Vec<String>,
}

#[test]
#[expect(clippy::disallowed_macros, reason = "the figure of the suite")]
fn recall_of_the_relevance_suite_meets_the_target() {
    let suite: Suite = toml::from_str(include_str!("relevance.toml")).unwrap();
    let index = SearchIndex::in_memory("suite").unwrap();
    let names: BTreeSet<_> = suite.tool.iter().map(|tool| tool.name.clone()).collect();
    assert!(suite.tool.len() >= 60 && suite.query.len() >= 80);
    let changes = suite.tool.into_iter().map(|tool| {
        Change::Put(Box::new(SearchDocument {
            key: tool.name.clone(),
            name: tool.name,
            display_name: tool.display,
            description: tool.description,
            tags: tool.tags,
            properties: tool.properties,
            standing: Standing::Verified,
            ..SearchDocument::default()
        }))
    });
    index.apply(changes, 1).unwrap();

    let (mut recall, mut missed) = (0.0, Vec::new());
    for intent in &suite.query {
        let found = index
            .search(&SearchQuery {
                text: intent.text.clone(),
                limit: 5,
                ..SearchQuery::default()
            })
            .unwrap();
        assert!(
            intent.relevant.iter().all(|name| names.contains(name)),
            "{}",
            intent.text
        );
        let is_found = |name: &&String| found.hits.iter().any(|hit| hit.key == **name);
        let count = intent.relevant.iter().filter(is_found).count();
        recall += count as f64 / intent.relevant.len() as f64;
        if count < intent.relevant.len() {
            let keys: Vec<_> = found.hits.iter().map(|hit| hit.key.as_str()).collect();
            missed.push(format!("  {:?}: {keys:?}", intent.text));
        }
    }
    let recall = recall / suite.query.len() as f64;
    println!(
        "recall@5 {recall:.3} of {} intents; missed:\n{}",
        suite.query.len(),
        missed.join("\n")
    );
    assert!(recall >= 0.65, "recall@5 {recall:.3}");
}
