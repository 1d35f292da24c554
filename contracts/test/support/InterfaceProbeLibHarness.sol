// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { InterfaceProbeLib } from "src/libraries/InterfaceProbeLib.sol";

contract InterfaceProbeLibHarness {
    /// @dev The result of `canAsk`, and the gas left just before it.
    function canAsk() external view returns (bool can, uint256 gasLeft) {
        gasLeft = gasleft();
        can = InterfaceProbeLib.hasProbeGas();
    }

    function saysYes(address target, bytes4 interfaceId) external view returns (bool) {
        return InterfaceProbeLib.supportsInterface(target, interfaceId);
    }

    /// @dev Probes only if there is enough gas, on a warm account, like the registry.
    function askIfPossible(address target, bytes4 interfaceId) external view returns (bool asked, bool granted) {
        if (target.code.length == 0 || !InterfaceProbeLib.hasProbeGas()) return (false, false);
        return (true, InterfaceProbeLib.supportsInterface(target, interfaceId));
    }
}
