// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { TransparentUpgradeableProxy } from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";

/// @dev OpenZeppelin's transparent proxy, without an initializer.
contract PlainTransparentProxy is TransparentUpgradeableProxy {
    constructor(address implementation) TransparentUpgradeableProxy(implementation, msg.sender, "") { }

    function _unsafeAllowUninitialized() internal pure override returns (bool) {
        return true;
    }
}
