// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { InterfaceProbeLib } from "src/libraries/InterfaceProbeLib.sol";

contract InterfaceProbeLibHarness {
    /// @dev What `canAsk` says, and how much gas was left right before it was asked.
    function canAsk() external view returns (bool can, uint256 gasLeft) {
        gasLeft = gasleft();
        can = InterfaceProbeLib.hasProbeGas();
    }

    function saysYes(address target, bytes4 interfaceId) external view returns (bool) {
        return InterfaceProbeLib.supportsInterface(target, interfaceId);
    }

    /// @dev Asks only if it can, as the registry does; the account is warm by then, as it is in the registry.
    function askIfPossible(address target, bytes4 interfaceId) external view returns (bool asked, bool yes) {
        if (target.code.length == 0 || !InterfaceProbeLib.hasProbeGas()) return (false, false);
        return (true, InterfaceProbeLib.supportsInterface(target, interfaceId));
    }
}
