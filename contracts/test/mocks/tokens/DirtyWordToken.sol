// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Runs the code of a good token on its own storage, and sets more bits in the first word of whatever that returns.
contract DirtyWordToken {
    address private immutable _GOOD;
    uint256 private immutable _DIRT;

    constructor(address good, uint256 dirt) {
        (_GOOD, _DIRT) = (good, dirt);
    }

    fallback() external {
        uint256 dirt = _DIRT;
        (bool success, bytes memory answer) = _GOOD.delegatecall(msg.data);
        assembly ("memory-safe") {
            let first := add(answer, 0x20)
            if iszero(success) { revert(first, mload(answer)) }
            mstore(first, or(mload(first), dirt))
            return(first, mload(answer))
        }
    }
}
