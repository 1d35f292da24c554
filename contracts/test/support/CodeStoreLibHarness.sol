// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CodeStoreLib } from "src/libraries/CodeStoreLib.sol";
import { DirtyMemory } from "test/support/DirtyMemory.sol";

contract CodeStoreLibHarness {
    function write(uint256[] memory words) external returns (address at) {
        bytes32 before = keccak256(abi.encode(words));
        bytes memory bystander = "memory that was there before";
        at = CodeStoreLib.write(words);
        require(keccak256(abi.encode(words)) == before, "the words were changed");
        require(keccak256(bystander) == keccak256("memory that was there before"), "memory in use was overwritten");
    }

    function read(address at, uint256 length) external view returns (uint256[] memory words) {
        DirtyMemory.spill(32 * length + 64);
        words = CodeStoreLib.read(at, length);
        require(_firstFreeWord() == type(uint256).max, "memory behind the words was written");
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
