// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { MerkleProof } from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import { AllowlistFixture } from "test/support/AllowlistFixture.sol";
import { MerkleTree } from "test/support/MerkleTree.sol";

contract MerkleHasAccessFuzzTest is AllowlistFixture {
    function testFuzz_GrantsExactlyMembers(uint256 count, uint256 index, address other) external {
        count = bound(count, 1, 40);
        index = bound(index, 0, count - 1);
        vm.assume(other != _account(index));
        bytes32[] memory leaves = _setList(toolId, count);
        bytes memory data = abi.encode(MerkleTree.proof(leaves, index));
        assertTrue(predicate.hasAccess(toolId, _account(index), data), "a member was denied");
        assertFalse(predicate.hasAccess(toolId, other, data), "a non-member was granted access");
    }

    function testFuzz_AgreesWithOpenZeppelin(bytes32 root, bytes32[] memory proof, bool fits) external {
        bytes32 leaf = _leaf(toolId, agent);
        if (fits) root = MerkleProof.processProof(proof, leaf);
        vm.assume(root != 0);
        _setRoot(toolId, root);
        bool expected = proof.length <= 64 && MerkleProof.verify(proof, root, leaf);
        assertEq(predicate.hasAccess(toolId, agent, abi.encode(proof)), expected, "result differs from OpenZeppelin");
    }

    function testFuzz_DeniesArbitraryData(bytes memory data, address account) external {
        _setList(toolId, 9);
        assertFalse(predicate.hasAccess(toolId, account, data), "random data was accepted");
    }

    function testFuzz_DeniesModifiedProof(uint256 index, uint256 position, bytes1 change) external {
        index = bound(index, 0, 8);
        bytes memory data = abi.encode(MerkleTree.proof(_setList(toolId, 9), index));
        position = bound(position, 0, data.length - 1);
        vm.assume(change != 0);
        data[position] ^= change;
        assertFalse(predicate.hasAccess(toolId, _account(index), data), "a modified proof was accepted");
    }
}
