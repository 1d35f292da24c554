use std::{fs, time::Duration};

use super::{
    Coverage, Report, Requirements, Test,
    requirements::find_ids,
    sources::{rust_tests, solidity_tests},
};
use crate::repository::SourceFile;

const REQUIREMENTS: &str = r"
| A-01 | MUST | `^(0\|1)$` | x |
| A-02 | MAY | two | x |
## Traps and ambiguities
| T-01 | three | x |";
const HEADER: &str = "| ID | Verdict | Reasoning |\n| --- | --- | --- |\n";

/// Coverage of the lists above by one forge test.
fn coverage(pending: &str, review: &str, cites: &str, case: Option<&str>) -> Coverage {
    let requirements = Requirements::parse(REQUIREMENTS, pending, &format!("{HEADER}{review}"));
    let test = Test {
        label: "a.t.sol::test_A".into(),
        ids: find_ids(cites),
        cases: vec![("a.t.sol:ATest".into(), "test_A".into())],
    };
    let report = case.map(|case| {
        let mut report = Report::default();
        let suite = format!(r#"<testsuite name="a.t.sol:ATest">{case}</testsuite>"#);
        report
            .add(&format!("<testsuites>{suite}</testsuites>"))
            .unwrap();
        report
    });
    Coverage::new(requirements.unwrap(), &[test], report.as_ref())
}

#[test]
fn every_requirement_is_proved_pending_or_reviewed() {
    let declined = "| A-02 | declined | why |";
    for (pending, review, cites, case, expected) in [
        ("T-01", declined, "A-01", None, ""),
        (
            "A-01..A-02 # why",
            "| T-01 | reviewed | why |",
            "",
            None,
            "",
        ),
        ("", declined, "A-01", None, "T-01 (TRAP) is not cited"),
        (
            "A-01\nT-01",
            declined,
            "A-01",
            None,
            "A-01 is proved and pending",
        ),
        (
            "A-02\nT-01",
            declined,
            "A-01",
            None,
            "A-02 is pending and declined",
        ),
        (
            "A-02",
            "| T-01 | declined | why |",
            "A-01",
            None,
            "only SHOULD and MAY",
        ),
        (
            "T-01..T-02",
            declined,
            "A-01",
            None,
            "pending.txt lists T-02, which is not in",
        ),
        (
            "T-01\nT-01",
            declined,
            "A-01",
            None,
            "pending.txt lists T-01 twice",
        ),
        (
            "T-01",
            declined,
            "A-01 B-01",
            None,
            "cites B-01, which is not in",
        ),
        (
            "T-01",
            declined,
            "A-01",
            Some(r#"<testcase name="test_A(uint8)"/>"#),
            "",
        ),
        (
            "A-01\nT-01",
            declined,
            "A-01",
            Some(""),
            "not in the test report: run `make test`",
        ),
        (
            "A-01\nT-01",
            declined,
            "A-01",
            Some(r#"<testcase name="test_A()"><failure/></testcase>"#),
            "cites A-01 but failed",
        ),
        (
            "A-01\nT-01",
            declined,
            "A-01",
            Some(r#"<testcase name="test_A()"><skipped/></testcase>"#),
            "cites A-01 but was skipped",
        ),
    ] {
        let errors = coverage(pending, review, cites, case).errors;
        assert_eq!(
            errors.len(),
            usize::from(!expected.is_empty()),
            "{errors:?}"
        );
        assert!(errors.concat().contains(expected), "{errors:?}");
    }
    let errors = coverage("", "", "A-01 A-02 T-01 A-03 A-04", None).errors;
    assert!(
        errors.concat().contains("cites 5 requirements"),
        "{errors:?}"
    );
}

#[test]
fn prints_a_table_and_json() {
    let coverage = coverage("A-02", "", "A-01", None);
    let table = coverage.table();
    assert!(
        table.contains("A-01  MUST    proved    a.t.sol::test_A\n"),
        "{table}"
    );
    assert!(
        table.contains("3 requirements, 1 proved, 1 pending"),
        "{table}"
    );
    let json: serde_json::Value = serde_json::from_str(&coverage.json()).unwrap();
    assert_eq!(json["ok"], false);
    assert_eq!(json["groups"]["T"]["open"], 1);
    assert_eq!(json["requirements"][0]["text"], "`^(0|1)$`");
}

#[test]
fn rejects_malformed_lists() {
    for (pending, review) in [
        ("A1", ""),
        ("A-02..A-01", ""),
        ("A-01..B-02", ""),
        ("", "| A-01 | reviewed | |"),
        ("", "| A-01 | maybe | why |"),
    ] {
        let reviewed = format!("{HEADER}{review}");
        assert!(Requirements::parse(REQUIREMENTS, pending, &reviewed).is_err());
    }
}

#[test]
fn rejects_a_missing_stale_or_truncated_report() {
    let folder = tempfile::tempdir().unwrap();
    let (path, source) = (folder.path().join("junit.xml"), folder.path().join("a.rs"));
    let error = || {
        let read = Report::default().add_file(&path, "make x", std::slice::from_ref(&source));
        read.map_or_else(|error| format!("{error:#}"), |()| "none".into())
    };
    let source_file = fs::File::create(&source).unwrap();
    assert!(error().contains("is missing: run `make x`"));
    fs::write(&path, "<testsuites></testsuites>").unwrap();
    assert_eq!(error(), "none");
    fs::write(&path, "<testsuites><testsuite name=\"a\"></testsuites>").unwrap();
    assert!(error().contains("is not a JUnit report: run `make x`"));
    let written = fs::metadata(&path).unwrap().modified().unwrap();
    source_file
        .set_modified(written + Duration::from_secs(1))
        .unwrap();
    assert!(error().contains("a.rs: run `make x`"));
}

/// `label [ids] suite name, …` per test.
fn summary(tests: &[Test]) -> Vec<String> {
    let line = |Test { label, ids, cases }: &Test| {
        let cases: Vec<_> = cases
            .iter()
            .map(|(suite, name)| format!("{suite} {name}"))
            .collect();
        let ids: Vec<_> = ids.iter().map(String::as_str).collect();
        format!("{label} [{}] {}", ids.join(" "), cases.join(", "))
    };
    tests.iter().map(line).collect()
}

#[test]
fn reads_ids_from_solidity_test_bodies() {
    let shared = SourceFile::new(
        "Shared.sol",
        "abstract contract Shared { function test_S() public virtual { /* A-01 */ } }",
    );
    let tests = SourceFile::new(
        "a.t.sol",
        r#"// A-02 at file level
        abstract contract Middle is Shared { }
        contract ATest is Middle {
            /// A-03 in a doc comment
            function test_A(function (uint256) external f) external {
                /* A-04, X-A-05 CAIP-19 P-256 */ string memory s = unicode"A-06 }";
            }
            function test_Internal() internal { /* A-07 */ }
            function helper() public { /* A-08 */ }
        }
        contract BTest is Shared { function test_S() public override { } }
        abstract contract Unused { function test_U() public { /* A-09 */ } }"#,
    );
    assert_eq!(
        summary(&solidity_tests(&[shared, tests]).unwrap()),
        [
            "Shared.sol::test_S [A-01] a.t.sol:ATest test_S",
            "a.t.sol::test_A [A-04 A-06] a.t.sol:ATest test_A",
            "a.t.sol::test_S [] a.t.sol:BTest test_S",
        ]
    );
    let error = solidity_tests(&[SourceFile::new("a.t.sol", "contract {")]).unwrap_err();
    assert!(format!("{error:#}").contains("a.t.sol"), "{error:#}");
}

#[test]
fn reads_ids_from_rust_test_bodies() {
    let text = r##"
        fn helper<'a>(x: &'a str) -> [u8; 2] { /* A-01 */ let _ = "#[test] fn no() {}"; [0; 2] }
        mod tests {
            /// A-02 in a doc comment
            #[tokio::test(flavor = "current_thread")]
            async fn plain() -> Result<(), [u8; 1]> { if true { let _ = r#"A-03 }"#; } }
            #[test]
            #[ignore = "needs a key"]
            fn ignored() { /* A-04 */ }
            proptest! {
                #![proptest_config(Config::default())]
                #[test]
                fn holds(x in 0..10_u8, y in "[a-z]{3}") { /* A-05 ü */ }
            }
            macro_rules! generated { ($name:ident) => { #[test] fn $name() { "A-06"; } } }
            #[cfg(test)]
            fn not_a_test() { /* A-07 */ }
        }"##;
    for (path, suite) in [
        ("crates/x/src/lib.rs", "atr-x "),
        ("crates/x/src/rules/mod.rs", "atr-x rules::"),
        ("crates/x/tests/memory.rs", "atr-x::memory "),
        ("tests/properties/a/b.rs", "acceptance::properties a::b::"),
    ] {
        assert_eq!(
            summary(&rust_tests(&[SourceFile::new(path, text)]).unwrap()),
            [
                format!("{path}::tests::plain [A-03] {suite}tests::plain"),
                format!("{path}::tests::holds [A-05] {suite}tests::holds"),
            ]
        );
    }
    let excluded = SourceFile::new("tests/support/lib.rs", text);
    assert!(rust_tests(&[excluded]).unwrap().is_empty());
}
