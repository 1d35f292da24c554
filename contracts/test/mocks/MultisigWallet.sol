// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC1271 } from "src/interfaces/external/IERC1271.sol";

/// @dev An ERC-1271 wallet that, like a Safe, checks one signature per owner.
contract MultisigWallet {
    address[] private _owners;

    function addOwner(address owner) external {
        _owners.push(owner);
    }

    function isValidSignature(bytes32 hash, bytes calldata signatures) external view returns (bytes4) {
        for (uint256 i = 0; i < _owners.length; i++) {
            bytes calldata signature = signatures[65 * i:65 * i + 65];
            address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature), bytes32(signature[32:]));
            if (signer != _owners[i]) return 0xffffffff;
        }
        return IERC1271.isValidSignature.selector;
    }
}
