// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Returns the gas it received, less the 2 gas of the GAS opcode: a single value, or an array of one value for
///      `balanceOfBatch`. Raw bytecode, so that GAS is the first opcode.
contract GasReportingToken {
    constructor() {
        // GAS, PUSH1 0x40, MSTORE, PUSH1 0x20, PUSH0, MSTORE, PUSH1 1, PUSH1 0x20, MSTORE; then the array if the
        // calldata is longer than 0x24 bytes, otherwise the single value.
        bytes memory code = hex"5a60405260205f5260016020526024361160195760206040f35b60605ff3";
        assembly ("memory-safe") {
            return(add(code, 0x20), mload(code))
        }
    }
}
