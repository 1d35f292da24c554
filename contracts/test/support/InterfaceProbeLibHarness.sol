// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { InterfaceProbeLib } from "src/libraries/InterfaceProbeLib.sol";

contract InterfaceProbeLibHarness {
    /// @dev The result of `hasProbeGas`, and the gas left just before it.
    function hasProbeGas() external view returns (bool isEnough, uint256 gasLeft) {
        gasLeft = gasleft();
        isEnough = InterfaceProbeLib.hasProbeGas();
    }

    function supportsInterface(address target, bytes4 interfaceId) external view returns (bool) {
        return InterfaceProbeLib.supportsInterface(target, interfaceId);
    }

    /// @dev Probes only if there is enough gas, on a warm account, like the registry. The call costs `price` more.
    function probeIfPossible(address target, bytes4 interfaceId, uint256 price)
        external
        view
        returns (bool wasProbed, bool supported)
    {
        if (target.code.length == 0 || !InterfaceProbeLib.hasProbeGas()) {
            return (false, false);
        }
        uint256 end = gasleft() - price;
        while (gasleft() > end) { }
        return (true, InterfaceProbeLib.supportsInterface(target, interfaceId));
    }
}
