use atr_manifest::{Document, ManifestHash, Policy, check};

/// Parses, checks all rules, canonicalizes and hashes.
pub(crate) fn run(bytes: &[u8]) -> ManifestHash {
    let document = Document::parse(bytes).unwrap();
    std::hint::black_box(check(&document, Policy::consumer()));
    document.hash()
}

/// Whether `cargo bench` runs this. `cargo test --benches` runs it too, without this argument.
pub(crate) fn is_benchmark() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}
