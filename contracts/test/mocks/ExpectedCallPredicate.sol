// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

/// @dev Grants access only to the expected caller with exactly the expected calldata.
contract ExpectedCallPredicate is CompliantPredicate {
    address private _expectedCaller;
    bytes32 private _expectedCalldataHash;

    function expect(address caller, bytes calldata callData) external {
        _expectedCaller = caller;
        _expectedCalldataHash = keccak256(callData);
    }

    function hasAccess(uint256, address, bytes calldata) external view returns (bool) {
        return msg.sender == _expectedCaller && keccak256(msg.data) == _expectedCalldataHash;
    }
}
