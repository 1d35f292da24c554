// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessProofPredicate } from "src/interfaces/predicates/IAccessProofPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";

contract AccessProofHasAccessFuzzTest is BaseTest {
    IAccessProofPredicate private predicate;

    function setUp() public override {
        super.setUp();
        predicate = IAccessProofPredicate(_deployArtifact("AccessProofPredicate", abi.encode(registry)));
    }

    function testFuzz_GrantsOnlySigner(
        uint256 key,
        uint256 toolId,
        uint64 deadline,
        uint64 time,
        address other,
        uint256 otherId
    ) external {
        // B-13
        key = _key(key);
        address signer = vm.addr(key);
        vm.assume(other != signer && otherId != toolId && other.code.length == 0);
        vm.warp(time);
        bytes memory data = _proof(key, toolId, deadline);
        assertEq(predicate.hasAccess(toolId, signer, data), time <= deadline, "signer");
        assertFalse(predicate.hasAccess(toolId, other, data), "another account");
        assertFalse(predicate.hasAccess(otherId, signer, data), "other tool");
    }

    function testFuzz_DeniesModifiedProof(uint256 key, uint256 toolId, uint256 position, bytes1 change) external view {
        key = _key(key);
        vm.assume(change != 0);
        bytes memory data = _proof(key, toolId, type(uint64).max);
        position = bound(position, 0, 96 + 65 - 1);
        data[position] ^= change;
        assertFalse(predicate.hasAccess(toolId, vm.addr(key), data), "a modified proof was accepted");
    }

    function testFuzz_DeniesArbitraryData(address account, uint256 toolId, bytes memory data) external view {
        // B-15
        vm.assume(account.code.length == 0);
        assertFalse(predicate.hasAccess(toolId, account, data), "random data was accepted");
        bytes memory framed = abi.encode(type(uint64).max, data);
        assertFalse(predicate.hasAccess(toolId, account, framed), "random data in a valid encoding was accepted");
    }

    function _key(uint256 key) private pure returns (uint256) {
        return bound(key, 1, 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140);
    }

    function _proof(uint256 key, uint256 toolId, uint64 deadline) private view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, predicate.digestOf(toolId, vm.addr(key), deadline));
        return abi.encode(deadline, abi.encodePacked(r, s, v));
    }
}
