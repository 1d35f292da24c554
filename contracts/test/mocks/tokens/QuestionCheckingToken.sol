// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AnsweringToken } from "test/mocks/tokens/AnsweringToken.sol";

/// @dev Says yes to exactly one question, and reverts at every other.
contract QuestionCheckingToken is AnsweringToken {
    bytes32 private _expected;

    function expect(bytes calldata question) external {
        _expected = keccak256(question);
    }

    fallback() external {
        require(keccak256(msg.data) == _expected, "another question");
        _answer(1);
    }
}
