// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev Returns a fixed access result and a fixed requirements list, whether or not they agree.
contract FixedRequirementsPredicate is IAccessPredicate, IERC165 {
    bool private immutable _GRANTED;
    AccessRequirement[] private _requirements;
    RequirementLogic private _logic;

    constructor(bool granted, RequirementLogic logic, AccessRequirement[] memory requirements) {
        _GRANTED = granted;
        _logic = logic;
        for (uint256 i = 0; i < requirements.length; i++) {
            _requirements.push(requirements[i]);
        }
    }

    function hasAccess(uint256, address, bytes calldata) external view returns (bool) {
        return _GRANTED;
    }

    function name() external pure returns (string memory) {
        return "FixedRequirementsPredicate";
    }

    function getRequirements(uint256) external view returns (AccessRequirement[] memory, RequirementLogic) {
        return (_requirements, _logic);
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IERC165).interfaceId || interfaceId == type(IAccessPredicate).interfaceId;
    }
}
