// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AnsweringToken } from "test/mocks/tokens/AnsweringToken.sol";

/// @dev Says yes, but only to who lets it write.
contract WritingToken is AnsweringToken {
    uint256 public writes;

    fallback() external {
        writes++;
        _answer(1);
    }
}
