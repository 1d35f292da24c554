//! Any text is an identifier or not; one that is prints and reads to itself.
#![no_main]

use std::{fmt::Debug, str::FromStr};

use atr_ids::{AccountId, AssetId, ChainId, HttpsUrl, MetadataUri, Slug, Tag, ToolRef};
use libfuzzer_sys::fuzz_target;

fn prints_to_itself<T: FromStr<Err: Debug> + ToString + PartialEq + Debug>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        assert_eq!(value.to_string().parse::<T>().expect("its own text"), value);
    }
}

fuzz_target!(|text: &str| {
    prints_to_itself::<HttpsUrl>(text);
    prints_to_itself::<MetadataUri>(text);
    prints_to_itself::<ChainId>(text);
    prints_to_itself::<AccountId>(text);
    prints_to_itself::<AssetId>(text);
    prints_to_itself::<ToolRef>(text);
    prints_to_itself::<Slug>(text);
    prints_to_itself::<Tag>(text);
    if let Ok(url) = HttpsUrl::from_unicode(text) {
        assert!(url.is_spelt(&url.to_string()));
    }
});
