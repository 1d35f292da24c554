use super::*;
use crate::coverage::{matrix::tests::SMALL, report::Case};

/// A-01 and A-02 MUST, B-01 SHOULD, B-02 MAY, T-01: all settled.
fn settled() -> Claims {
    Claims {
        matrix: Matrix::parse(SMALL).unwrap(),
        pending: ids("A-02 T-01"),
        reviews: vec![
            review("B-01", ReviewVerdict::Reviewed),
            review("B-02", ReviewVerdict::Declined),
        ],
        tests: vec![test("test_A", "A-01")],
    }
}

fn ids(list: &str) -> Vec<RequirementId> {
    RequirementId::cited_in(list)
}

fn review(id: &str, verdict: ReviewVerdict) -> Review {
    Review {
        id: id.parse().unwrap(),
        verdict,
        reasoning: "because".into(),
    }
}

fn test(name: &str, cites: &str) -> Test {
    Test {
        path: "a.t.sol".into(),
        name: name.into(),
        cites: ids(cites).into_iter().collect(),
        runner: Runner::Forge,
        cases: vec![Case::new("a.t.sol:ATest", name)],
    }
}

fn faults(claims: &Claims) -> Vec<String> {
    faults_under(claims, &Evidence::Sources)
}

fn faults_under(claims: &Claims, evidence: &Evidence) -> Vec<String> {
    Coverage::judge(claims, evidence)
        .faults
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn reports(cases: &str) -> Evidence {
    let forge = Report::parse(&format!(
        r#"<testsuite name="a.t.sol:ATest">{cases}</testsuite>"#
    ));
    let both = [
        (Runner::Forge, forge.unwrap()),
        (Runner::Nextest, Report::default()),
    ];
    Evidence::Reports(both.into())
}

#[track_caller]
fn assert_only(faults: &[String], expected: &str) {
    assert_eq!(faults.len(), 1, "{faults:#?}");
    assert!(faults[0].contains(expected), "{faults:#?}");
}

#[test]
fn settled_claims_have_no_fault_and_a_state_each() {
    let coverage = Coverage::judge(&settled(), &Evidence::Sources);
    assert_eq!(coverage.faults, []);
    let states: Vec<_> = coverage
        .verdicts
        .iter()
        .map(|verdict| verdict.state)
        .collect();
    let expected = [
        State::Proved,
        State::Pending,
        State::Reviewed,
        State::Declined,
        State::Pending,
    ];
    assert_eq!(states, expected);
    assert_eq!(coverage.verdicts[0].tests, ["a.t.sol::test_A"]);
}

#[test]
fn a_row_of_any_level_that_nothing_accounts_for_is_a_fault() {
    let mut claims = settled();
    claims.pending = ids("A-02");
    assert_only(&faults(&claims), "T-01 (TRAP) is neither");
    let mut claims = settled();
    claims.tests.clear();
    assert_only(&faults(&claims), "A-01 (MUST) is neither");
    let mut claims = settled();
    claims.reviews.remove(0);
    assert_only(&faults(&claims), "B-01 (SHOULD) is neither");
    let mut claims = settled();
    claims.reviews.remove(1);
    assert_only(&faults(&claims), "B-02 (MAY) is neither");
}

#[test]
fn a_proved_row_must_leave_the_pending_list() {
    let mut claims = settled();
    claims.tests.push(test("test_B", "A-02"));
    assert_only(
        &faults(&claims),
        "A-02 is proved by a.t.sol::test_B: take it out",
    );
}

#[test]
fn a_proved_row_cannot_be_declined_but_may_be_reviewed_too() {
    let mut claims = settled();
    claims.tests.push(test("test_B", "B-02"));
    assert_only(&faults(&claims), "B-02 is proved by a.t.sol::test_B, but");
    let mut claims = settled();
    claims.tests.push(test("test_B", "B-01"));
    assert!(faults(&claims).is_empty());
}

#[test]
fn a_row_cannot_be_pending_and_reviewed() {
    let mut claims = settled();
    claims.reviews.push(review("A-02", ReviewVerdict::Reviewed));
    assert_only(
        &faults(&claims),
        "A-02 is in tests/pending.txt and in tests/reviewed.md",
    );
}

#[test]
fn a_must_and_a_trap_cannot_be_declined() {
    let mut claims = settled();
    claims.pending.clear();
    claims.reviews.push(review("A-02", ReviewVerdict::Declined));
    claims.reviews.push(review("T-01", ReviewVerdict::Declined));
    let faults = faults(&claims);
    assert_eq!(faults.len(), 2);
    assert!(faults[0].contains("A-02 (MUST) is declined"), "{faults:?}");
    assert!(faults[1].contains("T-01 (TRAP) is declined"), "{faults:?}");
}

#[test]
fn numbers_that_do_not_exist_are_faults_wherever_they_stand() {
    let mut claims = settled();
    claims.tests.push(test("test_B", "A-99"));
    assert_only(&faults(&claims), "a.t.sol::test_B cites A-99");
    let mut claims = settled();
    claims.pending.extend(ids("Z-01"));
    assert_only(&faults(&claims), "tests/pending.txt names Z-01");
    let mut claims = settled();
    claims.reviews.push(review("B-03", ReviewVerdict::Reviewed));
    assert_only(&faults(&claims), "tests/reviewed.md names B-03");
}

#[test]
fn a_row_named_twice_in_one_list_is_a_fault() {
    let mut claims = settled();
    claims.pending.extend(ids("A-02"));
    assert_only(&faults(&claims), "tests/pending.txt names A-02 twice");
    let mut claims = settled();
    claims.reviews.push(review("B-01", ReviewVerdict::Reviewed));
    assert_only(&faults(&claims), "tests/reviewed.md names B-01 twice");
}

#[test]
fn a_test_that_cites_five_rows_is_a_fault_and_four_are_fine() {
    let mut claims = settled();
    claims.pending.clear();
    claims.reviews.clear();
    claims.tests.push(test("test_B", "A-02 B-01 B-02 T-01"));
    assert!(faults(&claims).is_empty());
    claims
        .tests
        .push(test("test_C", "A-01 A-02 B-01 B-02 T-01"));
    assert_only(
        &faults(&claims),
        "test_C cites 5 requirements (A-01, A-02, B-01, B-02, T-01)",
    );
}

#[test]
fn with_reports_only_a_test_that_passed_proves() {
    let claims = settled();
    let passed = reports(r#"<testcase name="test_A()"/>"#);
    assert!(faults_under(&claims, &passed).is_empty());
    for (cases, expected) in [
        ("", "is not in target/reports/sol.xml"),
        (
            r#"<testcase name="test_A()"><skipped/></testcase>"#,
            "was skipped in",
        ),
        (
            r#"<testcase name="test_A()"><failure/></testcase>"#,
            "failed in",
        ),
    ] {
        let faults = faults_under(&claims, &reports(cases));
        assert_eq!(faults.len(), 2, "{faults:#?}");
        assert!(faults[0].contains(expected), "{faults:#?}");
        assert!(faults[1].contains("A-01 (MUST) is neither"), "{faults:#?}");
    }
}

#[test]
fn a_missing_report_is_told_once_with_the_command_that_writes_it() {
    let evidence = Evidence::Reports(BTreeMap::from([(Runner::Nextest, Report::default())]));
    let expected = "target/reports/sol.xml is missing: run `make test-sol` first";
    assert_only(&faults_under(&settled(), &evidence), expected);
}
