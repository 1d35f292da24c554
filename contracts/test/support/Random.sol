// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @notice A deterministic pseudorandom generator.
struct Random {
    uint256 seed;
}

using RandomLib for Random global;

library RandomLib {
    /// @dev A number below `bound`.
    function below(Random memory random, uint256 bound) internal pure returns (uint256) {
        return uint256(word(random)) % bound;
    }

    /// @dev True with probability 1 / `times`.
    function oneIn(Random memory random, uint256 times) internal pure returns (bool) {
        return below(random, times) == 0;
    }

    function word(Random memory random) internal pure returns (bytes32) {
        random.seed = uint256(keccak256(abi.encode(random.seed)));
        return bytes32(random.seed);
    }

    /// @dev `length` random bytes.
    function data(Random memory random, uint256 length) internal pure returns (bytes memory text) {
        text = new bytes(length + 32);
        for (uint256 i = 0; i < length; i += 32) {
            bytes32 value = word(random);
            assembly ("memory-safe") {
                mstore(add(add(text, 32), i), value)
            }
        }
        assembly ("memory-safe") {
            mstore(text, length)
        }
    }

    /// @dev A name of `length` letters, digits, dots and hyphens.
    function name(Random memory random, uint256 length) internal pure returns (bytes memory text) {
        bytes32 letters = "abcdefghijklmnopqrstuvwxyz01234.";
        text = data(random, length);
        for (uint256 i = 0; i < length; ++i) {
            text[i] = letters[uint8(text[i]) % 32];
        }
    }
}
