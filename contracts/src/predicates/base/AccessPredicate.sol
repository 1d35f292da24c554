// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, IAccessPredicate } from "../../interfaces/IAccessPredicate.sol";
import { IAlwaysDenied } from "../../interfaces/IRequirementTypes.sol";
import { IERC165 } from "../../interfaces/external/IERC165.sol";
import { IPredicate } from "../../interfaces/predicates/IPredicate.sol";
import { ConstantsLib } from "../../libraries/ConstantsLib.sol";

/// @title AccessPredicate
/// @notice What all our predicates share: ERC-165, a version, and how they describe themselves.
abstract contract AccessPredicate is IPredicate {
    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) public view virtual returns (bool) {
        return interfaceId == type(IAccessPredicate).interfaceId || interfaceId == type(IERC165).interfaceId;
    }

    /// @inheritdoc IPredicate
    function version() external pure returns (string memory) {
        return "1.0";
    }

    /// @dev For predicates whose answer depends on `data`. A composite refuses to negate them, but something in between may
    ///      pass `data` on without saying so.
    function _requireNotNegated(bytes calldata data) internal pure {
        if (data.length == 4 && bytes4(data) == ConstantsLib.NEGATED_TERM) revert CannotBeNegated();
    }

    /// @dev The requirement nobody fulfils.
    function _nobody() internal pure returns (AccessRequirement[] memory) {
        return _only(type(IAlwaysDenied).interfaceId, "", "Nobody is let in");
    }

    /// @dev A list of one requirement.
    function _only(bytes4 kind, bytes memory data, string memory label)
        internal
        pure
        returns (AccessRequirement[] memory requirements)
    {
        requirements = new AccessRequirement[](1);
        requirements[0] = AccessRequirement({ kind: kind, data: data, label: label });
    }
}
