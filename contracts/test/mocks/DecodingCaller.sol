// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";

/// @dev Calls `tryHasAccess` from Solidity, so that the compiler's ABI decoder checks the return data.
contract DecodingCaller {
    function tryHasAccess(IToolRegistry registry) external view returns (bool ok, bool granted) {
        return registry.tryHasAccess(1, msg.sender, "");
    }
}
