// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Calls first with all gas, which warms accounts and slots (EIP-2929), then with the given gas limit.
contract WarmCaller {
    function execute(address target, uint256 gasLimit, bytes calldata callData)
        external
        view
        returns (bool success, bytes memory returndata)
    {
        (success, returndata) = target.staticcall(callData);
        (success, returndata) = target.staticcall{ gas: gasLimit }(callData);
    }
}
