// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { BoundedCallLib } from "../libraries/BoundedCallLib.sol";

/// @title GasProbe
/// @notice Measures the gas of a call, made in the same way as predicates call tokens.
/// @dev Never deployed: `eth_call` without `to` runs the constructor, which always reverts with `Measured`. The target's
///      account is warm and its storage is cold, as in an access check.
contract GasProbe {
    /// @notice The result of the call.
    /// @param hasCode Whether the target has code. If not, it was not called.
    /// @param ok      Whether the call succeeded and returned at least 32 bytes.
    /// @param gasUsed The gas used by the call, including a small constant overhead.
    /// @param word    The first 32 bytes of the return data, if `ok`.
    error Measured(bool hasCode, bool ok, uint256 gasUsed, uint256 word);

    /// @param target   The contract to call.
    /// @param stipend  The gas limit of the call.
    /// @param callData The call data.
    constructor(address target, uint256 stipend, bytes memory callData) {
        if (target.code.length == 0) revert Measured(false, false, 0, 0);
        uint256 before = gasleft();
        (bool ok, uint256 word) = BoundedCallLib.tryStaticCallWord(target, stipend, callData);
        revert Measured(true, ok, before - gasleft(), ok ? word : 0);
    }
}
