// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ERC1967Proxy } from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";

/// @dev OpenZeppelin's ERC-1967 proxy, without an initializer.
contract PlainERC1967Proxy is ERC1967Proxy {
    constructor(address implementation) ERC1967Proxy(implementation, "") { }

    function _unsafeAllowUninitialized() internal pure override returns (bool) {
        return true;
    }
}
