// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC165 } from "../interfaces/external/IERC165.sol";
import { ConstantsLib } from "./ConstantsLib.sol";

/// @title InterfaceProbeLib
/// @notice Puts ERC-165 questions to an address that may be hostile.
library InterfaceProbeLib {
    /// @dev Whether a question put now gets its full allowance. Whoever sends the transaction chooses its gas, so a starved
    ///      question must not be put: it would look like a contract that does not answer.
    function canAsk() internal view returns (bool) {
        return gasleft() >= ConstantsLib.MIN_GAS_TO_PROBE;
    }

    /// @dev Whether `target` answers yes to `interfaceId`. A revert, running out of gas, a return shorter than a word and a
    ///      first word other than 1 are not a yes. Longer returns are read as ordinary ABI decoding would, but only one
    ///      word is ever copied or paid for.
    function saysYes(address target, bytes4 interfaceId) internal view returns (bool yes) {
        bytes4 selector = IERC165.supportsInterface.selector;
        uint256 allowance = ConstantsLib.PROBE_GAS;
        assembly ("memory-safe") {
            mstore(0x00, selector)
            mstore(0x04, interfaceId)
            let success := staticcall(allowance, target, 0x00, 0x24, 0x00, 0x20)
            yes := and(and(success, gt(returndatasize(), 0x1f)), eq(mload(0x00), 1))
        }
    }
}
