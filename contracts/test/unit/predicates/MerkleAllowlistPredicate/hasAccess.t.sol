// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { MerkleProof } from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IAlwaysDenied, IMerkleAllowlist, IReadsCallData } from "src/interfaces/IRequirementTypes.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { AllowlistWorld } from "test/support/AllowlistWorld.sol";
import { MerkleTree } from "test/support/MerkleTree.sol";

contract MerkleHasAccessTest is AllowlistWorld {
    /* NO LIST */

    function test_RevertGiven_NeverConfigured() external {
        vm.expectRevert(abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, toolId));
        predicate.hasAccess(toolId, agent, "");
        assertAccess(registry, toolId, agent, abi.encode(new bytes32[](0)), false, false);
    }

    function test_GivenRootIsZero() external {
        _setRoot(toolId, 0);
        assertAccess(registry, toolId, agent, "", true, false);
        assertAccess(registry, toolId, agent, abi.encode(new bytes32[](0)), true, false);
        assertAccess(registry, toolId, agent, abi.encode(new bytes32[](3)), true, false);
    }

    function test_GivenRootIsZero_SentinelIsOutOfReach() external {
        // Two nodes that would hash to it are not known; what can be shown is that the hash itself opens nothing.
        bytes32[1] memory guesses = [keccak256("MerkleAllowlistPredicate: nobody")];
        _setRoot(toolId, 0);
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = guesses[0];
        assertFalse(predicate.hasAccess(toolId, agent, abi.encode(proof)), "the sentinel as a sibling opens");
        _setRoot(toolId, guesses[0]);
        assertFalse(predicate.hasAccess(toolId, agent, abi.encode(new bytes32[](0))), "the sentinel as a root opens");
        assertEq(predicate.getAllowlistRoot(toolId), 0, "the sentinel shows");
    }

    /* LISTS */

    function test_WhenProofIsGood() external {
        for (uint256 count = 1; count <= 17; count++) {
            bytes32[] memory leaves = _setList(toolId, count);
            for (uint256 i = 0; i < count; i++) {
                bytes32[] memory proof = MerkleTree.proof(leaves, i);
                assertTrue(MerkleProof.verify(proof, MerkleTree.root(leaves), leaves[i]), "OpenZeppelin disagrees");
                assertAccess(registry, toolId, _account(i), abi.encode(proof), true, true);
                assertEq(predicate.leafOf(toolId, _account(i)), leaves[i], "leafOf");
            }
        }
    }

    function test_WhenProofIsAnothers() external {
        bytes32[] memory leaves = _setList(toolId, 8);
        bytes32[] memory otherLeaves = _setList(otherId, 8);
        for (uint256 i = 0; i < 8; i++) {
            bytes memory data = abi.encode(MerkleTree.proof(leaves, i));
            assertAccess(registry, toolId, stranger, data, true, false);
            assertAccess(registry, toolId, _account((i + 1) % 8), data, true, false);
            assertAccess(registry, otherId, _account(i), data, true, false);
            assertAccess(registry, toolId, _account(i), abi.encode(MerkleTree.proof(otherLeaves, i)), true, false);
            bytes32[] memory proof = MerkleTree.proof(leaves, i);
            (proof[0], proof[2]) = (proof[2], proof[0]);
            assertAccess(registry, toolId, _account(i), abi.encode(proof), true, false);
        }
        // The very list of one tool is worth nothing for another.
        _setRoot(otherId, MerkleTree.root(leaves));
        assertAccess(registry, otherId, _account(0), abi.encode(MerkleTree.proof(leaves, 0)), true, false);
    }

    function test_GivenOneAccount() external {
        _setList(toolId, 1);
        bytes memory empty = abi.encode(new bytes32[](0));
        assertAccess(registry, toolId, _account(0), empty, true, true);
        assertAccess(registry, toolId, _account(1), empty, true, false);
        assertAccess(registry, toolId, _account(0), abi.encode(new bytes32[](1)), true, false);
    }

    /* ATTACKS ON THE TREE */

    function test_WhenInnerNodeIsShown() external {
        bytes32[] memory leaves = _setList(toolId, 4);
        bytes32 left = MerkleTree.parent(leaves[0], leaves[1]);
        bytes32 right = MerkleTree.parent(leaves[2], leaves[3]);
        // A proof for the inner node: one sibling. No account has the node as its leaf, so it opens for nobody.
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = right;
        assertTrue(MerkleProof.verify(proof, predicate.getAllowlistRoot(toolId), left), "the node is in the tree");
        for (uint256 i = 0; i < 4; i++) {
            assertAccess(registry, toolId, _account(i), abi.encode(proof), true, false);
        }
        // Second preimage: tool and account taken from the two halves of an inner node.
        bytes32 low = leaves[0] < leaves[1] ? leaves[0] : leaves[1];
        bytes32 high = leaves[0] < leaves[1] ? leaves[1] : leaves[0];
        _setRoot(toolId, keccak256(abi.encode(low, high)));
        vm.prank(creator);
        (bool success, bytes memory answer) = address(predicate)
            .staticcall(
                abi.encodeWithSelector(
                    IAccessPredicate.hasAccess.selector, low, high, uint256(96), uint256(64), uint256(32), uint256(0)
                )
            );
        assertTrue(!success || !abi.decode(answer, (bool)), "an inner node passed for a leaf");
        assertTrue(predicate.leafOf(uint256(low), address(uint160(uint256(high)))) != left, "a leaf equals a node");
    }

    function test_WhenLeafIsHashedOnce() external {
        _setRoot(toolId, keccak256(abi.encode(toolId, agent)));
        assertAccess(registry, toolId, agent, abi.encode(new bytes32[](0)), true, false);
        _setRoot(toolId, keccak256(abi.encodePacked(keccak256(abi.encodePacked(toolId, agent)))));
        assertAccess(registry, toolId, agent, abi.encode(new bytes32[](0)), true, false);
    }

    /* LENGTH */

    function test_WhenProofIsTheLongest() external {
        bytes32[] memory proof = _chain(64);
        assertAccess(registry, toolId, agent, abi.encode(proof), true, true);
        assertEq(predicate.MAX_PROOF_LENGTH(), 64, "MAX_PROOF_LENGTH");
    }

    function test_WhenProofIsTooLong() external {
        bytes32[] memory proof = _chain(65);
        assertTrue(
            MerkleProof.verify(proof, predicate.getAllowlistRoot(toolId), _leaf(toolId, agent)), "the proof is no good"
        );
        assertAccess(registry, toolId, agent, abi.encode(proof), true, false);
    }

    /* MALFORMED DATA */

    function test_WhenDataAreMalformed() external {
        bytes32[] memory leaves = _setList(toolId, 4);
        bytes32[] memory proof = MerkleTree.proof(leaves, 0);
        bytes memory good = abi.encode(proof);
        for (uint256 length = 0; length < good.length; length++) {
            _assertNo(_head(good, length));
        }
        _assertNo(bytes.concat(good, hex"00"));
        _assertNo(bytes.concat(good, bytes32(0)));
        _assertNo(abi.encodePacked(proof));
        _assertNo(abi.encodePacked(uint256(64), uint256(2), proof[0], proof[1]));
        _assertNo(abi.encodePacked(uint256(0), uint256(2), proof[0], proof[1]));
        _assertNo(abi.encodePacked(uint256(32), uint256(3), proof[0], proof[1]));
        _assertNo(abi.encodePacked(uint256(32), uint256(1), proof[0], proof[1]));
        uint256[5] memory lengths = [uint256(2 ** 64), 2 ** 251, 2 ** 255, 2 ** 251 + 2, type(uint256).max];
        for (uint256 i = 0; i < lengths.length; i++) {
            _assertNo(abi.encodePacked(uint256(32), lengths[i], proof[0], proof[1]));
            _assertNo(abi.encodePacked(lengths[i], uint256(2), proof[0], proof[1]));
        }
        assertAccess(registry, toolId, _account(0), good, true, true);
    }

    function test_WhenAnyoneAsks() external {
        // B-10
        bytes32[] memory leaves = _setList(toolId, 4);
        bytes memory data = abi.encode(MerkleTree.proof(leaves, 0));
        address[3] memory askers = [_account(0), stranger, creator];
        for (uint256 i = 0; i < askers.length; i++) {
            vm.startPrank(askers[i], askers[i]);
            assertTrue(predicate.hasAccess(toolId, _account(0), data), "the asker made a difference");
            assertFalse(predicate.hasAccess(toolId, stranger, data), "the account made none");
            vm.stopPrank();
        }
    }

    /* WHAT IT SAYS OF ITSELF */

    function test_Identity() external view {
        // B-02, B-04
        assertEq(predicate.name(), "MerkleAllowlistPredicate", "name");
        assertGt(bytes(predicate.version()).length, 0, "version");
        assertEq(address(predicate.REGISTRY()), address(registry), "REGISTRY");
        assertTrue(predicate.supportsInterface(type(IERC165).interfaceId), "IERC165");
        assertTrue(predicate.supportsInterface(type(IAccessPredicate).interfaceId), "IAccessPredicate");
        assertTrue(predicate.supportsInterface(type(IReadsCallData).interfaceId), "IReadsCallData");
        assertFalse(predicate.supportsInterface(0xffffffff), "0xffffffff");
    }

    function test_GetRequirements() external {
        // B-03
        vm.expectRevert(abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, toolId));
        predicate.getRequirements(toolId);
        _setRoot(toolId, keccak256("root"));
        (AccessRequirement[] memory entries, RequirementLogic logic) = predicate.getRequirements(toolId);
        assertEq(entries.length, 1, "entries");
        assertEq(entries[0].kind, type(IMerkleAllowlist).interfaceId, "kind");
        assertEq(entries[0].data, abi.encode(keccak256("root")), "data");
        assertEq(uint256(logic), uint256(RequirementLogic.AND), "logic");
        _setRoot(toolId, 0);
        (entries,) = predicate.getRequirements(toolId);
        assertEq(entries.length, 1, "entries of an empty list");
        assertEq(entries[0].kind, type(IAlwaysDenied).interfaceId, "kind of an empty list");
    }

    /* SUPPORT */

    /// @dev A proof of `length` elements for the agent, and the root to it.
    function _chain(uint256 length) private returns (bytes32[] memory proof) {
        proof = new bytes32[](length);
        bytes32 node = _leaf(toolId, agent);
        for (uint256 i = 0; i < length; i++) {
            proof[i] = keccak256(abi.encode("sibling", i));
            node = MerkleTree.parent(node, proof[i]);
        }
        _setRoot(toolId, node);
    }

    function _head(bytes memory whole, uint256 length) private pure returns (bytes memory head) {
        head = new bytes(length);
        for (uint256 i = 0; i < length; i++) {
            head[i] = whole[i];
        }
    }

    function _assertNo(bytes memory data) private view {
        assertFalse(predicate.hasAccess(toolId, _account(0), data), "malformed data opened");
    }
}
