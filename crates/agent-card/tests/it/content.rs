use atr_agent_card::{Code, ContentFindings, scan};
use serde_json::{Value, json};

use crate::{
    corpus::{Random, clean, dirty},
    support::{changed, document, example, report, short},
};

fn scan_note(note: Value) -> ContentFindings {
    scan(&document(&json!({"meta": {"note": note}})))
}

fn codes(found: &ContentFindings) -> Vec<&str> {
    found
        .violations
        .iter()
        .map(|finding| finding.code.as_str())
        .collect()
}

#[test]
fn forbidden_content_is_found_anywhere_in_the_card() {
    // P-18
    for pointer in [
        "/description",
        "/meta/tags/0",
        "/capabilities/limits",
        "/owner",
        "/meta/links",
        "/$id",
        "/status",
    ] {
        let card = changed(pointer, json!("http://10.0.0.8/x"));
        let report = report(&card);
        let found = short(&report.profiles[0].violations);
        assert!(
            found.contains(&("private-address".into(), pointer.into())),
            "{pointer} {found:?}"
        );
    }
    let name = scan(&document(
        &json!({"meta": {"ghp_16C7e42F292c6912E7710c838347Ae178B4a": 1}}),
    ));
    assert_eq!(codes(&name), ["credential"]);
    let deep = scan(&document(&json!({"a": [[{"b": {"c": ["<script>"]}}]]})));
    assert_eq!(deep.violations[0].pointer.as_str(), "/a/0/0/b/c/0");
}

#[test]
fn secrets_are_not_repeated() {
    // P-18
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let found = scan_note(json!(secret));
    assert_eq!(found.violations[0].found, "a GitHub token (ghp_…)");
    let printed = format!("{found:?}");
    assert!(!printed.contains(&secret[5..]));
}

#[test]
fn people_fail_and_roles_warn() {
    // P-18
    let person = scan_note(json!("jane.doe@example.org"));
    assert_eq!(
        (codes(&person), person.warnings.len()),
        (vec!["personal-data"], 0)
    );
    let role = scan_note(json!("dev@commandlayer.org"));
    assert_eq!(
        (codes(&role), role.warnings[0].code),
        (vec![], Code::RoleMailbox)
    );
}

#[test]
fn private_keys_of_json_web_keys_are_found() {
    let public =
        json!({"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"});
    assert_eq!(codes(&scan_note(public.clone())), Vec::<&str>::new());
    let mut private = public;
    private["d"] = json!("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI");
    assert_eq!(codes(&scan_note(private)), ["credential"]);
    let words: Vec<_> =
        "legal winner thank year wave sausage worth useful legal winner thank yellow"
            .split(' ')
            .collect();
    assert_eq!(codes(&scan_note(json!(words))), ["credential"]);
}

#[test]
fn what_is_public_is_not_reported() {
    // P-18
    let found = scan(&document(&example()));
    assert_eq!((found.violations, found.warnings), (vec![], vec![]));
}

#[test]
fn false_alarms_and_misses_are_rare_on_generated_cards() {
    // P-18: 250 cards without and 400 with forbidden content. The generator has forms that no pattern can find.
    const CLEAN: usize = 250;
    const DIRTY: usize = 400;
    let mut random = Random(20);
    let mut alarms = Vec::new();
    for _ in 0..CLEAN {
        let card = clean(&mut random);
        let found = scan(&document(&card));
        if let Some(finding) = found.violations.first() {
            alarms.push(format!(
                "{finding}: {}",
                card.pointer(finding.pointer.as_str()).unwrap()
            ));
        }
    }
    let mut misses = Vec::new();
    for _ in 0..DIRTY {
        let (card, dirt) = dirty(&mut random);
        let found = scan(&document(&card));
        if !codes(&found).contains(&dirt.code) {
            misses.push(format!("{} {}", dirt.code, dirt.shown));
        }
    }
    println!("false alarms: {} of {CLEAN} clean cards", alarms.len());
    println!("misses: {} of {DIRTY} dirty cards", misses.len());
    for line in alarms.iter().chain(&misses) {
        println!("  {line}");
    }
    assert!(alarms.len() * 100 <= CLEAN, "more than 1 % false alarms");
    assert!(misses.len() * 100 <= 5 * DIRTY, "more than 5 % misses");
}
