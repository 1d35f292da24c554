// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";

/// @dev Asks a registry as a contract would, and reads what it returns by the compiler's own decoder.
contract DecodingCaller {
    function ask(IToolRegistry registry) external view returns (bool ok, bool granted) {
        return registry.tryHasAccess(1, msg.sender, "");
    }
}
