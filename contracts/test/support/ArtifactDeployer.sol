// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Test } from "forge-std/Test.sol";
import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev All functions of the registry.
interface IRegistry is IToolRegistry, IERC165 { }

/// @dev Deploys the committed build of a contract, independent of the compiler settings of tests. Tests import only
///      interfaces; an imported contract would be compiled again with the test settings.
abstract contract ArtifactDeployer is Test {
    function _deployArtifact(string memory name, bytes memory arguments) internal returns (address) {
        return deployCode(_artifact(name), arguments);
    }

    function _artifactCode(string memory name) internal view returns (bytes memory) {
        return vm.getCode(_artifact(name));
    }

    function _artifact(string memory name) private pure returns (string memory) {
        return string.concat(name, ".sol:", name);
    }
}
