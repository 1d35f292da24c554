// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { DataContract } from "test/mocks/tokens/PresetResponseToken.sol";

/// @dev Returns preset bytes to any call that has at least `minGas` gas; reverts immediately with less, which returns
///      the unused gas to the caller.
contract MinGasPredicate {
    address private _data;
    uint64 private _minGas;

    function setReturnData(uint64 minGas, bytes calldata returndata) external {
        (_data, _minGas) = (address(new DataContract(returndata)), minGas);
    }

    fallback() external {
        uint256 gasAtStart = gasleft();
        address data = _data;
        if (gasAtStart < _minGas) revert();
        assembly ("memory-safe") {
            let ptr := mload(0x40)
            let size := sub(extcodesize(data), 1)
            extcodecopy(data, ptr, 1, size)
            return(ptr, size)
        }
    }
}
