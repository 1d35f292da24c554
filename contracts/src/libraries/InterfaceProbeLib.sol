// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC165 } from "../interfaces/external/IERC165.sol";
import { ConstantsLib } from "./ConstantsLib.sol";

/// @title InterfaceProbeLib
/// @notice ERC-165 queries to untrusted contracts.
library InterfaceProbeLib {
    /// @dev Returns whether enough gas is left to forward `PROBE_GAS` in full. Callers must check this before a query:
    ///      a query with less gas can fail on a contract that supports ERC-165, and the sender of the transaction
    ///      chooses the gas.
    function hasProbeGas() internal view returns (bool) {
        return gasleft() >= ConstantsLib.MIN_GAS_TO_PROBE;
    }

    /// @dev Returns whether `target` reports support for `interfaceId`. Returns false if the call reverts or runs out
    ///      of gas, if the return data is shorter than 32 bytes, and if its first 32 bytes are not 1. Longer return
    ///      data is accepted, as in ABI decoding, but only 32 bytes are copied.
    function supportsInterface(address target, bytes4 interfaceId) internal view returns (bool supported) {
        bytes4 selector = IERC165.supportsInterface.selector;
        uint256 stipend = ConstantsLib.PROBE_GAS;
        // Equivalent to:
        //     bytes memory callData = abi.encodeCall(IERC165.supportsInterface, (interfaceId));
        //     (bool success, bytes memory returndata) = target.staticcall{ gas: stipend }(callData);
        //     supported = success && returndata.length >= 32 && uint256(bytes32(returndata)) == 1;
        assembly ("memory-safe") {
            mstore(0x00, selector)
            mstore(0x04, interfaceId)
            let success := staticcall(stipend, target, 0x00, 0x24, 0x00, 0x20)
            supported := and(and(success, gt(returndatasize(), 0x1f)), eq(mload(0x00), 1))
        }
    }
}
