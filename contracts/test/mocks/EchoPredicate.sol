// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { HonestPredicate } from "test/mocks/HonestPredicate.sol";

/// @dev Says yes to exactly the bytes it was told to expect, from exactly the caller it was told to expect.
contract EchoPredicate is HonestPredicate {
    address private _expectedCaller;
    bytes32 private _expectedCalldataHash;

    function expect(address caller, bytes calldata question) external {
        _expectedCaller = caller;
        _expectedCalldataHash = keccak256(question);
    }

    function hasAccess(uint256, address, bytes calldata) external view returns (bool) {
        return msg.sender == _expectedCaller && keccak256(msg.data) == _expectedCalldataHash;
    }
}
