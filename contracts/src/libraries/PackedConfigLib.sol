// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @notice The configuration of a tool in one storage slot. Zero if the tool is not configured.
type PackedConfig is uint256;

using PackedConfigLib for PackedConfig global;

/// @title PackedConfigLib
/// @notice Packs the configuration of a tool into one word.
/// @dev Cheaper to read than a struct, whose members are copied to memory one by one.
///
///      | bits       | content                                                           |
///      |------------|-------------------------------------------------------------------|
///      | 0 to 159   | target: a token, or a data contract (`CodeStoreLib`)              |
///      | 160 to 167 | first number                                                      |
///      | 168 to 175 | second number                                                     |
///      | 176 to 207 | stipend chosen by the creator, or zero                            |
///      | 255        | 1                                                                 |
library PackedConfigLib {
    /// @dev Packs a configuration. The numbers must be less than 2**8 and the stipend less than 2**32.
    function pack(address target_, uint256 first_, uint256 second_, uint256 stipend_)
        internal
        pure
        returns (PackedConfig)
    {
        return PackedConfig.wrap(uint160(target_) | first_ << 160 | second_ << 168 | stipend_ << 176 | 1 << 255);
    }

    function isSet(PackedConfig config) internal pure returns (bool) {
        return PackedConfig.unwrap(config) != 0;
    }

    function target(PackedConfig config) internal pure returns (address) {
        return address(uint160(PackedConfig.unwrap(config)));
    }

    function first(PackedConfig config) internal pure returns (uint256) {
        return uint8(PackedConfig.unwrap(config) >> 160);
    }

    function second(PackedConfig config) internal pure returns (uint256) {
        return uint8(PackedConfig.unwrap(config) >> 168);
    }

    function stipend(PackedConfig config) internal pure returns (uint256) {
        return uint32(PackedConfig.unwrap(config) >> 176);
    }
}
