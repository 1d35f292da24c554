// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CodeStoreLib } from "src/libraries/CodeStoreLib.sol";

contract CodeStoreLibHarness {
    function write(uint256[] memory words) external returns (address at) {
        bytes32 before = keccak256(abi.encode(words));
        bytes memory bystander = "memory that was there before";
        at = CodeStoreLib.write(words);
        require(keccak256(abi.encode(words)) == before, "the words were changed");
        require(keccak256(bystander) == keccak256("memory that was there before"), "memory in use was overwritten");
    }

    function read(address at, uint256 length) external view returns (uint256[] memory words) {
        words = CodeStoreLib.read(at, length);
        require(new bytes(64)[63] == 0, "memory behind the words was written");
    }

    function asAddresses(uint256[] memory words) external pure returns (address[] memory) {
        return CodeStoreLib.asAddresses(words);
    }
}
