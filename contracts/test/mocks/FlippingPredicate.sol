// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { HonestPredicate } from "test/mocks/HonestPredicate.sol";

/// @dev Answers what it was last told to.
contract FlippingPredicate is HonestPredicate {
    bool public answer;

    function setAnswer(bool newAnswer) external {
        answer = newAnswer;
    }

    function hasAccess(uint256, address, bytes calldata) external view returns (bool) {
        return answer;
    }
}
