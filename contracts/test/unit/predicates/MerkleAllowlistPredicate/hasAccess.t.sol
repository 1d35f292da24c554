// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { MerkleProof } from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import { IAlwaysDenied, IMerkleAllowlist } from "src/interfaces/IRequirementTypes.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { ContractAccount } from "test/mocks/ContractAccount.sol";
import { AllowlistFixture } from "test/support/AllowlistFixture.sol";
import { MerkleTree } from "test/support/MerkleTree.sol";

contract MerkleHasAccessTest is AllowlistFixture {
    /* EMPTY ALLOWLIST */

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

    function test_GivenRootIsZero_SentinelIsUnreachable() external {
        // No preimage of the sentinel is known. Shows that the sentinel itself grants nothing.
        bytes32 sentinel = keccak256("MerkleAllowlistPredicate: empty list");
        _setRoot(toolId, 0);
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = sentinel;
        assertFalse(predicate.hasAccess(toolId, agent, abi.encode(proof)), "the sentinel was accepted as a sibling");
        _setRoot(toolId, sentinel);
        assertFalse(
            predicate.hasAccess(toolId, agent, abi.encode(new bytes32[](0))), "the sentinel was accepted as a root"
        );
        assertEq(predicate.getAllowlistRoot(toolId), 0, "getAllowlistRoot returned the sentinel");
    }

    /* ALLOWLISTS */

    function test_WhenProofIsValid() external {
        for (uint256 count = 1; count <= 17; count++) {
            bytes32[] memory leaves = _setList(toolId, count);
            for (uint256 i = 0; i < count; i++) {
                bytes32[] memory proof = MerkleTree.proof(leaves, i);
                assertTrue(
                    MerkleProof.verify(proof, MerkleTree.root(leaves), leaves[i]), "result differs from OpenZeppelin"
                );
                assertAccess(registry, toolId, _account(i), abi.encode(proof), true, true);
                assertEq(predicate.leafOf(toolId, _account(i)), leaves[i], "leafOf");
            }
        }
    }

    function test_WhenProofIsForOtherContext() external {
        bytes32[] memory leaves = _setList(toolId, 8);
        bytes32[] memory otherLeaves = _setList(otherId, 8);
        for (uint256 i = 0; i < 8; i++) {
            bytes memory data = abi.encode(MerkleTree.proof(leaves, i));
            assertAccess(registry, toolId, eve, data, true, false);
            assertAccess(registry, toolId, _account((i + 1) % 8), data, true, false);
            assertAccess(registry, otherId, _account(i), data, true, false);
            assertAccess(registry, toolId, _account(i), abi.encode(MerkleTree.proof(otherLeaves, i)), true, false);
            bytes32[] memory proof = MerkleTree.proof(leaves, i);
            (proof[0], proof[2]) = (proof[2], proof[0]);
            assertAccess(registry, toolId, _account(i), abi.encode(proof), true, false);
        }
        // A tool's allowlist is invalid for another tool.
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

    function test_WhenInnerNodeIsUsedAsLeaf() external {
        bytes32[] memory leaves = _setList(toolId, 4);
        bytes32 left = MerkleTree.parent(leaves[0], leaves[1]);
        bytes32 right = MerkleTree.parent(leaves[2], leaves[3]);
        // A proof for the inner node has one sibling. No account's leaf is the node, so access is denied.
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = right;
        assertTrue(MerkleProof.verify(proof, predicate.getAllowlistRoot(toolId), left), "the node is not in the tree");
        for (uint256 i = 0; i < 4; i++) {
            assertAccess(registry, toolId, _account(i), abi.encode(proof), true, false);
        }
        // Second preimage: tool and account taken from the two halves of an inner node.
        bytes32 low = leaves[0] < leaves[1] ? leaves[0] : leaves[1];
        bytes32 high = leaves[0] < leaves[1] ? leaves[1] : leaves[0];
        _setRoot(toolId, keccak256(abi.encode(low, high)));
        vm.prank(creator);
        (bool success, bytes memory returndata) = address(predicate)
            .staticcall(
                abi.encodeWithSelector(
                    IAccessPredicate.hasAccess.selector, low, high, uint256(96), uint256(64), uint256(32), uint256(0)
                )
            );
        assertTrue(!success || !abi.decode(returndata, (bool)), "an inner node was accepted as a leaf");
        assertTrue(predicate.leafOf(uint256(low), address(uint160(uint256(high)))) != left, "a leaf equals a node");
    }

    function test_WhenLeafIsHashedOnce() external {
        _setRoot(toolId, keccak256(abi.encode(toolId, agent)));
        assertAccess(registry, toolId, agent, abi.encode(new bytes32[](0)), true, false);
        _setRoot(toolId, keccak256(abi.encodePacked(keccak256(abi.encodePacked(toolId, agent)))));
        assertAccess(registry, toolId, agent, abi.encode(new bytes32[](0)), true, false);
    }

    /* PROOF LENGTH */

    function test_WhenProofHasMaximumLength() external {
        bytes32[] memory proof = _chain(64);
        assertAccess(registry, toolId, agent, abi.encode(proof), true, true);
        assertEq(predicate.MAX_PROOF_LENGTH(), 64, "MAX_PROOF_LENGTH");
    }

    function test_GasNeeded() external {
        vm.expectRevert(abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, toolId));
        predicate.gasNeeded(toolId);
        _setRoot(toolId, 0);
        assertEq(predicate.gasNeeded(toolId), 13_600, "gasNeeded of an empty list");
        bytes32[] memory proof = _chain(64);
        assertEq(predicate.gasNeeded(toolId), 13_600, "gasNeeded");
        ContractAccount caller = new ContractAccount();
        for (uint256 i = 0; i < 2; i++) {
            bytes memory call =
                abi.encodeCall(IAccessPredicate.hasAccess, (toolId, i == 0 ? agent : eve, abi.encode(proof)));
            (bool success, bytes memory returndata,) = caller.execute(address(predicate), 13_600, call);
            assertTrue(success, "gasNeeded is too low");
            assertEq(abi.decode(returndata, (bool)), i == 0, "access");
        }
    }

    function test_WhenProofIsTooLong() external {
        bytes32[] memory proof = _chain(65);
        assertTrue(
            MerkleProof.verify(proof, predicate.getAllowlistRoot(toolId), _leaf(toolId, agent)), "the proof is invalid"
        );
        assertAccess(registry, toolId, agent, abi.encode(proof), true, false);
    }

    /* MALFORMED DATA */

    function test_WhenDataIsMalformed() external {
        bytes32[] memory leaves = _setList(toolId, 4);
        bytes32[] memory proof = MerkleTree.proof(leaves, 0);
        bytes memory validData = abi.encode(proof);
        for (uint256 length = 0; length < validData.length; length++) {
            _assertDenied(_head(validData, length));
        }
        _assertDenied(bytes.concat(validData, hex"00"));
        _assertDenied(bytes.concat(validData, bytes32(0)));
        _assertDenied(abi.encodePacked(proof));
        _assertDenied(abi.encodePacked(uint256(64), uint256(2), proof[0], proof[1]));
        _assertDenied(abi.encodePacked(uint256(0), uint256(2), proof[0], proof[1]));
        _assertDenied(abi.encodePacked(uint256(32), uint256(3), proof[0], proof[1]));
        _assertDenied(abi.encodePacked(uint256(32), uint256(1), proof[0], proof[1]));
        uint256[5] memory lengths = [uint256(2 ** 64), 2 ** 251, 2 ** 255, 2 ** 251 + 2, type(uint256).max];
        for (uint256 i = 0; i < lengths.length; i++) {
            _assertDenied(abi.encodePacked(uint256(32), lengths[i], proof[0], proof[1]));
            _assertDenied(abi.encodePacked(lengths[i], uint256(2), proof[0], proof[1]));
        }
        assertAccess(registry, toolId, _account(0), validData, true, true);
    }

    function test_WhenCallerVaries() external {
        // B-10
        bytes32[] memory leaves = _setList(toolId, 4);
        bytes memory data = abi.encode(MerkleTree.proof(leaves, 0));
        address[3] memory callers = [_account(0), eve, creator];
        for (uint256 i = 0; i < callers.length; i++) {
            vm.startPrank(callers[i], callers[i]);
            assertTrue(predicate.hasAccess(toolId, _account(0), data), "the result depends on the caller");
            assertFalse(predicate.hasAccess(toolId, eve, data), "the result does not depend on the account");
            vm.stopPrank();
        }
    }

    /* METADATA */

    function test_Identity() external view {
        // B-02, B-04
        assertIdentity(address(predicate), "MerkleAllowlistPredicate", true);
        assertEq(address(predicate.REGISTRY()), address(registry), "REGISTRY");
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

    /* HELPERS */

    /// @dev A proof of `length` elements for the agent, and its root.
    function _chain(uint256 length) private returns (bytes32[] memory proof) {
        proof = new bytes32[](length);
        bytes32 node = _leaf(toolId, agent);
        for (uint256 i = 0; i < length; i++) {
            proof[i] = keccak256(abi.encode("sibling", i));
            node = MerkleTree.parent(node, proof[i]);
        }
        _setRoot(toolId, node);
    }

    function _assertDenied(bytes memory data) private view {
        assertFalse(predicate.hasAccess(toolId, _account(0), data), "malformed data was accepted");
    }
}
