// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev A smart account that runs scripts by `delegatecall`, as a Safe does for its owners.
contract DelegatecallAccount {
    function run(address script, bytes calldata data) external returns (bool success, bytes memory returndata) {
        return script.delegatecall(data);
    }
}
