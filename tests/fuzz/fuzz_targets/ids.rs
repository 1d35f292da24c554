//! Parsing the printed form of an identifier returns the identifier.
#![no_main]

use std::{fmt::Debug, str::FromStr};

use atr_ids::{AccountId, AssetId, ChainId, HttpsUrl, MetadataUri, Slug, Tag, ToolRef};
use libfuzzer_sys::fuzz_target;

fn round_trips<T: FromStr<Err: Debug> + ToString + PartialEq + Debug>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        assert_eq!(value.to_string().parse::<T>().expect("printed form"), value);
    }
}

fuzz_target!(|text: &str| {
    round_trips::<HttpsUrl>(text);
    round_trips::<MetadataUri>(text);
    round_trips::<ChainId>(text);
    round_trips::<AccountId>(text);
    round_trips::<AssetId>(text);
    round_trips::<ToolRef>(text);
    round_trips::<Slug>(text);
    round_trips::<Tag>(text);
    if let Ok(url) = HttpsUrl::from_unicode(text) {
        assert!(url.is_normalized(&url.to_string()));
    }
});
