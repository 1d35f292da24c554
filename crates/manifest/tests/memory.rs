//! Peak memory for untrusted documents. A separate binary, because it measures the allocations of the whole process.

use std::{
    fs,
    path::Path,
    sync::{Mutex, MutexGuard},
};

use atr_manifest::{Document, Findings, MAX_MANIFEST_BYTES, Policy, check};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const MAX_PEAK_BYTES: usize = 64 << 20;
const MAX_MANIFEST_RATIO: usize = 4;

/// Held while measuring: tests of one process share its heap.
static MEASURING: Mutex<()> = Mutex::new(());

/// Peak heap of parsing, checking, canonicalizing and hashing, including the copy of the input.
fn peak(bytes: &[u8], _measuring: &MutexGuard<'_, ()>) -> usize {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    match Document::parse(bytes) {
        Ok(document) => {
            drop(check(&document, Policy::producer()));
            drop(check(&document, Policy::consumer()));
            let hash = document.hash();
            assert_eq!(document.canonical().hash(), hash);
        }
        Err(error) => drop(Findings::from(&error)),
    }
    ALLOCATOR.peak_usage().saturating_sub(before)
}

/// Repeats `unit` between `start` and `end` up to the size limit.
fn filled(start: &str, unit: &str, end: &str) -> Vec<u8> {
    let times = (MAX_MANIFEST_BYTES - start.len() - end.len()) / unit.len();
    format!("{start}{}{end}", unit.repeat(times)).into_bytes()
}

/// Fills an object with members of unique names up to the size limit.
fn members(start: &str, value: &str, end: &str) -> Vec<u8> {
    let mut text = start.to_owned();
    for index in 0.. {
        let member = format!("\"{index:x}\":{value},");
        if text.len() + member.len() + end.len() > MAX_MANIFEST_BYTES {
            break;
        }
        text.push_str(&member);
    }
    text.pop();
    text.push_str(end);
    text.into_bytes()
}

/// Documents of maximum size with many nodes, many findings, or long pointers.
fn hostile() -> Vec<Vec<u8>> {
    let long = "x".repeat(MAX_MANIFEST_BYTES / 2 - 64);
    let combining = "e\u{301}";
    vec![
        filled("[0", ",0", "]"),
        filled("[[]", ",[]", "]"),
        filled("[{}", ",{}", "]"),
        filled("[{\"\":0}", ",{\"\":0}", "]"),
        filled("{\"\":0", ",\"\":0", "}"),
        filled("\"", ",", "\""),
        filled("\"", ":", "\""),
        filled("\"", "\\u0000", "\""),
        filled("\"", "\\n", "\""),
        filled("\"", "é", "\""),
        filled("\"", combining, "\""),
        filled("[\"\\n\"", ",\"\\n\"", "]"),
        filled("[1e300", ",1e300", "]"),
        filled("[1e20", ",1e20", "]"),
        filled("", "[", ""),
        filled("", " ", ""),
        filled("", "9", ""),
        members("{", "0", "}"),
        members("{\"access\":{\"requirements\":[{\"links\":{", "0", "}}]}}"),
        members(
            "{\"access\":{\"requirements\":[{\"links\":{",
            "\"http://a\"",
            "}}]}}",
        ),
        members("{\"inputs\":{\"properties\":{", "{\"$ref\":\"x\"}", "}}}"),
        filled("{\"tags\":[0", ",0", "]}"),
        filled("{\"tags\":[\"\"", ",\"\"", "]}"),
        filled("{\"pricing\":[{}", ",{}", "]}"),
        filled("{\"pricing\":[0", ",0", "]}"),
        filled("{\"access\":{\"requirements\":[{}", ",{}", "]}}"),
        filled(
            "{\"io.example.x\":[\"e\u{301}\"",
            &format!(",\"{combining}\""),
            "]}",
        ),
        filled(
            &format!("{{\"{long}\":[\"e\u{301}\""),
            &format!(",\"{combining}\""),
            "]}",
        ),
        filled(&format!("{{\"{long}\":[1e300"), ",1e300", "]}"),
        format!("{{\"endpoint\":\"HTTPS://A.example/{long}\",\"description\":\"{long}")
            .into_bytes(),
        format!("{{\"endpoint\":\"HTTPS://A.example/{long}\"}}").into_bytes(),
        format!("{{\"tags\":[\"{long}\"],\"creatorAddress\":\"{long}").into_bytes(),
    ]
}

#[test]
fn no_document_takes_more_than_64_mebibytes() {
    let measuring = MEASURING.lock().unwrap();
    for bytes in hostile() {
        assert!(bytes.len() <= MAX_MANIFEST_BYTES);
        let peak = peak(&bytes, &measuring);
        let start = String::from_utf8_lossy(&bytes[..40.min(bytes.len())]).into_owned();
        assert!(peak < MAX_PEAK_BYTES, "{peak} bytes for {start}…");
    }
}

#[test]
fn documents_above_the_size_limit_are_rejected_without_parsing() {
    // I-01
    let measuring = MEASURING.lock().unwrap();
    let bytes = vec![b'['; 8 * MAX_MANIFEST_BYTES];
    assert!(peak(&bytes, &measuring) < 2 * bytes.len());
}

#[test]
fn a_manifest_takes_less_than_four_times_its_size() {
    let measuring = MEASURING.lock().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/manifest/full.json");
    let manifest = fs::read(file).unwrap();
    let document = Document::parse(manifest.clone()).unwrap();
    assert!(check(&document, Policy::producer()).is_clean());
    drop(document);
    let ratio = peak(&manifest, &measuring) / manifest.len();
    assert!(
        ratio < MAX_MANIFEST_RATIO,
        "{ratio} times {} bytes",
        manifest.len()
    );
}
