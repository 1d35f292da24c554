// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IERC165
/// @notice ERC-165 interface detection. Interface id `0x01ffc9a7`.
interface IERC165 {
    /// @notice Returns whether this contract implements an interface.
    /// @dev Must use less than 30,000 gas.
    /// @param interfaceId XOR of the interface's function selectors.
    /// @return True if the interface is implemented. Always false for `0xffffffff`.
    function supportsInterface(bytes4 interfaceId) external view returns (bool);
}
