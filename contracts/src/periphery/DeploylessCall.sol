// SPDX-License-Identifier: CC0-1.0
pragma solidity 0.8.37;

import { RawLib } from "../libraries/RawLib.sol";

/// @title DeploylessCall
/// @notice Calls a contract that is not deployed. Never deployed itself: `eth_call` without `to` runs the constructor.
/// @dev The result of the call is returned as if it were the code of this contract, so it has at most 24,576 bytes.
contract DeploylessCall {
    /// @notice The contract could not be created.
    error CreationFailed();

    /// @param creationCode The creation code of the contract, with its constructor arguments.
    /// @param callData     The call data.
    constructor(bytes memory creationCode, bytes memory callData) {
        address target = RawLib.create(creationCode);
        if (target == address(0)) revert CreationFailed();
        (bool ok, bytes memory result) = target.call(callData);
        if (!ok) RawLib.revertWith(result);
        RawLib.returnWith(result);
    }
}
