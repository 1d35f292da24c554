//! A card is judged by every profile and converted without a panic; an exported card is imported unchanged.
#![no_main]

use atr_agent_card::{
    Checksum, Config, Profile,
    bridge::{Draft, Erc8004Options, export_erc8004, import_a2a, import_erc8004},
    cid::{self, Car, Cid, IpfsPath},
    compare_releases, validate,
};
use atr_manifest::Document;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = Car::parse(bytes);
    if let Ok(published) = Cid::try_from(bytes) {
        let _ = cid::verify(&published, bytes);
    }
    if let Ok(text) = str::from_utf8(bytes) {
        let _ = text.parse::<IpfsPath>();
        assert!(!Checksum::verify(text, bytes).is_unknown());
    }
    let Ok(document) = Document::parse(bytes) else {
        return;
    };
    let config = Config::default();
    assert_eq!(validate(&document, &config).profiles.len(), Profile::ALL.len());
    assert!(compare_releases(&document, &document).changes.is_empty());
    let _ = import_a2a(&document, Draft::default(), &config);
    if let Ok(exported) = export_erc8004(&document, &Erc8004Options::default())
        && let Ok(file) = Document::parse(exported.document.to_string())
    {
        let imported = import_erc8004(&file, Draft::default(), &config).expect("an exported file can be imported");
        let card = Document::parse(imported.document.to_string()).expect("a card is a document");
        assert_eq!(card.canonical(), document.canonical());
    }
});
