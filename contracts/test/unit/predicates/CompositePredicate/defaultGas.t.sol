// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BeaconProxy } from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";
import { UpgradeableBeacon } from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";
import { IAccessProofPredicate } from "src/interfaces/predicates/IAccessProofPredicate.sol";
import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { IMerkleAllowlistPredicate } from "src/interfaces/predicates/IMerkleAllowlistPredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { ITraitGatedPredicate } from "src/interfaces/predicates/ITraitGatedPredicate.sol";
import { ERC1271Wallet } from "test/mocks/ERC1271Wallet.sol";
import { MultisigWallet } from "test/mocks/MultisigWallet.sol";
import { PlainERC1155 } from "test/mocks/tokens/PlainERC1155.sol";
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { PlainERC7496 } from "test/mocks/tokens/PlainERC7496.sol";
import { PlainSubscription } from "test/mocks/tokens/PlainSubscription.sol";
import { Access } from "test/support/Access.sol";
import { CompositeFixture } from "test/support/CompositeFixture.sol";
import { MerkleTree } from "test/support/MerkleTree.sol";
import { TokenLists } from "test/support/TokenLists.sol";

/// @dev Every shipped predicate answers as a term with the default stipends, also beside as many other terms as fit: then
///      almost nothing is left to share.
contract CompositeDefaultGasTest is CompositeFixture {
    uint256 private constant KEY = 0xa11ce;
    uint64 private constant DEADLINE = type(uint64).max;

    /* EACH PREDICATE */

    function test_ERC721Owner() external {
        PlainERC721 token = new PlainERC721();
        token.mint(agent, 1);
        _assertAnswers(_owners(address(token)), "", "", 7);
    }

    function test_ERC1155Owner() external {
        PlainERC1155 token = new PlainERC1155();
        token.mint(agent, 4, 1);
        address owners = _deploy("ERC1155OwnerPredicate");
        CollectionTokens[] memory tokens = new CollectionTokens[](1);
        tokens[0] = CollectionTokens({ collection: address(token), tokenIds: TokenLists.ids(4, 1) });
        vm.prank(creator);
        IERC1155OwnerPredicate(owners).setCollectionTokens(toolId, tokens);
        _assertAnswers(owners, "", "", 6);
    }

    function test_ERC20Balance() external {
        PlainERC20 token = new PlainERC20();
        token.mint(agent, 5);
        _assertAnswers(_balances(address(token)), "", "", 7);
    }

    function test_Subscription() external {
        PlainSubscription token = new PlainSubscription();
        token.set(agent, 1, type(uint64).max, 3);
        address subscriptions = _deploy("SubscriptionPredicate");
        vm.prank(creator);
        ISubscriptionPredicate(subscriptions).configureToolGating(toolId, address(token), 3);
        _assertAnswers(subscriptions, "", "", 6);
    }

    function test_TraitGated() external {
        PlainERC7496 token = new PlainERC7496();
        token.mint(agent, 1);
        token.setTrait(1, "key", "value");
        address traits = _traits(address(token));
        _assertAnswers(traits, abi.encode(1), abi.encode(1), 6);
        _assertAnswers(traits, abi.encode(1), abi.encode(2), 6);
    }

    /// @dev The denial needs no second call with the larger stipend, for which a term has no gas.
    function test_TraitGated_GivenProxiedTokenDoesNotExist() external {
        address token = _proxy(address(new PlainERC7496()), abi.encodeCall(PlainERC721.mint, (agent, 1)));
        PlainERC7496(token).setTrait(1, "key", "value");
        address traits = _traits(token);
        for (uint256 count = 1; count <= 4; count++) {
            Term[] memory terms = _repeat(_is(traits), count);
            for (uint256 i = 1; i < count; i++) {
                terms[i] = _not(_owners(address(new PlainERC721())));
            }
            _compose(composite, ALL, terms);
            assertResult(_registryAccess(agent, abi.encode(1), AMPLE_GAS), Access.Granted, "owner");
            assertResult(_registryAccess(eve, abi.encode(1), AMPLE_GAS), Access.Denied, "other account");
            assertResult(_registryAccess(agent, abi.encode(2), AMPLE_GAS), Access.Denied, "missing token");
        }
    }

    function test_MerkleAllowlist() external {
        address allowlist = _deploy("MerkleAllowlistPredicate");
        bytes32[] memory proof = new bytes32[](64);
        bytes32 root = IMerkleAllowlistPredicate(allowlist).leafOf(toolId, agent);
        for (uint256 i = 0; i < proof.length; i++) {
            proof[i] = keccak256(abi.encode(i));
            root = MerkleTree.parent(root, proof[i]);
        }
        vm.prank(creator);
        IMerkleAllowlistPredicate(allowlist).setAllowlistRoot(toolId, root);
        _assertAnswers(allowlist, abi.encode(proof), abi.encode(proof), 7);
    }

    function test_AccessProof() external {
        address proofs = _deploy("AccessProofPredicate");
        agent = vm.addr(KEY);
        _assertAnswers(proofs, _proof(proofs, agent, 1), _proof(proofs, eve, 1), 4);
    }

    /// @dev The signature has 65 bytes, so ECDSA is tried first.
    function test_AccessProof_GivenContractAccount() external {
        address proofs = _deploy("AccessProofPredicate");
        agent = address(new ERC1271Wallet(vm.addr(KEY)));
        eve = address(new ERC1271Wallet(eve));
        _assertAnswers(proofs, _proof(proofs, agent, 1), _proof(proofs, eve, 1), 4);
    }

    function test_AccessProof_GivenMultisig() external {
        address proofs = _deploy("AccessProofPredicate");
        (MultisigWallet wallet, MultisigWallet other) = (new MultisigWallet(), new MultisigWallet());
        for (uint256 i = 0; i < 4; i++) {
            wallet.addOwner(vm.addr(KEY + i));
            other.addOwner(vm.addr(KEY + (i < 3 ? i : 9)));
        }
        (agent, eve) = (address(wallet), address(other));
        _assertAnswers(proofs, _proof(proofs, agent, 4), _proof(proofs, eve, 4), 4);
    }

    /* PROXIES */

    function test_EightProxiedERC721() external {
        Term[] memory terms = new Term[](8);
        for (uint256 i = 0; i < 8; i++) {
            address owner = i == 7 ? agent : creator;
            terms[i] = _is(_owners(_proxy(address(new PlainERC721()), abi.encodeCall(PlainERC721.mint, (owner, 1)))));
        }
        _assertOnlyAgent(terms);
    }

    function test_EightProxiedERC20() external {
        Term[] memory terms = new Term[](8);
        for (uint256 i = 0; i < 8; i++) {
            address owner = i == 7 ? agent : creator;
            terms[i] = _is(_balances(_proxy(address(new PlainERC20()), abi.encodeCall(PlainERC20.mint, (owner, 5)))));
        }
        _assertOnlyAgent(terms);
    }

    /* HELPERS */

    function _deploy(string memory name) private returns (address) {
        return _deployArtifact(name, abi.encode(registry));
    }

    function _owners(address collection) private returns (address owners) {
        owners = _deploy("ERC721OwnerPredicate");
        address[] memory collections = new address[](1);
        collections[0] = collection;
        vm.prank(creator);
        IERC721OwnerPredicate(owners).setCollections(toolId, collections);
    }

    function _balances(address token) private returns (address balances) {
        balances = _deploy("ERC20BalancePredicate");
        vm.prank(creator);
        IERC20BalancePredicate(balances).configureToolERC20(toolId, token, 5);
    }

    function _traits(address token) private returns (address traits) {
        traits = _deploy("TraitGatedPredicate");
        bytes32[] memory values = new bytes32[](1);
        values[0] = "value";
        vm.prank(creator);
        ITraitGatedPredicate(traits).configureToolTrait(toolId, token, token, "key", values);
    }

    function _proxy(address implementation, bytes memory firstCall) private returns (address) {
        return address(new BeaconProxy(address(new UpgradeableBeacon(implementation, creator)), firstCall));
    }

    /// @dev `count` signatures of an account.
    function _proof(address proofs, address account, uint256 count) private view returns (bytes memory) {
        bytes memory signatures = "";
        for (uint256 i = 0; i < count; i++) {
            bytes32 digest = IAccessProofPredicate(proofs).digestOf(toolId, account, DEADLINE);
            (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY + i, digest);
            signatures = bytes.concat(signatures, abi.encodePacked(r, s, v));
        }
        return abi.encode(DEADLINE, signatures);
    }

    /// @dev Beside one to `others` collections that neither account holds, and no more fit. The agent is granted access
    ///      and `eve` is denied.
    function _assertAnswers(address predicate, bytes memory data, bytes memory otherData, uint256 others) private {
        Term[] memory terms;
        for (uint256 count = 0; count <= others; count++) {
            terms = _repeat(_is(predicate), count + 1);
            for (uint256 i = 0; i < count; i++) {
                terms[i] = _not(_owners(address(new PlainERC721())));
            }
            _compose(composite, ALL, terms);
            assertResult(_registryAccess(agent, data, AMPLE_GAS), Access.Granted, vm.toString(count));
            assertResult(_registryAccess(eve, otherData, AMPLE_GAS), Access.Denied, vm.toString(count));
        }
        if (others == 7) return;
        Term[] memory more = _repeat(_not(_owners(address(new PlainERC721()))), others + 2);
        for (uint256 i = 0; i < terms.length; i++) {
            more[i] = terms[i];
        }
        vm.expectPartialRevert(ICompositePredicate.InvalidBudget.selector);
        vm.prank(creator);
        composite.setComposition(toolId, ALL, more);
    }

    function _assertOnlyAgent(Term[] memory terms) private {
        _compose(composite, ANY, terms);
        assertResult(_registryAccess(agent, "", AMPLE_GAS), Access.Granted, "holder");
        assertResult(_registryAccess(eve, "", AMPLE_GAS), Access.Denied, "other account");
    }
}
