// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { UniformReturnToken } from "test/mocks/tokens/UniformReturnToken.sol";

/// @dev Returns one value below a gas threshold and another from it on, without ever failing, like a token that catches
///      an inner out-of-gas failure.
contract GasDependentToken is UniformReturnToken {
    uint256 private immutable _THRESHOLD;
    uint256 private immutable _BELOW;
    uint256 private immutable _ABOVE;

    constructor(uint256 threshold, uint256 below, uint256 above) {
        (_THRESHOLD, _BELOW, _ABOVE) = (threshold, below, above);
    }

    fallback() external {
        _return(gasleft() < _THRESHOLD ? _BELOW : _ABOVE);
    }
}
