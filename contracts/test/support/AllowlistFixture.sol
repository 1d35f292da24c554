// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IMerkleAllowlistPredicate } from "src/interfaces/predicates/IMerkleAllowlistPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { MerkleTree } from "test/support/MerkleTree.sol";

/// @dev A Merkle allowlist predicate and two tools that use it.
abstract contract AllowlistFixture is BaseTest {
    IMerkleAllowlistPredicate internal predicate;
    uint256 internal toolId;
    uint256 internal otherId;

    function setUp() public virtual override {
        super.setUp();
        predicate = IMerkleAllowlistPredicate(_deployArtifact("MerkleAllowlistPredicate", abi.encode(registry)));
        vm.label(address(predicate), "predicate");
        toolId = _register(address(predicate));
        otherId = _register(address(predicate));
    }

    /// @dev The leaf, computed independently of the predicate.
    function _leaf(uint256 id, address account) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(keccak256(abi.encode(id, account))));
    }

    function _account(uint256 i) internal pure returns (address) {
        return address(uint160(0xa11ce + i));
    }

    /// @dev The leaves of accounts 0 to `count` - 1.
    function _leaves(uint256 id, uint256 count) internal pure returns (bytes32[] memory leaves) {
        leaves = new bytes32[](count);
        for (uint256 i = 0; i < count; i++) {
            leaves[i] = _leaf(id, _account(i));
        }
    }

    function _setRoot(uint256 id, bytes32 root) internal {
        vm.prank(creator);
        predicate.setAllowlistRoot(id, root);
    }

    function _setList(uint256 id, uint256 count) internal returns (bytes32[] memory leaves) {
        leaves = _leaves(id, count);
        _setRoot(id, MerkleTree.root(leaves));
    }
}
