use atr_manifest::{CheckedDocument, Document, Policy, check};
use proptest::{prelude::*, test_runner::RngSeed};
use serde_json::Value;

use crate::support::full;

/// Random JSON values.
pub(crate) fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |number| serde_json::Number::from_f64(number)
            .map(Value::from)),
        (-300..300_i32, -999..999_i32)
            .prop_map(|(exponent, digits)| Value::from(f64::from(digits) * 10_f64.powi(exponent))),
        texts().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((texts(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-zA-Z0-9_.$-]{0,12}",
        2 => "\\PC{0,8}",
        1 => prop::collection::vec(any::<char>(), 0..6).prop_map(|characters| characters.into_iter().collect()),
        1 => "[\u{e000}\u{ffff}\u{10000}\u{10ffff}\"\\\\\n\u{8}\u{1f}/]{0,6}",
    ]
}

/// The same document with shuffled members, random whitespace and unnecessary escapes.
fn reformat(value: &Value, random: &mut impl FnMut(usize) -> usize) -> String {
    let space = |random: &mut dyn FnMut(usize) -> usize| ["", " ", "\n", "\t\r\n "][random(4)];
    let before = space(random);
    let inner = match value {
        Value::String(text) => reformat_text(text, random),
        Value::Array(elements) => {
            let elements: Vec<_> = elements
                .iter()
                .map(|element| reformat(element, random))
                .collect();
            format!("[{}{}]", space(random), elements.join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            for index in (1..members.len()).rev() {
                members.swap(index, random(index + 1));
            }
            let members: Vec<_> = members
                .into_iter()
                .map(|(name, value)| {
                    let name = reformat_text(name, random);
                    format!("{name}{}:{}", space(random), reformat(value, random))
                })
                .collect();
            format!("{{{}{}}}", space(random), members.join(", "))
        }
        Value::Number(number)
            if number
                .as_i64()
                .is_some_and(|number| number.abs() < 1_000_000) =>
        {
            [
                number.to_string(),
                format!("{number}.0"),
                format!("{number}e0"),
                format!("{number}.00E+0"),
            ][random(4)]
            .clone()
        }
        other => other.to_string(),
    };
    format!("{before}{inner}{}", space(random))
}

fn reformat_text(text: &str, random: &mut impl FnMut(usize) -> usize) -> String {
    let mut formatted = String::from("\"");
    for character in text.chars() {
        let must_escape = matches!(character, '"' | '\\') || character < ' ';
        if must_escape || random(5) == 0 {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let digits = if random(2) == 0 {
                    format!("{unit:04x}")
                } else {
                    format!("{unit:04X}")
                };
                formatted.push_str(&format!("\\u{digits}"));
            }
        } else {
            formatted.push(character);
        }
    }
    formatted + "\""
}

fn random_numbers(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |limit| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % limit
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(0x8257), ..ProptestConfig::with_cases(256) })]

    #[test]
    fn canonicalization_is_idempotent(value in values()) {
        // F-01
        let document = Document::parse(value.to_string()).unwrap();
        let once = document.canonical();
        let again = Document::parse(once.as_bytes()).unwrap();
        prop_assert_eq!(&once, &again.canonical());
        prop_assert_eq!(document.hash(), once.hash());
    }

    #[test]
    fn order_whitespace_and_escapes_do_not_change_the_hash(value in values(), seed: u64) {
        // F-01
        let plain = Document::parse(value.to_string()).unwrap();
        let formatted = reformat(&value, &mut random_numbers(seed));
        let other = Document::parse(formatted.clone()).unwrap();
        prop_assert_eq!(plain.canonical(), other.canonical(), "{}", formatted);
    }

    #[test]
    fn the_canonical_form_has_the_same_content(value in values()) {
        let document = Document::parse(value.to_string()).unwrap();
        let written: Value = serde_json::from_slice(document.canonical().as_bytes()).unwrap();
        // serde_json can parse another notation of a number one bit off, so numbers are not compared.
        prop_assert_eq!(without_numbers(written), without_numbers(value));
    }

    #[test]
    fn parsing_random_bytes_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Document::parse(bytes);
    }

    #[test]
    fn accepts_a_subset_of_what_serde_json_accepts(value in values(), at: prop::sample::Index, byte in prop::sample::select(b"{}[]\",:0e-.\\u \x01\xc3".as_slice())) {
        let mut bytes = value.to_string().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let ours = Document::parse(bytes.clone());
        let theirs = serde_json::from_slice::<Value>(&bytes);
        prop_assert!(!(ours.is_ok() && theirs.is_err()), "{:?}", theirs);
        if let (Err(error), Ok(_)) = (ours, theirs) {
            // With the feature `arbitrary_precision`, which another crate can enable, serde_json accepts numbers out of range.
            let is_stricter = matches!(error, atr_manifest::Error::DuplicateName { .. } | atr_manifest::Error::NumberOutOfRange { .. });
            prop_assert!(is_stricter, "{}", error);
        }
    }

    #[test]
    fn reformatting_a_manifest_changes_neither_findings_nor_hash(seed: u64) {
        let mut random = random_numbers(seed);
        let formatted = reformat(&full(), &mut random);
        let document = Document::parse(formatted).unwrap();
        let plain = Document::parse(full().to_string()).unwrap();
        prop_assert!(check(&document, Policy::producer()).is_clean());
        prop_assert_eq!(document.hash(), plain.hash());
    }

    #[test]
    fn checking_a_manifest_with_a_random_member_does_not_panic(at: prop::sample::Index, value in values()) {
        let mut manifest = full();
        let mut pointers = Vec::new();
        collect(&manifest, "", &mut pointers);
        *manifest.pointer_mut(&pointers[at.index(pointers.len())]).unwrap() = value;
        let document = Document::parse(manifest.to_string()).unwrap();
        let consumer = check(&document, Policy::consumer());
        let producer = check(&document, Policy::producer());
        // Producers reject at least what consumers reject, and every finding has all texts.
        prop_assert!(consumer.violations.iter().all(|violation| producer.violations.contains(violation)));
        for violation in producer.violations.iter().chain(&producer.warnings) {
            prop_assert!(!violation.found.is_empty() && !violation.allowed.is_empty() && !violation.fix.is_empty());
        }
        // The result does not depend on formatting.
        let canonical = Document::parse(document.canonical().into_bytes()).unwrap();
        prop_assert_eq!(check(&canonical, Policy::producer()).is_valid(), producer.is_valid());
        if consumer.is_valid() {
            prop_assert!(CheckedDocument::new(document, Policy::consumer()).into_manifest().is_ok());
        }
    }
}

fn collect(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                collect(element, &format!("{pointer}/{index}"), found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(member, &format!("{pointer}/{name}"), found);
            }
        }
        _ => {}
    }
    if !pointer.is_empty() {
        found.push(pointer.to_owned());
    }
}

fn without_numbers(value: Value) -> Value {
    match value {
        Value::Number(_) => Value::from(0),
        Value::Array(elements) => elements.into_iter().map(without_numbers).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, without_numbers(value)))
            .collect(),
        other => other,
    }
}
