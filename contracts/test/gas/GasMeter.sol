// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Test } from "forge-std/Test.sol";
import { Vm } from "forge-std/Vm.sol";

/// @notice Measures gas: one cold call in its own transaction (forge's `isolate`).
/// @dev `transaction` is the receipt's gas used, net of refunds. `execution` is gas before refunds less 21,000 and
///      calldata gas.
abstract contract GasMeter is Test {
    function _call(address target, bytes memory call) internal returns (uint256 transaction, uint256 execution) {
        (bool success,) = target.call(call);
        Vm.Gas memory gas = vm.lastCallGas();
        assertTrue(success, "the measured call reverted");
        transaction = gas.gasTotalUsed;
        execution = transaction + uint256(uint64(gas.gasRefunded)) - 21_000 - _calldataGas(call);
    }

    function _calldataGas(bytes memory call) internal pure returns (uint256 gas) {
        for (uint256 i = 0; i < call.length; i++) {
            gas += call[i] == 0 ? 4 : 16;
        }
    }
}
