// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AnsweringToken } from "test/mocks/tokens/AnsweringToken.sol";

/// @dev Gives one answer if it has little gas and another if it has enough, and fails in neither case: what a token
///      does that catches its own running out of gas.
contract OutOfGasSwallowingToken is AnsweringToken {
    uint256 private immutable _ENOUGH;
    uint256 private immutable _POOR;
    uint256 private immutable _RICH;

    constructor(uint256 enough, uint256 poor, uint256 rich) {
        (_ENOUGH, _POOR, _RICH) = (enough, poor, rich);
    }

    fallback() external {
        _answer(gasleft() < _ENOUGH ? _POOR : _RICH);
    }
}
