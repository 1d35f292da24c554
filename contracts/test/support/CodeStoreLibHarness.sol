// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CodeStoreLib } from "src/libraries/CodeStoreLib.sol";
import { DirtyMemory } from "test/support/DirtyMemory.sol";

contract CodeStoreLibHarness {
    function write(uint256[] memory words) external returns (address at) {
        bytes32 before = keccak256(abi.encode(words));
        bytes memory existing = "existing memory";
        at = CodeStoreLib.write(words);
        require(keccak256(abi.encode(words)) == before, "the words were modified");
        require(keccak256(existing) == keccak256("existing memory"), "allocated memory was overwritten");
    }

    function read(address at, uint256 length) external view returns (uint256[] memory words) {
        DirtyMemory.fill(32 * length + 64);
        words = CodeStoreLib.read(at, length);
        require(_firstFreeWord() == type(uint256).max, "memory after the words was written");
    }

    function asAddresses(uint256[] memory words) external pure returns (address[] memory) {
        return CodeStoreLib.asAddresses(words);
    }

    function _firstFreeWord() private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(mload(0x40))
        }
    }
}
