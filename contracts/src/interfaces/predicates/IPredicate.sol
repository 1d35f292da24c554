// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "../IAccessPredicate.sol";
import { IERC165 } from "../external/IERC165.sol";

/// @title IPredicate
/// @notice The common interface of the predicates in this repository.
/// @dev `hasAccess` returns true (granted), returns false (denied) or reverts (unknown). A failed call to another
///      contract is never treated as a denial: if the result depends on it, the result is unknown.
interface IPredicate is IAccessPredicate, IERC165 {
    /// @notice A call to an untrusted contract failed: it reverted, ran out of gas or returned invalid data, or the
    ///         contract has no code. The result of the access check is unknown.
    /// @param target The called contract.
    error CallFailed(address target);

    /// @notice The predicate was called as a negated term of a composite, but its result depends on `data`.
    error CannotBeNegated();

    /// @notice Returns the version of the implementation, in the form "MAJOR.MINOR".
    /// @return A non-empty string.
    function version() external view returns (string memory);
}
