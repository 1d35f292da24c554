// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Delegatecalls a valid token and sets additional bits in the first 32 bytes of its return data.
contract DirtyBitsToken {
    address private immutable _IMPLEMENTATION;
    uint256 private immutable _DIRTY_BITS;

    constructor(address implementation, uint256 dirtyBits) {
        (_IMPLEMENTATION, _DIRTY_BITS) = (implementation, dirtyBits);
    }

    fallback() external {
        uint256 dirtyBits = _DIRTY_BITS;
        (bool success, bytes memory returndata) = _IMPLEMENTATION.delegatecall(msg.data);
        assembly ("memory-safe") {
            let first := add(returndata, 0x20)
            if iszero(success) { revert(first, mload(returndata)) }
            mstore(first, or(mload(first), dirtyBits))
            return(first, mload(returndata))
        }
    }
}
