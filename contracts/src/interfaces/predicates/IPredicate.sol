// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "../IAccessPredicate.sol";
import { IERC165 } from "../external/IERC165.sol";

/// @title IPredicate
/// @notice What all our predicates share.
/// @dev A predicate has three answers: true, false, and a revert where it cannot find out. It never turns the third into
///      one of the others.
interface IPredicate is IAccessPredicate, IERC165 {
    /// @notice A contract that has to be asked does not answer, or answers nonsense. So there is no yes and no no.
    /// @param target The contract.
    error NoAnswer(address target);

    /// @notice The predicate was asked as a negated term, and its answer depends on `data`.
    error CannotBeNegated();

    /// @notice The version of the implementation, as "MAJOR.MINOR".
    /// @return A text that is never empty.
    function version() external view returns (string memory);
}
