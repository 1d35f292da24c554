// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Returns `value`, or reverts with an error if a call inside it runs out of gas, like a token that reports the failed
///      calls it makes.
contract OutOfGasErrorToken {
    uint256 private immutable _GAS;
    uint256 private immutable _VALUE;

    constructor(uint256 gasNeeded, uint256 value) {
        (_GAS, _VALUE) = (gasNeeded, value);
    }

    fallback() external {
        (uint256 gasNeeded, uint256 value) = (_GAS, _VALUE);
        assembly ("memory-safe") {
            // The inner call has no call data.
            if iszero(calldatasize()) {
                if lt(gas(), gasNeeded) { invalid() }
                stop()
            }
            if iszero(staticcall(gas(), address(), 0, 0, 0, 0)) {
                mstore(0, shl(224, 0x12345678))
                revert(0, 4)
            }
            mstore(0, value)
            return(0, 32)
        }
    }
}
