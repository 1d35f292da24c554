// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Test } from "forge-std/Test.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev All of the registry's functions.
interface IRegistry is IToolRegistry, IERC165 { }

/// @dev Deploys the bytes we ship, however the test itself was compiled. Tests import interfaces only: a contract that they
///      imported would be compiled a second time, with their settings.
abstract contract Shipped is Test {
    function _deployShipped(string memory name, bytes memory arguments) internal returns (address) {
        return deployCode(_artifact(name), arguments);
    }

    function _shippedCode(string memory name) internal view returns (bytes memory) {
        return vm.getCode(_artifact(name));
    }

    function _artifact(string memory name) private pure returns (string memory) {
        return string.concat(name, ".sol:", name);
    }
}
