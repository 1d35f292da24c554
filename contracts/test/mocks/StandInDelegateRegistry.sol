// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Stand-in for version 2 of the delegate.xyz registry: delegation of everything, without rights. Tests place its code at
/// the address of the real registry.
contract StandInDelegateRegistry {
    mapping(address holder => mapping(address agent => bool)) private _isDelegate;

    /// @dev Version 2 takes the delegate, the rights and whether to enable, and returns the hash of the delegation.
    function delegateAll(address to, bytes32 rights, bool enable) external payable returns (bytes32) {
        require(rights == 0, "the stand-in has no rights");
        _isDelegate[msg.sender][to] = enable;
        return keccak256(abi.encode(msg.sender, to));
    }

    /// @dev Delegate first, holder second.
    function checkDelegateForAll(address to, address from, bytes32) external view returns (bool) {
        return _isDelegate[from][to];
    }
}
