// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev A contract account: calls `target` with the given gas limit and reports the gas used.
contract ContractAccount {
    function execute(address target, uint256 gasLimit, bytes calldata data)
        external
        payable
        returns (bool success, bytes memory returndata, uint256 gasUsed)
    {
        uint256 before = gasleft();
        (success, returndata) = target.call{ gas: gasLimit, value: msg.value }(data);
        gasUsed = before - gasleft();
    }
}
