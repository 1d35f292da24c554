// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ContractAccount } from "test/mocks/ContractAccount.sol";
import { DenyingPredicate } from "test/mocks/DenyingPredicate.sol";
import { PasswordPredicate } from "test/mocks/PasswordPredicate.sol";
import { RevertingPredicate } from "test/mocks/RevertingPredicate.sol";
import { Access } from "test/support/Access.sol";

/// @dev Three composite predicates, one leaf per result, and a tool that uses the first composite.
abstract contract CompositeFixture is BaseTest {
    uint8 internal constant ALL = 0;
    uint8 internal constant ANY = 1;
    bytes4 internal constant PER_TERM = bytes4(keccak256("perTerm(bytes[])"));
    bytes4 internal constant NEGATED = bytes4(keccak256("negatedTerm()"));

    ICompositePredicate internal composite;
    ICompositePredicate internal second;
    ICompositePredicate internal third;
    DenyingPredicate internal denyingPredicate;
    RevertingPredicate internal revertingPredicate;
    PasswordPredicate internal reader;
    ContractAccount internal caller;
    uint256 internal toolId;

    function setUp() public virtual override {
        super.setUp();
        composite = ICompositePredicate(_deployArtifact("CompositePredicate", abi.encode(registry)));
        vm.label(address(composite), "composite");
        second = ICompositePredicate(_deployArtifact("CompositePredicate", abi.encode(registry)));
        vm.label(address(second), "second");
        third = ICompositePredicate(_deployArtifact("CompositePredicate", abi.encode(registry)));
        vm.label(address(third), "third");
        denyingPredicate = new DenyingPredicate();
        revertingPredicate = new RevertingPredicate();
        reader = new PasswordPredicate();
        caller = new ContractAccount();
        toolId = _register(address(composite));
    }

    /* COMPOSITION */

    function _compose(ICompositePredicate at, uint8 op, Term[] memory terms) internal {
        vm.prank(creator);
        at.setComposition(toolId, op, terms);
    }

    /// @dev With an equal share of the budget for every term.
    function _compose(ICompositePredicate at, uint8 op, Term[] memory terms, uint256 budget) internal {
        Term[][] memory clauses = new Term[][](terms.length);
        for (uint256 i = 0; i < terms.length; i++) {
            clauses[i] = _terms(terms[i]);
        }
        _compose(at, op, clauses, _stipends(terms.length, terms.length == 0 ? 0 : budget / terms.length));
    }

    function _compose(ICompositePredicate at, uint8 op, Term[][] memory clauses, uint256[] memory termGas) internal {
        vm.prank(creator);
        at.setClauses(toolId, op, clauses, termGas);
    }

    /// @dev With the default stipends.
    function _compose(ICompositePredicate at, uint8 op, Term[][] memory clauses) internal {
        _compose(at, op, clauses, new uint256[](0));
    }

    /// @dev The composites no longer report the gas they need, like other contracts. So they accept any stipend.
    function _hideGasNeeded() internal {
        ICompositePredicate[3] memory composites = [composite, second, third];
        for (uint256 i = 0; i < 3; i++) {
            vm.mockCallRevert(address(composites[i]), abi.encodeWithSelector(composite.gasNeeded.selector), "");
        }
    }

    function _stipends(uint256 count, uint256 stipend) internal pure returns (uint256[] memory stipends) {
        stipends = new uint256[](count);
        for (uint256 i = 0; i < count; i++) {
            stipends[i] = stipend;
        }
    }

    function _clauses(Term[] memory a) internal pure returns (Term[][] memory clauses) {
        clauses = new Term[][](1);
        clauses[0] = a;
    }

    function _clauses(Term[] memory a, Term[] memory b) internal pure returns (Term[][] memory clauses) {
        clauses = new Term[][](2);
        (clauses[0], clauses[1]) = (a, b);
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

    /// @dev `count` copies of a term.
    function _repeat(Term memory term, uint256 count) internal pure returns (Term[] memory terms) {
        terms = new Term[](count);
        for (uint256 i = 0; i < count; i++) {
            terms[i] = term;
        }
    }

    function _leaf(Access access) internal view returns (address) {
        if (access == Access.Granted) return address(grantingPredicate);
        return access == Access.Denied ? address(denyingPredicate) : address(revertingPredicate);
    }

    function _perTerm(bytes[] memory entries) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(PER_TERM, entries);
    }

    /* ACCESS */

    function _access(IAccessPredicate predicate, bytes memory data) internal view returns (Access) {
        return _access(predicate, agent, data);
    }

    function _access(IAccessPredicate predicate, address account, bytes memory data) internal view returns (Access) {
        (bool success, bytes memory returndata) =
            address(predicate).staticcall(abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data)));
        if (!success) return Access.Unknown;
        assertEq(returndata.length, 32, "return data is not 32 bytes");
        return abi.decode(returndata, (bool)) ? Access.Granted : Access.Denied;
    }

    /// @dev The registry's result with exactly `gasLimit`, on cold state.
    function _registryAccess(address account, bytes memory data, uint256 gasLimit) internal returns (Access) {
        (bool success, bytes memory returndata,) = caller.execute(
            address(registry), gasLimit, abi.encodeCall(registry.tryHasAccess, (toolId, account, data))
        );
        if (!success) return Access.Unknown;
        (bool ok, bool granted) = abi.decode(returndata, (bool, bool));
        if (!ok) return Access.Unknown;
        return granted ? Access.Granted : Access.Denied;
    }

    /// @dev The predicate's result with exactly `gasLimit`, on cold state.
    function _accessWithGas(address predicate, address account, uint256 gasLimit) internal returns (Access) {
        (bool success, bytes memory returndata,) =
            caller.execute(predicate, gasLimit, abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, "")));
        if (!success) return Access.Unknown;
        return abi.decode(returndata, (bool)) ? Access.Granted : Access.Denied;
    }

    function assertResult(Access actual, Access expected, string memory label) internal pure {
        assertEq(uint256(actual), uint256(expected), label);
    }

    /// @dev The lowest gas limit between `low` and `high` at which the result is not `Unknown`.
    function _minGas(address predicate, address account, uint256 low, uint256 high) internal returns (uint256) {
        assertTrue(
            _accessWithGas(predicate, account, high) != Access.Unknown, "unknown even with the highest gas limit"
        );
        while (low < high) {
            uint256 middle = (low + high) / 2;
            if (_accessWithGas(predicate, account, middle) == Access.Unknown) low = middle + 1;
            else high = middle;
        }
        return low;
    }
}
