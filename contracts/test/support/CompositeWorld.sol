// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ContractAccount } from "test/mocks/ContractAccount.sol";
import { DenyingPredicate } from "test/mocks/DenyingPredicate.sol";
import { PasswordPredicate } from "test/mocks/PasswordPredicate.sol";
import { RevertingPredicate } from "test/mocks/RevertingPredicate.sol";
import { Answer } from "test/support/KleeneEvaluator.sol";

/// @dev Three deployments of the composite, a leaf for each answer, and a tool behind the first composite.
abstract contract CompositeWorld is BaseTest {
    uint8 internal constant ALL = 0;
    uint8 internal constant ANY = 1;
    bytes4 internal constant PER_TERM = bytes4(keccak256("perTerm(bytes[])"));
    bytes4 internal constant NEGATED = bytes4(keccak256("negatedTerm()"));

    ICompositePredicate internal composite;
    ICompositePredicate internal second;
    ICompositePredicate internal third;
    DenyingPredicate internal noPredicate;
    RevertingPredicate internal silentPredicate;
    PasswordPredicate internal reader;
    ContractAccount internal caller;
    uint256 internal toolId;

    function setUp() public virtual override {
        super.setUp();
        composite = ICompositePredicate(_deployShipped("CompositePredicate", abi.encode(registry)));
        vm.label(address(composite), "composite");
        second = ICompositePredicate(_deployShipped("CompositePredicate", abi.encode(registry)));
        vm.label(address(second), "second");
        third = ICompositePredicate(_deployShipped("CompositePredicate", abi.encode(registry)));
        vm.label(address(third), "third");
        noPredicate = new DenyingPredicate();
        silentPredicate = new RevertingPredicate();
        reader = new PasswordPredicate();
        caller = new ContractAccount();
        toolId = _register(address(composite));
    }

    /* COMPOSING */

    function _compose(ICompositePredicate at, uint8 op, Term[] memory terms) internal {
        vm.prank(creator);
        at.setComposition(toolId, op, terms);
    }

    function _compose(ICompositePredicate at, uint8 op, Term[] memory terms, uint256 budget) internal {
        vm.prank(creator);
        at.setComposition(toolId, op, terms, budget);
    }

    function _is(address predicate) internal pure returns (Term memory) {
        return Term({ predicate: predicate, negate: false });
    }

    function _not(address predicate) internal pure returns (Term memory) {
        return Term({ predicate: predicate, negate: true });
    }

    function _terms(Term memory a) internal pure returns (Term[] memory terms) {
        terms = new Term[](1);
        terms[0] = a;
    }

    function _terms(Term memory a, Term memory b) internal pure returns (Term[] memory terms) {
        terms = new Term[](2);
        (terms[0], terms[1]) = (a, b);
    }

    function _terms(Term memory a, Term memory b, Term memory c) internal pure returns (Term[] memory terms) {
        terms = new Term[](3);
        (terms[0], terms[1], terms[2]) = (a, b, c);
    }

    /// @dev `count` times the same term.
    function _repeat(Term memory term, uint256 count) internal pure returns (Term[] memory terms) {
        terms = new Term[](count);
        for (uint256 i = 0; i < count; i++) {
            terms[i] = term;
        }
    }

    function _leaf(Answer answer) internal view returns (address) {
        if (answer == Answer.Yes) return address(yesPredicate);
        return answer == Answer.No ? address(noPredicate) : address(silentPredicate);
    }

    function _perTerm(bytes[] memory entries) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(PER_TERM, entries);
    }

    /* ASKING */

    function _ask(IAccessPredicate predicate, bytes memory data) internal view returns (Answer) {
        return _ask(predicate, agent, data);
    }

    function _ask(IAccessPredicate predicate, address account, bytes memory data) internal view returns (Answer) {
        (bool success, bytes memory answer) =
            address(predicate).staticcall(abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data)));
        if (!success) return Answer.Unknown;
        assertEq(answer.length, 32, "an answer is one word");
        return abi.decode(answer, (bool)) ? Answer.Yes : Answer.No;
    }

    /// @dev The registry's answer when its caller hands on exactly `gasLimit`, everything cold.
    function _askRegistry(address account, bytes memory data, uint256 gasLimit) internal returns (Answer) {
        (bool success, bytes memory answer,) = caller.execute(
            address(registry), gasLimit, abi.encodeCall(registry.tryHasAccess, (toolId, account, data))
        );
        if (!success) return Answer.Unknown;
        (bool ok, bool granted) = abi.decode(answer, (bool, bool));
        if (!ok) return Answer.Unknown;
        return granted ? Answer.Yes : Answer.No;
    }

    /// @dev The predicate's own answer with exactly `gasLimit`, everything cold.
    function _askWithGas(address predicate, address account, uint256 gasLimit) internal returns (Answer) {
        (bool success, bytes memory answer,) =
            caller.execute(predicate, gasLimit, abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, "")));
        if (!success) return Answer.Unknown;
        return abi.decode(answer, (bool)) ? Answer.Yes : Answer.No;
    }

    function assertAnswer(Answer actual, Answer expected, string memory what) internal pure {
        assertEq(uint256(actual), uint256(expected), what);
    }

    /// @dev The least gas from `low` to `high` at which the predicate gives another answer than "cannot tell".
    function _leastGas(address predicate, address account, uint256 low, uint256 high) internal returns (uint256) {
        assertTrue(_askWithGas(predicate, account, high) != Answer.Unknown, "no answer even with the most gas");
        while (low < high) {
            uint256 middle = (low + high) / 2;
            if (_askWithGas(predicate, account, middle) == Answer.Unknown) low = middle + 1;
            else high = middle;
        }
        return low;
    }
}
