use atr_ids::{AccountId, AssetId, ChainId, HttpsUrl, MetadataUri, Slug, Tag, ToolRef};
use proptest::{prelude::*, test_runner::RngSeed};

/// Texts that look like URLs, right and wrong in every part.
fn almost_urls() -> impl Strategy<Value = String> {
    let scheme = prop_oneof![8 => Just("https://"), 1 => Just("HTTPS://"), 1 => Just("http://"), 1 => Just("https:/")];
    let label = prop_oneof![
        4 => "[a-zA-Z0-9-]{0,6}",
        1 => Just("xn--bcher-kva".to_owned()),
        1 => Just("xn--a".to_owned()),
        1 => "[0-9]{1,3}",
        1 => "0x[0-9a-f]{0,2}",
        1 => "\\PC{0,3}",
    ];
    let name = prop::collection::vec(label, 1..5).prop_map(|labels| labels.join("."));
    let host = prop_oneof![6 => name, 1 => "\\[[0-9a-f:.]{0,20}\\]"];
    let port =
        prop_oneof![4 => Just(String::new()), 2 => ":[0-9]{0,6}", 1 => Just(":443".to_owned())];
    let rest = prop_oneof![3 => "(/[a-z./%?#:@-]{0,12})?", 1 => "[/?#]\\PC{0,8}"];
    (scheme, host, port, rest)
        .prop_map(|(scheme, host, port, rest)| format!("{scheme}{host}{port}{rest}"))
}

fn prints_and_reads_to_itself<T>(text: &str) -> Result<(), TestCaseError>
where
    T: std::str::FromStr + ToString + PartialEq + std::fmt::Debug,
    T::Err: std::fmt::Debug,
{
    if let Ok(value) = text.parse::<T>() {
        let printed = value.to_string();
        prop_assert_eq!(printed.parse::<T>().unwrap(), value);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(0x8257), ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn normalising_twice_is_normalising_once(text in almost_urls()) {
        // G-01, G-11
        prints_and_reads_to_itself::<HttpsUrl>(&text)?;
        if let Ok(url) = text.parse::<HttpsUrl>() {
            prop_assert!(url.is_spelt(&url.to_string()));
            prop_assert_eq!(url.byte_length(), url.to_string().len());
            prop_assert!(text.ends_with(url.path_and_more()));
        }
    }

    #[test]
    fn what_we_accept_every_parser_sends_to_the_same_host(text in almost_urls()) {
        // T-20, T-23
        if let Ok(ours) = text.parse::<HttpsUrl>() {
            let theirs = url::Url::parse(&text).unwrap();
            prop_assert_eq!(theirs.origin().ascii_serialization(), ours.origin().to_string());
            prop_assert_eq!(theirs.username(), "");
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic_and_what_is_read_prints_to_itself(text in "\\PC{0,40}|[a-z0-9:/x.-]{0,80}") {
        prints_and_reads_to_itself::<HttpsUrl>(&text)?;
        prints_and_reads_to_itself::<MetadataUri>(&text)?;
        prints_and_reads_to_itself::<ChainId>(&text)?;
        prints_and_reads_to_itself::<AccountId>(&text)?;
        prints_and_reads_to_itself::<AssetId>(&text)?;
        prints_and_reads_to_itself::<ToolRef>(&text)?;
        prints_and_reads_to_itself::<Slug>(&text)?;
        prints_and_reads_to_itself::<Tag>(&text)?;
    }
}
