// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IERC1271 } from "src/interfaces/external/IERC1271.sol";
import { IAccessProofPredicate } from "src/interfaces/predicates/IAccessProofPredicate.sol";
import { IMerkleAllowlistPredicate } from "src/interfaces/predicates/IMerkleAllowlistPredicate.sol";
import { BaseTest } from "test/BaseTest.sol";
import { ERC1271Wallet } from "test/mocks/ERC1271Wallet.sol";
import { MinGasToken } from "test/mocks/tokens/MinGasToken.sol";

contract DataReadingPredicatesGasTest is BaseTest {
    uint256 private constant KEY = 0xA11CE;
    uint256 private constant STEP = 37;

    uint256 private toolId;

    function setUp() public override {
        super.setUp();
        toolId = _register(address(0));
    }

    function test_AccessProof_WhenGasVaries() external {
        IAccessProofPredicate predicate =
            IAccessProofPredicate(_deployArtifact("AccessProofPredicate", abi.encode(registry)));
        address account = vm.addr(KEY);
        bytes memory proof = _proof(predicate, account);
        _scan(address(predicate), account, proof, true, 40_000);
        _scan(address(predicate), eve, proof, false, 40_000);
    }

    function test_AccessProof_GivenContractAccount_WhenGasVaries() external {
        IAccessProofPredicate predicate =
            IAccessProofPredicate(_deployArtifact("AccessProofPredicate", abi.encode(registry)));
        address wallet = address(new ERC1271Wallet(vm.addr(KEY)));
        bytes memory proof = _proof(predicate, wallet);
        _scan(address(predicate), wallet, proof, true, 150_000);
        _scan(address(predicate), address(new ERC1271Wallet(eve)), proof, false, 150_000);
        // A wallet that needs the larger stipend.
        wallet = address(new MinGasToken(119_700, uint256(bytes32(IERC1271.isValidSignature.selector))));
        _scan(address(predicate), wallet, _proof(predicate, wallet), true, 220_000);
    }

    function test_Merkle_WhenGasVaries() external {
        IMerkleAllowlistPredicate predicate =
            IMerkleAllowlistPredicate(_deployArtifact("MerkleAllowlistPredicate", abi.encode(registry)));
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = keccak256("sibling");
        bytes32 leaf = predicate.leafOf(toolId, agent);
        bytes32 root =
            leaf < proof[0] ? keccak256(bytes.concat(leaf, proof[0])) : keccak256(bytes.concat(proof[0], leaf));
        vm.prank(creator);
        predicate.setAllowlistRoot(toolId, root);
        _scan(address(predicate), agent, abi.encode(proof), true, 40_000);
        _scan(address(predicate), eve, abi.encode(proof), false, 40_000);
    }

    /// @dev At every gas limit the result is `expected` or a revert; at the highest it is `expected`.
    function _scan(address predicate, address account, bytes memory data, bool expected, uint256 maxGas) private {
        bytes memory call = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data));
        uint256 failed = 0;
        bool ok;
        bytes memory returndata;
        for (uint256 gas = 1000; gas < maxGas; gas += STEP) {
            (ok, returndata) = predicate.call{ gas: gas }(call);
            if (ok) assertEq(returndata, abi.encode(expected), "the result depends on gas");
            else failed++;
        }
        assertTrue(ok, "no gas limit was sufficient");
        assertGt(failed, 10, "too few gas limits were too low");
    }

    function _proof(IAccessProofPredicate predicate, address account) private view returns (bytes memory) {
        uint64 deadline = uint64(block.timestamp + 300);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, predicate.digestOf(toolId, account, deadline));
        return abi.encode(deadline, abi.encodePacked(r, s, v));
    }
}
