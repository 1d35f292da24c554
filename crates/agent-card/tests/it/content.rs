use std::fs;

use atr_agent_card::{Code, ContentFindings, Profile, Status, scan};
use atr_manifest::Document;
use serde_json::{Value, json};

use crate::{
    corpus::{Random, clean, dirty},
    support::{changed, data, document, example, json_files, report, short},
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
fn documents_of_many_strings_are_examined_in_part_and_are_not_valid() {
    // P-18: 60,000 short strings.
    let strings: Vec<_> = (0..60_000).map(|index| format!("mmm {index}")).collect();
    let mut card = example();
    card["meta"] = json!({ "strings": strings });
    let found = scan(&document(&card));
    assert!(found.is_incomplete && found.violations.is_empty());
    let report = report(&card);
    assert_eq!(report.profile(Profile::Spec).status, Status::Unknown);
    // What is found before the limit still counts.
    card["description"] = json!("<script>alert(1)</script>");
    assert_eq!(codes(&scan(&document(&card))), ["script"]);
}

#[test]
fn public_documents_of_others_are_listed_with_what_is_found_in_them() {
    // Not written for the scanner: schemas, examples and API descriptions. Findings are printed for review.
    let (mut documents, mut flagged) = (0, 0);
    for folder in ["commandlayer", "a2a", "erc8004", "opensea", "mcp"] {
        let Some(folder) = data(folder) else {
            return;
        };
        for path in json_files(&folder) {
            let Ok(document) = Document::parse(fs::read(&path).unwrap()) else {
                continue;
            };
            documents += 1;
            let found = scan(&document);
            flagged += usize::from(!found.violations.is_empty());
            for finding in found.violations.iter().take(3) {
                println!("  {}: {finding}", path.display());
            }
        }
    }
    println!("found something in {flagged} of {documents} documents");
    assert!(
        documents > 100 && flagged * 100 <= 5 * documents,
        "{flagged} of {documents}"
    );
}

/// Forms that were held out until the scanner got patterns for kinds that it lacked. They are no estimate any more.
const EARLIER: &[(&str, &str)] = &[
    ("credential", "pul-3f9a1c7be2d4056f8a9b0c1d2e3f405162738495"),
    ("credential", "dckr_pat_7hJk2LmN9pQrS4tUvWxYz1AbC3d"),
    ("credential", "EAACEdEose0cBAOZCqX7ZBf3kZAf8h2P9wZDZD"),
    ("credential", "ASIAY34FZKBOKMUTVV7A"),
    (
        "credential",
        "glsa_HOruNAb7SOiCdshU7algkrq7FDsNSLAa_55e2f8be",
    ),
    ("credential", "hvs.CAESIJ2kXc9vTn5mQ8wPzR4yLbD7uE1"),
    ("credential", "sq0atp-wGNJlW2pX9sKcV8bQ7dT1A"),
    (
        "credential",
        "mongodb+srv://svc:Tr0ub4dor@cluster0.abcde.mongodb.net/cards",
    ),
    (
        "credential",
        "Set-Cookie: session=8f14e45fceea167a5a36dedd4bea2543; HttpOnly",
    ),
    (
        "credential",
        "the api key is 5f4dcc3b5aa765d61d8327deb882cf99",
    ),
    ("credential", "-----BEGIN PGP PRIVATE KEY BLOCK-----"),
    ("credential", "X-Api-Key: q7Rz2mLp9xVc4TbN8sKd"),
    ("private-address", "http://[0:0:0:0:0:0:0:1]/"),
    ("private-address", "http://[::]:8080/"),
    ("private-address", "http://0300.0250.1.1/"),
    ("private-address", "http://0xc0a80101/admin"),
    ("private-address", "https://router.home/"),
    ("private-address", "tcp://172.20.3.4:9000"),
    ("private-address", "peer fd12:3456:789a::1 is up"),
    ("private-address", "\\\\fileserver\\share\\cards"),
    ("private-address", "http://127.1:8545"),
    ("private-address", "http://192.168.0.1\u{3002}/"),
    ("private-address", "ssh admin@10.1.2.3"),
    ("personal-data", "jos\u{e9}.mu\u{f1}oz@correo.es"),
    ("personal-data", "Tel. 089/1234567"),
    ("personal-data", "+91 98765 43210"),
    ("personal-data", "passport number C01X00T47"),
    ("personal-data", "born on 12 March 1984 in Lyon"),
    ("personal-data", "Jane Doe, 12 Elm Street, Springfield"),
    ("personal-data", "+81-3-1234-5678"),
    ("personal-data", "0044 20 7946 0018"),
    ("personal-data", "reach me: lena.k@posteo.de"),
    ("script", "<details open ontoggle=alert(1)>"),
    ("script", "<img src=\"javascript:alert(1)\">"),
    ("script", "{{constructor.constructor('alert(1)')()}}"),
    ("script", "'; DROP TABLE cards; --"),
    ("script", "powershell -enc SQBFAFgA"),
    (
        "script",
        "<style>@import 'https://evil.example/x.css'</style>",
    ),
    ("script", "python3 -c 'print(1)'"),
    ("script", "data:application/javascript;base64,YWxlcnQoMSk="),
];

/// Forms that the scanner was not adapted to: written once, after the generator and the scanner, and scanned once. Do not improve the
/// scanner for them without replacing them.
const HELD_OUT: &[(&str, &str)] = &[
    (
        "credential",
        "ATATT3xFfGF0T4kQ9bWnZ7yLmXvR2sPqHd8JcUe1Ai5oBg6",
    ),
    (
        "credential",
        "PMAK-64b1f0c2a9e8d7-5c3f2e1d0b9a8f7e6d5c4b3a2918",
    ),
    (
        "credential",
        "rediss://:p4ssW0rdX9@cache.example.org:6380/0",
    ),
    ("credential", "key-3ax6xnjp29jd6fds4gc373sgvjxteol0"),
    ("credential", "NRAK-7JQ2M9XW4T8RZ5LP3VKC6YD1HF"),
    ("credential", "dapi4f8e2c1b9d7a6053e4f1c8b2a7d90e63"),
    ("credential", "pwd of the admin console: Winter-2026!"),
    (
        "credential",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ7w2LkP9s",
    ),
    ("credential", "login with root / hunter2hunter2"),
    ("credential", "sntrys_eyJpYXQiOjE3MDAwMDAwMDB9_Zk8mQ2pR7vLx"),
    (
        "credential",
        "ssh-key: b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ",
    ),
    ("private-address", "http://2886729729/status"),
    ("private-address", "https://[::ffff:10.0.0.1]:8443/"),
    ("private-address", "redis.default.svc.cluster.local:6379"),
    ("private-address", "listen on 0.0.0.0:8080"),
    ("private-address", "http://169.254.169.254/latest"),
    ("private-address", "metadata.google.internal"),
    ("private-address", "grpc://100.64.3.2:50051"),
    ("private-address", "http://printer/"),
    ("private-address", "admin panel at 192.168.178.1"),
    ("private-address", "file:///etc/hosts"),
    (
        "personal-data",
        "Herr Klaus Weber, Lindenallee 7, 10115 Berlin",
    ),
    ("personal-data", "m.rossi (chiocciola) posta.it"),
    ("personal-data", "call Anna on (030) 555 1234"),
    ("personal-data", "NI number QQ 12 34 56 C"),
    ("personal-data", "DNI 12345678Z"),
    ("personal-data", "geb. 03.07.1979"),
    ("personal-data", "mailto:k.tanaka@example.jp"),
    ("personal-data", "+55 (11) 91234-5678"),
    ("personal-data", "lives at 221B Baker Street, London"),
    ("personal-data", "patient id 4471, diagnosed with asthma"),
    ("script", "<button formaction=javascript:alert(1)>"),
    ("script", "<img src=x onerror=alert(1)>"),
    ("script", "`whoami`"),
    ("script", "$(cat /etc/passwd)"),
    ("script", "1; SELECT pg_sleep(10)"),
    (
        "script",
        "{% for x in ().__class__.__base__.__subclasses__() %}",
    ),
    ("script", "ruby -rsocket -e 'exit'"),
    ("script", "vbscript:msgbox(1)"),
    ("script", "new Function('return this')()"),
];

fn missed(forms: &'static [(&str, &str)]) -> Vec<&'static (&'static str, &'static str)> {
    let is_missed = |(code, text): &&(&str, &str)| !codes(&scan_note(json!(text))).contains(code);
    forms.iter().filter(is_missed).collect()
}

#[test]
fn forms_that_the_scanner_was_not_adapted_to_are_counted() {
    // P-18
    for (name, forms, most) in [("earlier", EARLIER, 10), ("held-out", HELD_OUT, 24)] {
        let missed = missed(forms);
        println!("missed {} of {} {name} forms", missed.len(), forms.len());
        for form in &missed {
            println!("  {form:?}");
        }
        assert!(missed.len() <= most);
    }
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
