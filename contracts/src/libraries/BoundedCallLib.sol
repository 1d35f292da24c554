// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @title BoundedCallLib
/// @notice Puts questions to contracts that may be hostile, each with an exact amount of gas.
/// @dev Exact: a question gets its stipend in full or is not put at all. So whoever chooses the gas of the transaction
///      chooses between an answer and none, never between two answers, and one contract that burns its stipend takes
///      nothing from the next. Callers look at `target.code` first, which also makes the account warm.
library BoundedCallLib {
    /// @notice Too little gas is left to put the next question in full.
    /// @param needed Gas that would have been enough at that point.
    error NotEnoughGas(uint256 needed);

    /// @dev What the steps between the check and the call use at most, the call to a warm account (100) included.
    uint256 private constant MARGIN = 500;

    /// @dev An account that delegates (EIP-7702) has 23 bytes of code and costs up to 2,600 more to call: the code it
    ///      delegates to may be cold.
    uint256 private constant DELEGATION_BYTES = 23;
    uint256 private constant DELEGATION_GAS = 2_600;

    /// @dev Gas that must be left for a question with `stipend`: a caller keeps 1/64.
    function gasToAsk(uint256 stipend) internal pure returns (uint256) {
        unchecked {
            return stipend + stipend / 63 + MARGIN;
        }
    }

    /// @dev Reverts unless the stipend can be forwarded in full.
    function requireGas(address target, uint256 stipend) internal view {
        uint256 left = gasleft();
        uint256 needed = gasToAsk(stipend);
        unchecked {
            if (left >= needed + DELEGATION_GAS) return;
            if (target.code.length == DELEGATION_BYTES) needed += DELEGATION_GAS;
        }
        if (left < needed) revert NotEnoughGas(needed);
    }

    /// @dev Asks a contract that has code. `answered` is false if it reverted, ran out of gas or returned less than a word;
    ///      of longer answers only the first word is copied.
    function askWord(address target, uint256 stipend, bytes memory question)
        internal
        view
        returns (bool answered, uint256 word)
    {
        requireGas(target, stipend);
        assembly ("memory-safe") {
            let success := staticcall(stipend, target, add(question, 0x20), mload(question), 0x00, 0x20)
            answered := and(success, gt(returndatasize(), 0x1f))
            word := mload(0x00)
        }
    }

    /// @dev Asks a contract that has code for a bool, strictly: exactly one word, 0 or 1. `(false, false)` otherwise.
    function askBool(address target, uint256 stipend, bytes memory question)
        internal
        view
        returns (bool answered, bool yes)
    {
        requireGas(target, stipend);
        assembly ("memory-safe") {
            let success := staticcall(stipend, target, add(question, 0x20), mload(question), 0x00, 0x20)
            let word := mload(0x00)
            answered := and(and(success, eq(returndatasize(), 0x20)), lt(word, 2))
            yes := and(answered, word)
        }
    }

    /// @dev Asks a contract that has code for an array of `length` words, as `abi.encode(uint256[])` lays it out.
    ///      `answered` is false if it reverted, ran out of gas, or returned any other shape.
    function askArray(address target, uint256 stipend, bytes memory question, uint256 length)
        internal
        view
        returns (bool answered, uint256[] memory words)
    {
        words = new uint256[](length + 1); // one more: the answer's offset word goes before its length
        requireGas(target, stipend);
        assembly ("memory-safe") {
            let size := add(0x40, shl(5, length))
            let success := staticcall(stipend, target, add(question, 0x20), mload(question), words, size)
            answered := and(success, iszero(lt(returndatasize(), size)))
            answered := and(answered, and(eq(mload(words), 0x20), eq(mload(add(words, 0x20)), length)))
            // The array starts at its length, one word on. It stays in its memory whatever was written there.
            words := add(words, 0x20)
            mstore(words, length)
        }
    }
}
