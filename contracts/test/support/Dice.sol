// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @notice A stream of choices that a single seed decides.
struct Dice {
    uint256 seed;
}

using DiceLib for Dice global;

library DiceLib {
    /// @dev A number below `sides`.
    function roll(Dice memory dice, uint256 sides) internal pure returns (uint256) {
        return uint256(word(dice)) % sides;
    }

    /// @dev Whether something happens that does so once in `times`.
    function oneIn(Dice memory dice, uint256 times) internal pure returns (bool) {
        return roll(dice, times) == 0;
    }

    function word(Dice memory dice) internal pure returns (bytes32) {
        dice.seed = uint256(keccak256(abi.encode(dice.seed)));
        return bytes32(dice.seed);
    }

    /// @dev Any bytes, `length` of them.
    function noise(Dice memory dice, uint256 length) internal pure returns (bytes memory text) {
        text = new bytes(length + 32);
        for (uint256 i = 0; i < length; i += 32) {
            bytes32 value = word(dice);
            assembly ("memory-safe") {
                mstore(add(add(text, 32), i), value)
            }
        }
        assembly ("memory-safe") {
            mstore(text, length)
        }
    }

    /// @dev A name of `length` letters, digits, dots and hyphens.
    function name(Dice memory dice, uint256 length) internal pure returns (bytes memory text) {
        bytes32 letters = "abcdefghijklmnopqrstuvwxyz01234.";
        text = noise(dice, length);
        for (uint256 i = 0; i < length; ++i) {
            text[i] = letters[uint8(text[i]) % 32];
        }
    }
}
