// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IReadsCallData } from "src/interfaces/IRequirementTypes.sol";
import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

/// @dev Grants access only if `data` is `PASSWORD`, and advertises `IReadsCallData`.
contract PasswordPredicate is CompliantPredicate {
    bytes public constant PASSWORD = "open sesame";

    function hasAccess(uint256, address, bytes calldata data) external pure returns (bool) {
        return keccak256(data) == keccak256(PASSWORD);
    }

    function supportsInterface(bytes4 interfaceId) public view virtual override returns (bool) {
        return interfaceId == type(IReadsCallData).interfaceId || super.supportsInterface(interfaceId);
    }
}
