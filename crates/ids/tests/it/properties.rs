use atr_ids::{AccountId, AssetId, ChainId, HttpsUrl, MetadataUri, Slug, Tag, ToolRef};
use proptest::{prelude::*, test_runner::RngSeed};

/// Valid and invalid text in the shape of a URL.
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

fn assert_round_trip<T>(text: &str) -> Result<(), TestCaseError>
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
    fn normalization_is_idempotent(text in almost_urls()) {
        // G-01, G-11
        assert_round_trip::<HttpsUrl>(&text)?;
        if let Ok(url) = text.parse::<HttpsUrl>() {
            prop_assert!(url.is_normalized(&url.to_string()));
            prop_assert_eq!(url.byte_length(), url.to_string().len());
            prop_assert!(text.ends_with(url.path_query_fragment()));
        }
    }

    #[test]
    fn accepted_urls_have_the_same_origin_in_the_url_crate(text in almost_urls()) {
        // T-20, T-23
        if let Ok(ours) = text.parse::<HttpsUrl>() {
            let theirs = url::Url::parse(&text).unwrap();
            prop_assert_eq!(theirs.origin().ascii_serialization(), ours.origin().to_string());
            prop_assert_eq!(theirs.username(), "");
        }
    }

    #[test]
    fn parsing_never_panics_and_round_trips(text in "\\PC{0,40}|[a-z0-9:/x.-]{0,80}") {
        assert_round_trip::<HttpsUrl>(&text)?;
        assert_round_trip::<MetadataUri>(&text)?;
        assert_round_trip::<ChainId>(&text)?;
        assert_round_trip::<AccountId>(&text)?;
        assert_round_trip::<AssetId>(&text)?;
        assert_round_trip::<ToolRef>(&text)?;
        assert_round_trip::<Slug>(&text)?;
        assert_round_trip::<Tag>(&text)?;
    }
}

/// Valid and invalid text in the shape of a CAIP identifier.
fn almost_caip() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-zA-Z0-9]{1,9}",
        1 => "[-.%_a-z0-9]{0,9}",
        1 => Just("0xabcdefabcdef1234567890abcdefabcdef123456".to_owned()),
        1 => "\\PC{1,2}",
    ];
    let separators = prop::collection::vec(prop_oneof![2 => Just(":"), 1 => Just("/")], 1..5);
    (prop::collection::vec(part, 6), separators).prop_map(|(parts, separators)| {
        let rest = separators.iter().zip(&parts[1..]);
        let rest = rest.map(|(separator, part)| format!("{separator}{part}"));
        parts[0].clone() + &rest.collect::<String>()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(0x8257), ..ProptestConfig::with_cases(4_000) })]

    #[test]
    fn caip_ids_equal_their_text_and_have_only_allowed_characters(text in almost_caip()) {
        assert_round_trip::<ChainId>(&text)?;
        assert_round_trip::<AccountId>(&text)?;
        assert_round_trip::<AssetId>(&text)?;
        let parsed = [
            text.parse::<ChainId>().ok().map(|id| (id.as_str().to_owned(), id.to_string())),
            text.parse::<AccountId>().ok().map(|id| (id.as_str().to_owned(), id.to_string())),
            text.parse::<AssetId>().ok().map(|id| (id.as_str().to_owned(), id.to_string())),
        ];
        for (stored, printed) in parsed.into_iter().flatten() {
            prop_assert_eq!(&stored, &text);
            prop_assert_eq!(&printed, &text);
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b":/-.%_".contains(&byte);
            prop_assert!(text.bytes().all(allowed), "{text}");
        }
    }
}

#[test]
fn ids_of_other_namespaces_are_accepted_and_special_characters_rejected() {
    for text in ["solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "eip155:8453"] {
        assert_eq!(text.parse::<ChainId>().unwrap().as_str(), text);
    }
    let account = "cosmos:cosmoshub-4:cosmos1t2uflqwqe0fsj0shcfkrvpukewcw40yjj6hdc0";
    assert_eq!(account.parse::<AccountId>().unwrap().as_str(), account);
    for character in ['_', '!', '~', ' ', '$', 'é'] {
        let invalid = format!("cosmos:cosmoshub-4:cosmos1{character}t2");
        assert!(invalid.parse::<AccountId>().is_err(), "{invalid}");
    }
    let asset = "eip155:1/erc721:0x06012c8cf97bead5deae237070f9587f8e7a266d/771769";
    assert_eq!(asset.parse::<AssetId>().unwrap().to_string(), asset);
    assert_eq!(asset.parse::<AssetId>().unwrap().as_str(), asset);
}

#[test]
fn a_metadata_uri_equals_its_origin_and_path() {
    let text = "https://tools.example.com:8443/.well-known/ai-tool/oracle.json";
    let uri: MetadataUri = text.parse().unwrap();
    assert_eq!(uri.path(), "/.well-known/ai-tool/oracle.json");
    assert_eq!(format!("{}{}", uri.origin(), uri.path()), text);
    assert_eq!(uri.to_url().to_string(), text);
    assert_eq!("nft".parse::<Tag>().unwrap().as_str(), "nft");
}

#[test]
fn errors_name_the_scheme_or_say_that_it_is_missing() {
    for (text, message) in [
        ("ipfs://bafy", "the scheme is `ipfs`; use https://"),
        ("tools.example.com/x", "the scheme is missing; use https://"),
        ("1x://a", "the scheme is missing; use https://"),
    ] {
        let error = text.parse::<HttpsUrl>().unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}
