// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev A contract that calls what it is told to, with as much gas as it is told to.
contract ContractCreator {
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
