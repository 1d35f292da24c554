// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { UniformReturnToken } from "test/mocks/tokens/UniformReturnToken.sol";

/// @dev Returns `value` after consuming nearly all its gas.
contract GasConsumingToken is UniformReturnToken {
    uint256 private immutable _VALUE;

    constructor(uint256 value) {
        _VALUE = value;
    }

    fallback() external {
        uint256 reserve = 400 + msg.data.length;
        while (gasleft() > reserve) { }
        _return(_VALUE);
    }
}
