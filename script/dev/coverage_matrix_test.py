"""Tests of coverage_matrix.py: `python3 -m unittest discover script/dev '*_test.py'`."""

import os
import pathlib
import tempfile
import unittest

import coverage_matrix as coverage

REQUIREMENTS = r"""
| A-01 | MUST | `^(0\|1)$` | x |
| A-02 | MAY | two | x |
## Traps and ambiguities
| T-01 | three | x |"""
HEADER = "| ID | Verdict | Reasoning |\n| --- | --- | --- |\n"
DECLINED = "| A-02 | declined | why |"


def errors(pending, review, cites, case=None):
    """Errors of the lists above with one forge test, and its case in the report."""
    test = coverage.Test("a.t.sol::test_A", set(coverage.ID.findall(cites)), [("a.t.sol:ATest", "test_A")])
    outcomes = None
    if case is not None:
        outcomes = {}
        coverage.parse_report(f'<testsuites><testsuite name="a.t.sol:ATest">{case}</testsuite></testsuites>', outcomes)
    lists = (coverage.parse_requirements(REQUIREMENTS), coverage.parse_pending(pending), coverage.parse_reviews(HEADER + review))
    return coverage.judge(*lists, [test], outcomes)[2]


class CoverageMatrixTest(unittest.TestCase):
    def test_every_requirement_is_proved_pending_or_reviewed(self):
        failed, skipped = (f'<testcase name="test_A()"><{outcome}/></testcase>' for outcome in ("failure", "skipped"))
        for arguments, expected in [
            (("T-01", DECLINED, "A-01"), None),
            (("A-01..A-02 # why", "| T-01 | reviewed | why |", ""), None),
            (("", DECLINED, "A-01"), "T-01 (TRAP) is not cited"),
            (("A-01\nT-01", DECLINED, "A-01"), "A-01 is proved and pending"),
            (("A-02\nT-01", DECLINED, "A-01"), "A-02 is pending and declined"),
            (("A-02", "| T-01 | declined | why |", "A-01"), "only SHOULD and MAY"),
            (("T-01..T-02", DECLINED, "A-01"), "pending.txt lists T-02, which is not in"),
            (("T-01\nT-01", DECLINED, "A-01"), "pending.txt lists T-01 twice"),
            (("T-01", DECLINED, "A-01 B-01"), "cites B-01, which is not in"),
            (("T-01", DECLINED, "A-01", '<testcase name="test_A(uint8)"/>'), None),
            (("A-01\nT-01", DECLINED, "A-01", ""), "not in the test report: run `make test`"),
            (("A-01\nT-01", DECLINED, "A-01", failed), "cites A-01 but failed"),
            (("A-01\nT-01", DECLINED, "A-01", skipped), "cites A-01 but was skipped"),
            (("A-01\nT-01", DECLINED, "A-01", failed + '<testcase name="test_A()"/>'), "cites A-01 but failed"),
        ]:
            with self.subTest(arguments):
                found = errors(*arguments)
                self.assertEqual(len(found), 0 if expected is None else 1, found)
                self.assertIn(expected or "", "".join(found))
        self.assertIn("cites 5 requirements", "".join(errors("", "", "A-01 A-02 T-01 A-03 A-04")))

    def test_prints_a_table(self):
        requirements = coverage.parse_requirements(REQUIREMENTS)
        self.assertEqual(requirements["A-01"], ("MUST", "`^(0|1)$`"))
        test = coverage.Test("a.t.sol::test_A", {"A-01"}, [])
        states, proofs, found = coverage.judge(requirements, ["A-02"], [], [test], None)
        table = coverage.table(["Traps"], requirements, states, proofs)
        self.assertIn("A-01  MUST    proved    a.t.sol::test_A\n", table)
        self.assertIn("3 requirements, 1 proved, 1 pending", coverage.summary(states, found))

    def test_rejects_malformed_lists(self):
        for pending in ["A1", "A-02..A-01", "A-01..B-02"]:
            self.assertRaises(coverage.Unusable, coverage.parse_pending, pending)
        for review in ["| A-01 | reviewed | |", "| A-01 | maybe | why |"]:
            self.assertRaises(coverage.Unusable, coverage.parse_reviews, HEADER + review)
        self.assertRaises(coverage.Unusable, coverage.parse_requirements, REQUIREMENTS + REQUIREMENTS)

    def test_rejects_a_missing_stale_or_truncated_report(self):
        with tempfile.TemporaryDirectory() as folder:
            source, report = pathlib.Path(folder, "a.rs"), pathlib.Path(folder, "junit.xml")

            def read():
                coverage.read_report(report, "make x", [source], {})

            source.write_text("")
            self.assertRaisesRegex(coverage.Unusable, "is missing: run `make x`", read)
            report.write_text("<testsuites></testsuites>")
            read()
            report.write_text('<testsuites><testsuite name="a"></testsuites>')
            self.assertRaisesRegex(coverage.Unusable, "is not a JUnit report: run `make x`", read)
            os.utime(source, (0, report.stat().st_mtime + 1))
            self.assertRaisesRegex(coverage.Unusable, "a.rs: run `make x`", read)

    def test_reads_ids_from_solidity_test_bodies(self):
        shared = "abstract contract Shared {\n    function test_S() public virtual { /* A-01 */ }\n}\n"
        tests = '''// A-02 at file level
abstract contract Middle is Shared {
}

contract ATest is Middle, Other(1) {
    /// A-03 in a doc comment
    function test_A(function (uint256) external f) external {
        /* A-04, X-A-05 CAIP-19 P-256 */ string memory s = unicode"A-06 }";
        if (true) {
        }
        // T-01
    }

    function test_Internal() internal { /* A-07 */ }
    function helper() public { /* A-08 */ }
}

contract BTest is Shared {
    function test_S() public override { }
}

abstract contract Unused {
    function test_U() public { /* A-09 */ }
}
'''
        found = coverage.solidity_tests({"Shared.sol": shared, "a.t.sol": tests})
        self.assertEqual(
            sorted(found),
            [
                ("Shared.sol::test_S", {"A-01"}, [("a.t.sol:ATest", "test_S")]),
                ("a.t.sol::test_A", {"A-04", "A-06", "T-01"}, [("a.t.sol:ATest", "test_A")]),
                ("a.t.sol::test_S", set(), [("a.t.sol:BTest", "test_S")]),
            ],
        )

    def test_reads_ids_from_rust_test_bodies(self):
        text = '''
fn helper() {
    // A-01
}

mod tests {
    /// A-02 in a doc comment
    #[tokio::test(flavor = "current_thread")]
    async fn plain() -> Result<(), [u8; 1]> {
        if true {
            let _ = "A-03 }";
        }
    }

    mod inner {
        proptest! {
            #[test]
            #[expect(
                dead_code,
                reason = "A-04"
            )]
            fn holds(x in 0..10_u8) {
                // A-05
            }
        }
    }

    #[cfg(test)]
    fn not_a_test() {
        // A-06
    }
}
'''
        for path, suite, modules in [
            ("crates/x/src/lib.rs", "atr-x", ""),
            ("crates/x/src/rules/mod.rs", "atr-x", "rules::"),
            ("crates/x/tests/memory.rs", "atr-x::memory", ""),
            ("tests/properties/a/b.rs", "acceptance::properties", "a::b::"),
        ]:
            self.assertEqual(
                list(coverage.rust_tests({path: text})),
                [
                    (f"{path}::tests::plain", {"A-03"}, [(suite, f"{modules}tests::plain")]),
                    (f"{path}::tests::inner::holds", {"A-05"}, [(suite, f"{modules}tests::inner::holds")]),
                ],
            )
        self.assertEqual(list(coverage.rust_tests({"tests/support/lib.rs": text})), [])


if __name__ == "__main__":
    unittest.main()
