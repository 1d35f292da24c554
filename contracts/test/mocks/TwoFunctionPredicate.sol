// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev Implements an older predicate interface without `getRequirements`, which has a different ERC-165 id.
contract TwoFunctionPredicate is IERC165 {
    bytes4 public constant CLAIMED_ID = 0xa11ea958;

    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return true;
    }

    function name() external pure returns (string memory) {
        return "TwoFunctionPredicate";
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IERC165).interfaceId || interfaceId == CLAIMED_ID;
    }
}
