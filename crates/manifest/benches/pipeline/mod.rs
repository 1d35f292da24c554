use atr_manifest::{Document, ManifestHash, Policy, check};

/// Strict reading, all rules, canonical form and hash.
pub(crate) fn run(bytes: &[u8]) -> ManifestHash {
    let document = Document::parse(bytes).unwrap();
    std::hint::black_box(check(&document, Policy::consumer()));
    document.hash()
}

/// `cargo test --benches` runs benches too; they have nothing to measure then.
pub(crate) fn is_asked_for() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}
