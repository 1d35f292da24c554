// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IToolRegistry } from "src/interfaces/IToolRegistry.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev All of the registry's functions. Tests deploy the registry from its artifact and do not import it: they are compiled
///      quickly, without optimizer, while the registry they test has the very bytes we ship.
interface IRegistry is IToolRegistry, IERC165 { }
