// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, IAccessPredicate } from "../../interfaces/IAccessPredicate.sol";
import { IAlwaysDenied } from "../../interfaces/IRequirementTypes.sol";
import { IERC165 } from "../../interfaces/external/IERC165.sol";
import { IPredicate } from "../../interfaces/predicates/IPredicate.sol";
import { ConstantsLib } from "../../libraries/ConstantsLib.sol";
import { RequirementListLib } from "../../libraries/RequirementListLib.sol";

/// @title AccessPredicate
/// @notice Base of all predicates: ERC-165, version and requirement lists.
abstract contract AccessPredicate is IPredicate {
    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) public view virtual returns (bool) {
        return interfaceId == type(IAccessPredicate).interfaceId || interfaceId == type(IERC165).interfaceId;
    }

    /// @inheritdoc IPredicate
    function version() external pure returns (string memory) {
        return "1.0";
    }

    /// @dev For predicates whose result depends on `data`. A composite rejects them as negated terms, but they can be
    ///      reached through a third-party predicate that forwards `data` without supporting `IReadsCallData`.
    function _requireNotNegated(bytes calldata data) internal pure {
        if (data.length == 4 && bytes4(data) == ConstantsLib.NEGATED_TERM) revert CannotBeNegated();
    }

    /// @dev Returns the requirement of a tool that denies access to every account.
    function _alwaysDenied() internal pure returns (AccessRequirement[] memory) {
        return RequirementListLib.single(type(IAlwaysDenied).interfaceId, "", "Access is denied to every account");
    }
}
