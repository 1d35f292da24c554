// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IReadsCallData } from "src/interfaces/IRequirementTypes.sol";
import { HonestPredicate } from "test/mocks/HonestPredicate.sol";

/// @dev Says yes to one password and no to any other call data, and advertises that it reads them.
contract DataReadingPredicate is HonestPredicate {
    bytes public constant PASSWORD = "open sesame";

    function hasAccess(uint256, address, bytes calldata data) external pure returns (bool) {
        return keccak256(data) == keccak256(PASSWORD);
    }

    function supportsInterface(bytes4 interfaceId) public view virtual override returns (bool) {
        return interfaceId == type(IReadsCallData).interfaceId || super.supportsInterface(interfaceId);
    }
}
