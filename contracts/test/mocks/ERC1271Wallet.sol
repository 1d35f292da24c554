// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev An ERC-1271 wallet that accepts its owner's signatures.
contract ERC1271Wallet {
    address private immutable _OWNER;

    constructor(address owner) {
        _OWNER = owner;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature), bytes32(signature[32:]));
        return signer == _OWNER ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}
