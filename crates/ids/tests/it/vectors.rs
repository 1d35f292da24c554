use std::{fs, path::Path, str::FromStr};

use atr_ids::{Error, HttpsUrl, MetadataUri, Slug, Tag, ToolRef};
use serde_json::Value;

fn vectors(file: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/vectors")
        .join(file);
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Runs every row of a group, which must not be empty.
fn each(rows: &Value, mut run: impl FnMut(&Value)) {
    let rows = rows.as_array().unwrap();
    let mut count = 0;
    for row in rows {
        run(row);
        count += 1;
    }
    assert!(count > 0 && count == rows.len());
}

fn text(row: &Value, key: &str) -> String {
    if let Some(repeat) = row.get("repeat") {
        let part = |key: &str| repeat[key].as_str().unwrap();
        let total = usize::try_from(repeat["totalBytes"].as_u64().unwrap()).unwrap();
        let fill = total - part("prefix").len() - part("suffix").len();
        return part("prefix").to_owned() + &part("unit").repeat(fill) + part("suffix");
    }
    row[key].as_str().unwrap().to_owned()
}

/// `accept`, or `reject` and the error code.
fn outcome<T: FromStr<Err = Error>>(text: &str) -> (&'static str, Option<&'static str>) {
    match text.parse::<T>() {
        Ok(_) => ("accept", None),
        Err(error) => ("reject", Some(error.code())),
    }
}

fn assert_outcome<T: FromStr<Err = Error>>(row: &Value, text: &str) {
    let (outcome, code) = outcome::<T>(text);
    assert_eq!(row["expect"], outcome, "{row}");
    if let Some(reason) = row.get("reason") {
        assert_eq!(*reason, code.unwrap(), "{row}");
    }
}

#[test]
fn https_urls() {
    // G-01, G-02, G-11, G-12
    each(&vectors("urls.json")["general"], |row| {
        let input = text(row, "input");
        assert_outcome::<HttpsUrl>(row, &input);
        if let Ok(url) = input.parse::<HttpsUrl>() {
            assert_eq!(url.to_string(), row["normalized"], "{row}");
            assert_eq!(url.origin().to_string(), row["origin"], "{row}");
        }
    });
}

#[test]
fn rejects_urls_that_lenient_parsers_repair() {
    // E-05, T-19, T-20, T-23
    let rows = &vectors("urls.json")["general"];
    let mut count = 0;
    for row in rows.as_array().unwrap() {
        let input = row["input"].as_str().unwrap();
        let is_repaired = url::Url::parse(input).is_ok_and(|url| url.scheme() == "https");
        if row["expect"] == "reject" && is_repaired {
            assert!(input.parse::<HttpsUrl>().is_err(), "{row}");
            count += 1;
        }
    }
    assert!(count > 10, "{count} rows that a lenient parser repairs");
}

#[test]
fn metadata_uris() {
    // G-04, G-05, G-07, T-20
    each(&vectors("urls.json")["metadataURI"], |row| {
        let input = text(row, "input");
        assert_outcome::<MetadataUri>(row, &input);
        if let Ok(uri) = input.parse::<MetadataUri>() {
            assert_eq!(uri.to_string(), row["normalized"], "{row}");
            assert_eq!(uri.slug().as_str(), row["slug"], "{row}");
        }
    });
}

#[test]
fn a_metadata_uri_is_at_most_2048_bytes_long() {
    let long = format!(
        "https://a.example/.well-known/ai-tool/{}.json",
        "a".repeat(2048)
    );
    assert!(matches!(
        long.parse::<MetadataUri>(),
        Err(Error::TooLong { .. })
    ));
}

#[test]
fn same_origin_compares_scheme_host_and_port() {
    // G-08, T-22
    each(&vectors("urls.json")["originBinding"], |row| {
        let uri = text(row, "metadataURI").parse::<MetadataUri>();
        let endpoint = text(row, "endpoint").parse::<HttpsUrl>();
        let reason = match (&uri, &endpoint) {
            (Err(error), _) => Some(format!("metadataURI:{}", error.code())),
            (_, Err(error)) => Some(format!("endpoint:{}", error.code())),
            (Ok(uri), Ok(endpoint)) => {
                (!uri.is_same_origin(endpoint)).then(|| "origin-mismatch".to_owned())
            }
        };
        assert_eq!(row["expect"] == "accept", reason.is_none(), "{row}");
        assert_eq!(
            row.get("reason").and_then(Value::as_str),
            reason.as_deref(),
            "{row}"
        );
    });
}

#[test]
fn slugs() {
    // G-06, T-25
    each(&vectors("slugs.json"), |row| {
        assert_outcome::<Slug>(row, row["input"].as_str().unwrap());
    });
}

#[test]
fn single_tags() {
    let rows = vectors("tags.json");
    let single = |row: &&Value| row["input"].as_array().is_some_and(|tags| tags.len() == 1);
    let rows: Vec<_> = rows.as_array().unwrap().iter().filter(single).collect();
    assert!(rows.len() > 5);
    for row in rows {
        assert_outcome::<Tag>(row, row["input"][0].as_str().unwrap());
    }
}

#[test]
fn tool_references() {
    // H-18
    each(&vectors("tool_references.json"), |row| {
        let input = row["input"].as_str().unwrap();
        assert_outcome::<ToolRef>(row, input);
        if let Ok(tool) = input.parse::<ToolRef>() {
            assert_eq!(tool.to_string(), input);
            let (chain, registry, id) = (tool.chain(), tool.registry(), tool.id());
            assert_eq!(format!("eip155:{chain}/erc8257:{registry:#x}/{id}"), input);
        }
    });
}

#[test]
fn rejects_tool_references_in_mixed_case_or_without_chain_or_registry() {
    // H-18
    let address = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    for input in [
        "1".to_owned(),
        format!("erc8257:{address}/1"),
        format!(
            "eip155:8453/erc8257:{}/1",
            address.to_uppercase().replace('X', "x")
        ),
        format!("eip155:8453/erc8257:{address}"),
        format!("eip155:8453/erc8257:{address}/1/2"),
        format!("eip155:99999999999999999999/erc8257:{address}/1"),
        format!("solana:8453/erc8257:{address}/1"),
    ] {
        assert!(input.parse::<ToolRef>().is_err(), "{input}");
    }
}
