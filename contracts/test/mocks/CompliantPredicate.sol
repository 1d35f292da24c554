// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev Implements everything except `hasAccess` correctly. Derived mocks override the function they get wrong.
abstract contract CompliantPredicate is IAccessPredicate, IERC165 {
    function name() external pure returns (string memory) {
        return "CompliantPredicate";
    }

    function getRequirements(uint256)
        external
        pure
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        return (requirements, RequirementLogic.AND);
    }

    function supportsInterface(bytes4 interfaceId) public view virtual returns (bool) {
        return interfaceId == type(IERC165).interfaceId || interfaceId == type(IAccessPredicate).interfaceId;
    }
}
