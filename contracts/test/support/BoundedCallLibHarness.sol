// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BoundedCallLib } from "src/libraries/BoundedCallLib.sol";

contract BoundedCallLibHarness {
    error NoCode();

    /// @dev Checks the code first, like the predicates, which warms the account.
    modifier withCode(address target) {
        if (target.code.length == 0) revert NoCode();
        _;
    }

    function gasRequired(uint256 stipend) external pure returns (uint256) {
        return BoundedCallLib.gasRequired(stipend);
    }

    function tryStaticCallWord(address target, uint256 stipend, bytes memory callData)
        external
        view
        withCode(target)
        returns (bool ok, uint256 word)
    {
        return BoundedCallLib.tryStaticCallWord(target, stipend, callData);
    }

    function tryStaticCallBool(address target, uint256 stipend, bytes memory callData)
        external
        view
        withCode(target)
        returns (bool ok, bool value)
    {
        return BoundedCallLib.tryStaticCallBool(target, stipend, callData);
    }

    /// @dev Also checks that the array stays within newly allocated memory.
    function tryStaticCallArray(address target, uint256 stipend, bytes memory callData, uint256 length)
        external
        view
        withCode(target)
        returns (bool ok, uint256[] memory words)
    {
        bytes32 callDataHash = keccak256(callData);
        (ok, words) = BoundedCallLib.tryStaticCallArray(target, stipend, callData, length);
        bytes memory trailing = new bytes(64);
        require(keccak256(trailing) == keccak256(new bytes(64)), "memory after the array was written");
        require(keccak256(callData) == callDataHash, "allocated memory was overwritten");
        require(words.length == length, "wrong array length");
        uint256 end;
        uint256 next;
        assembly ("memory-safe") {
            end := add(add(words, 0x20), shl(5, length))
            next := trailing
        }
        require(end == next, "the array does not end at the free memory pointer");
    }
}
