// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @notice Builds Merkle trees level by level: pairs are sorted, and an unpaired last node moves up.
library MerkleTree {
    function root(bytes32[] memory leaves) internal pure returns (bytes32) {
        while (leaves.length > 1) {
            leaves = _level(leaves);
        }
        return leaves[0];
    }

    function proof(bytes32[] memory leaves, uint256 index) internal pure returns (bytes32[] memory path) {
        while (leaves.length > 1) {
            uint256 partner = index ^ 1;
            if (partner < leaves.length) path = _append(path, leaves[partner]);
            leaves = _level(leaves);
            index /= 2;
        }
    }

    function parent(bytes32 a, bytes32 b) internal pure returns (bytes32) {
        return a < b ? keccak256(abi.encodePacked(a, b)) : keccak256(abi.encodePacked(b, a));
    }

    function _level(bytes32[] memory nodes) private pure returns (bytes32[] memory above) {
        above = new bytes32[]((nodes.length + 1) / 2);
        for (uint256 i = 0; i < above.length; i++) {
            above[i] = 2 * i + 1 < nodes.length ? parent(nodes[2 * i], nodes[2 * i + 1]) : nodes[2 * i];
        }
    }

    function _append(bytes32[] memory list, bytes32 value) private pure returns (bytes32[] memory longer) {
        longer = new bytes32[](list.length + 1);
        for (uint256 i = 0; i < list.length; i++) {
            longer[i] = list[i];
        }
        longer[list.length] = value;
    }
}
