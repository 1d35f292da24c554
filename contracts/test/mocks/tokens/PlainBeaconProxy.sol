// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BeaconProxy } from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";
import { UpgradeableBeacon } from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";

/// @dev OpenZeppelin's beacon proxy with a beacon of its own.
contract PlainBeaconProxy is BeaconProxy {
    constructor(address implementation) BeaconProxy(address(new UpgradeableBeacon(implementation, msg.sender)), "") { }
}
