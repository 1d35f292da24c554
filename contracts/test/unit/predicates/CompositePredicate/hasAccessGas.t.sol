// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { ICompositePredicate, Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { IMerkleAllowlistPredicate } from "src/interfaces/predicates/IMerkleAllowlistPredicate.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { ForwardingPredicate } from "test/mocks/ForwardingPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasDependentPredicate } from "test/mocks/GasDependentPredicate.sol";
import { WarmCaller } from "test/mocks/WarmCaller.sol";
import { MinGasToken } from "test/mocks/tokens/MinGasToken.sol";
import { PlainERC1155 } from "test/mocks/tokens/PlainERC1155.sol";
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { PlainSubscription } from "test/mocks/tokens/PlainSubscription.sol";
import { Access } from "test/support/Access.sol";
import { CompositeFixture } from "test/support/CompositeFixture.sol";
import { MerkleTree } from "test/support/MerkleTree.sol";

/// @dev A cheatcode that the pinned forge-std lacks.
interface EvmVersions {
    function setEvmVersion(string calldata evm) external;
}

contract CompositeHasAccessGasTest is CompositeFixture {
    uint256 private constant MIN_SCAN_GAS = 20_000;
    uint256 private constant MAX_SCAN_GAS = 300_000;
    uint256 private constant STEP = 491;
    uint256 private constant MAX_BUDGET = 156_000;

    /// @dev Gas a `GasDependentPredicate` uses before it reads `gasleft()`.
    uint256 private constant ENTRY_GAS = 120;

    /* NEGATED BUILT-IN PREDICATES */

    function test_NotERC721Owner() external {
        _scanNotERC721(1);
    }

    function test_NotERC721Owner_GivenMaximumCollections() external {
        _scanNotERC721(10);
    }

    function test_NotERC721Owner_GivenGasDependentToken() external {
        // The token returns zero if it receives less than its stipend of 12,000.
        IERC721OwnerPredicate owners =
            IERC721OwnerPredicate(_deployArtifact("ERC721OwnerPredicate", abi.encode(registry)));
        address[] memory collections = new address[](1);
        collections[0] = address(new GasDependentPredicate(12_000 - ENTRY_GAS, true));
        vm.prank(creator);
        owners.setCollections(toolId, collections);
        _scanNot(address(owners), agent, Access.Denied);
    }

    function test_NotERC1155Owner() external {
        PlainERC1155 token = new PlainERC1155();
        token.mint(agent, 7, 1);
        IERC1155OwnerPredicate owners =
            IERC1155OwnerPredicate(_deployArtifact("ERC1155OwnerPredicate", abi.encode(registry)));
        CollectionTokens[] memory tokens = new CollectionTokens[](2);
        for (uint256 i = 0; i < 2; i++) {
            tokens[i].collection = i == 0 ? address(new PlainERC1155()) : address(token);
            tokens[i].tokenIds = new uint256[](8);
            for (uint256 j = 0; j < 8; j++) {
                tokens[i].tokenIds[j] = j;
            }
        }
        vm.prank(creator);
        owners.setCollectionTokens(toolId, tokens);
        _scanNotHeld(address(owners));
    }

    function test_NotSubscription() external {
        PlainSubscription token = new PlainSubscription();
        token.set(agent, 1, type(uint64).max, 3);
        ISubscriptionPredicate subscriptions =
            ISubscriptionPredicate(_deployArtifact("SubscriptionPredicate", abi.encode(registry)));
        vm.prank(creator);
        subscriptions.configureToolGating(toolId, address(token), 2);
        _scanNotHeld(address(subscriptions));
    }

    function test_NotERC20Balance() external {
        PlainERC20 token = new PlainERC20();
        token.mint(agent, 5);
        IERC20BalancePredicate balances =
            IERC20BalancePredicate(_deployArtifact("ERC20BalancePredicate", abi.encode(registry)));
        vm.prank(creator);
        balances.configureToolERC20(toolId, address(token), 5);
        _scanNotHeld(address(balances));
    }

    function test_NotAlwaysDeny() external {
        _scanNot(_deployArtifact("AlwaysDenyPredicate", ""), agent, Access.Granted);
    }

    /* NEGATED MALICIOUS PREDICATES */

    function test_NotGasBurner() external {
        _scanNot(address(new GasBurner()), agent, Access.Unknown);
    }

    function test_NotGasDependent_GrantedWithMoreGas() external {
        _scanNot(address(new GasDependentPredicate(MAX_BUDGET - ENTRY_GAS, true)), agent, Access.Denied);
    }

    function test_NotGasDependent_DeniedWithMoreGas() external {
        _scanNot(address(new GasDependentPredicate(MAX_BUDGET - ENTRY_GAS, false)), agent, Access.Granted);
    }

    function test_NotForwarding() external {
        PlainERC721 token = new PlainERC721();
        token.mint(agent, 1);
        address owners = _owners(address(token), 1);
        _scanNot(address(new ForwardingPredicate(IAccessPredicate(owners), true)), agent, Access.Denied);
    }

    function test_NotDelegatedAccount_GivenGasDependentPredicate() external {
        // EIP-7702: a call also pays for access to the delegated code.
        EvmVersions(address(vm)).setEvmVersion("prague");
        address delegate = address(new GasDependentPredicate(MAX_BUDGET - ENTRY_GAS, true));
        address account = makeAddr("delegated");
        vm.etch(account, abi.encodePacked(hex"ef0100", delegate));
        _scanNot(account, agent, Access.Denied);
    }

    /* WARM STATE */

    function test_WhenStateIsWarm() external {
        PlainERC721 token = new PlainERC721();
        token.mint(agent, 1);
        address owners = _owners(address(token), 3);
        address[3] memory leaves = [
            owners,
            address(new GasDependentPredicate(MAX_BUDGET - ENTRY_GAS, true)),
            address(new ForwardingPredicate(IAccessPredicate(owners), true))
        ];
        for (uint256 i = 0; i < leaves.length; i++) {
            _compose(composite, ALL, _terms(_not(leaves[i])));
            _scanWarm(Access.Denied);
        }
        _hideGasNeeded();
        _compose(second, ANY, _terms(_not(address(composite))), 50_000);
        _compose(composite, ANY, _terms(_not(address(second))));
        _scanWarm(Access.Unknown);
    }

    /* ONE TO EIGHT TERMS */

    function test_AllOfOneToEight() external {
        _scanCounts(ALL);
    }

    function test_AnyOfOneToEight() external {
        _scanCounts(ANY);
    }

    /* CLAUSES */

    /// @dev `(A or B) and not C`, where each term changes its result if it gets slightly less than its stipend.
    function test_Clauses() external {
        uint256 threshold = MAX_BUDGET / 3 - ENTRY_GAS;
        for (uint256 i = 0; i < 8; i++) {
            Term[] memory either = _terms(
                _is(address(new GasDependentPredicate(threshold, i & 1 != 0))),
                _is(address(new GasDependentPredicate(threshold, i & 2 != 0)))
            );
            Term[] memory neither = _terms(_not(address(new GasDependentPredicate(threshold, i & 4 != 0))));
            _compose(composite, ALL, _clauses(either, neither));
            _scan(agent, i & 3 != 0 && i & 4 == 0 ? Access.Granted : Access.Denied, 997);
        }
        // A term that burns its gas.
        address burner = address(new GasBurner());
        Term[] memory granted = _terms(_is(burner), _is(address(new GasDependentPredicate(threshold, true))));
        _compose(composite, ALL, _clauses(granted, _terms(_not(address(denyingPredicate)))));
        _scan(agent, Access.Granted, 997);
        _compose(composite, ALL, _clauses(granted, _terms(_not(burner))));
        _scan(agent, Access.Unknown, 997);
    }

    /// @dev The negated list calls a token again with the larger stipend. The token grants only with that stipend.
    function test_NotERC721Owner_GivenRetry() external {
        for (uint256 value = 0; value < 2; value++) {
            address owners = _owners(address(new MinGasToken(40_000, value)), 2);
            _scanNot(owners, agent, value == 1 ? Access.Denied : Access.Granted);
        }
    }

    /* CYCLES */

    function test_CycleWithoutNegation() external {
        _hideGasNeeded();
        for (uint256 i = 0; i < 3; i++) {
            _compose(composite, ALL, _terms(_is(address(second))), _budget(i));
            _compose(second, ANY, _terms(_is(address(composite))), _budget(i + 1));
            _scan(agent, Access.Unknown);
        }
    }

    function test_CycleWithOneNegation() external {
        _hideGasNeeded();
        for (uint256 i = 0; i < 3; i++) {
            _compose(composite, ALL, _terms(_not(address(second))), _budget(i));
            _compose(second, ANY, _terms(_is(address(composite))), _budget(i + 1));
            _scan(agent, Access.Unknown);
        }
    }

    function test_CycleWithTwoNegations() external {
        _hideGasNeeded();
        for (uint256 i = 0; i < 3; i++) {
            _compose(composite, ANY, _terms(_not(address(second))), _budget(i));
            _compose(second, ALL, _terms(_not(address(composite))), _budget(i + 1));
            _scan(agent, Access.Unknown);
        }
    }

    function test_CycleOfThree() external {
        _hideGasNeeded();
        for (uint256 negations = 0; negations < 8; negations++) {
            _compose(composite, ALL, _terms(_termOf(second, negations & 1 != 0)), _budget(0));
            _compose(second, ANY, _terms(_termOf(third, negations & 2 != 0)), _budget(1));
            _compose(third, ALL, _terms(_termOf(composite, negations & 4 != 0)), _budget(2));
            _scan(agent, Access.Unknown);
        }
    }

    function test_CycleThroughOtherPredicate() external {
        _hideGasNeeded();
        address forwarding = address(new ForwardingPredicate(composite, false));
        _compose(composite, ALL, _terms(_is(forwarding)));
        _scan(agent, Access.Unknown);
        _compose(composite, ALL, _terms(_not(forwarding)));
        _scan(agent, Access.Unknown);
        _compose(composite, ANY, _terms(_not(forwarding), _is(forwarding)), 20_000);
        _scan(agent, Access.Unknown);
    }

    function test_CycleWithDecidingTerm() external {
        _hideGasNeeded();
        _compose(second, ANY, _terms(_not(address(composite)), _is(address(denyingPredicate))), 30_000);
        _compose(composite, ANY, _terms(_not(address(second)), _is(address(grantingPredicate))));
        _scan(agent, Access.Granted);
        _compose(composite, ALL, _terms(_not(address(second)), _is(address(denyingPredicate))));
        _scan(agent, Access.Denied);
    }

    /* WORST CASES */

    function test_WorstCase() external {
        for (uint256 row = 0; row < 4; row++) {
            Term[] memory terms = new Term[](8);
            for (uint256 i = 0; i < 7; i++) {
                terms[i] = Term({ predicate: address(new GasBurner()), negate: row % 2 == 1 });
            }
            terms[7] = Term({ predicate: address(grantingPredicate), negate: row > 1 });
            uint8 op = row > 1 ? ALL : ANY;
            _compose(composite, op, terms);
            Access expected = op == ANY ? Access.Granted : Access.Denied;
            assertResult(_registryAccess(agent, "", AMPLE_GAS), expected, "the last term did not decide");
            bytes memory data = new bytes(2048);
            assertResult(_registryAccess(agent, data, AMPLE_GAS), expected, "the last term did not decide");
            uint256 minGas = _minGas(address(composite), agent, MIN_SCAN_GAS, MAX_SCAN_GAS);
            emit log_named_uint("gas needed, of 200,000", minGas);
            assertLt(minGas, 198_000, "too little gas is left");
        }
    }

    function test_WorstCase_WhenDataIsPerTerm() external {
        IMerkleAllowlistPredicate merkle =
            IMerkleAllowlistPredicate(_deployArtifact("MerkleAllowlistPredicate", abi.encode(registry)));
        bytes32[] memory proof = new bytes32[](64);
        bytes32 root = merkle.leafOf(toolId, agent);
        for (uint256 i = 0; i < proof.length; i++) {
            proof[i] = keccak256(abi.encode(i));
            root = MerkleTree.parent(root, proof[i]);
        }
        vm.prank(creator);
        merkle.setAllowlistRoot(toolId, root);
        for (uint256 count = 1; count <= 8; count++) {
            Term[] memory terms = new Term[](count);
            bytes[] memory entries = new bytes[](count);
            for (uint256 i = 0; i + 1 < count; i++) {
                terms[i] = _is(address(new GasBurner()));
            }
            terms[count - 1] = _is(address(merkle));
            entries[count - 1] = abi.encode(proof);
            _compose(composite, ANY, terms);
            bytes memory data = _perTerm(entries);
            assertResult(_registryAccess(agent, data, AMPLE_GAS), Access.Granted, "a long proof exceeds the gas limit");
            Access expected = count == 1 ? Access.Denied : Access.Unknown;
            assertResult(_registryAccess(eve, data, AMPLE_GAS), expected, "another account's proof");
            // As a term of another composite.
            bytes memory call = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, data));
            (bool success,,) = caller.execute(address(composite), composite.gasNeeded(toolId), call);
            assertTrue(success, "gasNeeded is too low for data per term");
        }
    }

    /* HELPERS */

    /// @dev At every gas limit the result is `expected` or `Unknown`; at the highest it is `expected`.
    function _scan(address account, Access expected) private {
        _scan(account, expected, STEP);
    }

    function _scan(address account, Access expected, uint256 step) private {
        bool found = false;
        for (uint256 gasLimit = MIN_SCAN_GAS; gasLimit <= MAX_SCAN_GAS; gasLimit += step) {
            Access direct = _assertOnly(_accessWithGas(address(composite), account, gasLimit), expected, gasLimit);
            _assertOnly(_registryAccess(account, "", gasLimit), expected, gasLimit);
            if (direct == Access.Unknown || found) continue;
            // First result: scan the gas limits just below in smaller steps.
            found = true;
            for (uint256 near = gasLimit - step; near < gasLimit; near += 7) {
                _assertOnly(_accessWithGas(address(composite), account, near), expected, near);
            }
        }
        assertResult(_accessWithGas(address(composite), account, MAX_SCAN_GAS), expected, "with the highest gas limit");
        assertResult(
            _registryAccess(account, "", MAX_SCAN_GAS), expected, "with the highest gas limit, through the registry"
        );
        assertResult(_access(composite, account, ""), expected, "without a gas limit");
    }

    function _scanWarm(Access expected) private {
        WarmCaller warmCaller = new WarmCaller();
        bytes memory callData = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, ""));
        for (uint256 gasLimit = MIN_SCAN_GAS; gasLimit <= MAX_SCAN_GAS; gasLimit += STEP) {
            (bool success, bytes memory returndata) = warmCaller.execute(address(composite), gasLimit, callData);
            if (!success) continue;
            _assertOnly(abi.decode(returndata, (bool)) ? Access.Granted : Access.Denied, expected, gasLimit);
        }
    }

    function _assertOnly(Access actual, Access expected, uint256 gasLimit) private pure returns (Access) {
        if (actual != expected && actual != Access.Unknown) {
            assertResult(actual, expected, string.concat("wrong result with gas ", vm.toString(gasLimit)));
        }
        return actual;
    }

    function _scanNot(address predicate, address account, Access expected) private {
        _compose(composite, ALL, _terms(_not(predicate)));
        _scan(account, expected);
    }

    /// @dev The agent meets the predicate's condition, `eve` does not.
    function _scanNotHeld(address predicate) private {
        _scanNot(predicate, agent, Access.Denied);
        _scanNot(predicate, eve, Access.Granted);
    }

    function _owners(address collection, uint256 count) private returns (address) {
        IERC721OwnerPredicate owners =
            IERC721OwnerPredicate(_deployArtifact("ERC721OwnerPredicate", abi.encode(registry)));
        address[] memory collections = new address[](count);
        for (uint256 i = 0; i + 1 < count; i++) {
            collections[i] = address(new PlainERC721());
        }
        collections[count - 1] = collection;
        vm.prank(creator);
        owners.setCollections(toolId, collections);
        return address(owners);
    }

    function _scanNotERC721(uint256 count) private {
        PlainERC721 token = new PlainERC721();
        token.mint(agent, 1);
        _scanNotHeld(_owners(address(token), count));
    }

    /// @dev Terms that change their result if they get slightly less than their share, half of them negated. Each evaluates to
    ///      granted under ALL and denied under ANY, so that every term is called.
    function _scanCounts(uint8 op) private {
        for (uint256 count = 1; count <= 8; count++) {
            Term[] memory terms = new Term[](count);
            for (uint256 i = 0; i < count; i++) {
                bool negate = i % 2 == 1;
                bool grants = (op == ALL) != negate;
                terms[i] = Term({
                    predicate: address(new GasDependentPredicate(MAX_BUDGET / count - ENTRY_GAS, grants)),
                    negate: negate
                });
            }
            _compose(composite, op, terms);
            _scan(agent, op == ALL ? Access.Granted : Access.Denied, 997);
        }
    }

    function _budget(uint256 i) private pure returns (uint256) {
        uint256[3] memory budgets = [MAX_BUDGET, 50_000, 9000];
        return budgets[i % 3];
    }

    function _termOf(ICompositePredicate at, bool negate) private pure returns (Term memory) {
        return Term({ predicate: address(at), negate: negate });
    }
}
