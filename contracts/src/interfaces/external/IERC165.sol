// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title IERC165
/// @notice Standard interface detection, ERC-165. Interface id `0x01ffc9a7`.
interface IERC165 {
    /// @notice Tells whether this contract implements an interface.
    /// @dev ERC-165 allows less than 30,000 gas for the answer.
    /// @param interfaceId XOR of the interface's function selectors.
    /// @return True if it is implemented; false otherwise, and always for `0xffffffff`.
    function supportsInterface(bytes4 interfaceId) external view returns (bool);
}
