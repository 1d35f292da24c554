// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { UniformReturnToken } from "test/mocks/tokens/UniformReturnToken.sol";

/// @dev Returns `value`, or runs out of gas if it has less than `minGas`.
contract MinGasToken is UniformReturnToken {
    uint256 private immutable _MIN_GAS;
    uint256 private immutable _VALUE;

    constructor(uint256 minGas, uint256 value) {
        (_MIN_GAS, _VALUE) = (minGas, value);
    }

    fallback() external {
        if (gasleft() < _MIN_GAS) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        _return(_VALUE);
    }
}
