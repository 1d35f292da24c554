// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { PasswordPredicate } from "test/mocks/PasswordPredicate.sol";

/// @dev `supportsInterface` fails unless it receives nearly the full ERC-165 gas limit of 30,000. With less gas it
///      would appear not to read call data, and so to be safe to negate.
contract FullStipendPasswordPredicate is PasswordPredicate {
    uint256 public constant GAS_NEEDED = 29_600;

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        if (gasleft() < GAS_NEEDED) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        return super.supportsInterface(interfaceId);
    }
}
