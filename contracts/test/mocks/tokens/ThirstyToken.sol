// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AnsweringToken } from "test/mocks/tokens/AnsweringToken.sol";

/// @dev Answers as told, after using up nearly all the gas it has.
contract ThirstyToken is AnsweringToken {
    uint256 private immutable _WORD;

    constructor(uint256 word) {
        _WORD = word;
    }

    fallback() external {
        uint256 reserve = 400 + msg.data.length;
        while (gasleft() > reserve) { }
        _answer(_WORD);
    }
}
