// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ERC1155 } from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import { ERC721 } from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
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
import { NonExpiringSubscription } from "test/mocks/NonExpiringSubscription.sol";
import { WarmCaller } from "test/mocks/WarmCaller.sol";
import { CompositeWorld } from "test/support/CompositeWorld.sol";
import { Answer } from "test/support/KleeneEvaluator.sol";

/// @dev A cheatcode that our version of forge-std does not list.
interface EvmVersions {
    function setEvmVersion(string calldata evm) external;
}

contract MintableERC721 is ERC721("Mintable", "M") {
    function mint(address to, uint256 tokenId) external {
        _mint(to, tokenId);
    }
}

contract MintableERC1155 is ERC1155("") {
    function mint(address to, uint256 id) external {
        _mint(to, id, 1, "");
    }
}

contract MintableERC20 is ERC20("Mintable", "M") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

contract CompositeHasAccessGasTest is CompositeWorld {
    uint256 private constant LEAST = 20_000;
    uint256 private constant MOST = 300_000;
    uint256 private constant STEP = 491;

    /// @dev What a `GasDependentPredicate` uses before it looks.
    uint256 private constant PRELUDE = 120;

    /* NOT OVER OUR PREDICATES */

    function test_NotERC721Owner() external {
        _scanNotERC721(1);
    }

    function test_NotERC721Owner_GivenMostCollections() external {
        _scanNotERC721(14);
    }

    function test_NotERC721Owner_GivenTokenTellsGas() external {
        // The token says "none" if it is asked with less than its stipend of 10,000.
        IERC721OwnerPredicate owners =
            IERC721OwnerPredicate(_deployShipped("ERC721OwnerPredicate", abi.encode(registry)));
        address[] memory collections = new address[](1);
        collections[0] = address(new GasDependentPredicate(10_000 - PRELUDE, true));
        vm.prank(creator);
        owners.setCollections(toolId, collections);
        _scanNot(address(owners), agent, Answer.No);
    }

    function test_NotERC1155Owner() external {
        MintableERC1155 token = new MintableERC1155();
        token.mint(agent, 7);
        IERC1155OwnerPredicate owners =
            IERC1155OwnerPredicate(_deployShipped("ERC1155OwnerPredicate", abi.encode(registry)));
        CollectionTokens[] memory tokens = new CollectionTokens[](2);
        for (uint256 i = 0; i < 2; i++) {
            tokens[i].collection = i == 0 ? address(new MintableERC1155()) : address(token);
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
        NonExpiringSubscription token = new NonExpiringSubscription();
        token.mint(agent);
        ISubscriptionPredicate subscriptions =
            ISubscriptionPredicate(_deployShipped("SubscriptionPredicate", abi.encode(registry)));
        vm.prank(creator);
        subscriptions.configureToolGating(toolId, address(token), 2);
        _scanNotHeld(address(subscriptions));
    }

    function test_NotERC20Balance() external {
        MintableERC20 token = new MintableERC20();
        token.mint(agent, 5);
        IERC20BalancePredicate balances =
            IERC20BalancePredicate(_deployShipped("ERC20BalancePredicate", abi.encode(registry)));
        vm.prank(creator);
        balances.configureToolERC20(toolId, address(token), 5);
        _scanNotHeld(address(balances));
    }

    function test_NotAlwaysDeny() external {
        _scanNot(_deployShipped("AlwaysDenyPredicate", ""), agent, Answer.Yes);
    }

    /* NOT OVER HOSTILE PREDICATES */

    function test_NotGasBurner() external {
        _scanNot(address(new GasBurner()), agent, Answer.Unknown);
    }

    function test_NotGasTelling_YesWithMuch() external {
        _scanNot(address(new GasDependentPredicate(150_000 - PRELUDE, true)), agent, Answer.No);
    }

    function test_NotGasTelling_NoWithMuch() external {
        _scanNot(address(new GasDependentPredicate(150_000 - PRELUDE, false)), agent, Answer.Yes);
    }

    function test_NotFolding() external {
        MintableERC721 token = new MintableERC721();
        token.mint(agent, 1);
        address owners = _owners(address(token), 1);
        _scanNot(address(new ForwardingPredicate(IAccessPredicate(owners), true)), agent, Answer.No);
    }

    function test_NotDelegated_GivenTellsGas() external {
        // EIP-7702: calling the account also costs the access to the code it delegates to.
        EvmVersions(address(vm)).setEvmVersion("prague");
        address delegate = address(new GasDependentPredicate(150_000 - PRELUDE, true));
        address account = makeAddr("delegated");
        vm.etch(account, abi.encodePacked(hex"ef0100", delegate));
        _scanNot(account, agent, Answer.No);
    }

    /* WARM STATE */

    function test_WhenStateIsWarm() external {
        MintableERC721 token = new MintableERC721();
        token.mint(agent, 1);
        address owners = _owners(address(token), 3);
        address[3] memory leaves = [
            owners,
            address(new GasDependentPredicate(150_000 - PRELUDE, true)),
            address(new ForwardingPredicate(IAccessPredicate(owners), true))
        ];
        for (uint256 i = 0; i < leaves.length; i++) {
            _compose(composite, ALL, _terms(_not(leaves[i])));
            _scanWarm(Answer.No);
        }
        _compose(second, ANY, _terms(_not(address(composite))), 50_000);
        _compose(composite, ANY, _terms(_not(address(second))));
        _scanWarm(Answer.Unknown);
    }

    /* ONE TO EIGHT TERMS */

    function test_AllOfOneToEight() external {
        _scanCounts(ALL);
    }

    function test_AnyOfOneToEight() external {
        _scanCounts(ANY);
    }

    /* CYCLES */

    function test_CycleWithoutNegation() external {
        for (uint256 i = 0; i < 3; i++) {
            _compose(composite, ALL, _terms(_is(address(second))), _budget(i));
            _compose(second, ANY, _terms(_is(address(composite))), _budget(i + 1));
            _scan(agent, Answer.Unknown);
        }
    }

    function test_CycleWithOneNegation() external {
        for (uint256 i = 0; i < 3; i++) {
            _compose(composite, ALL, _terms(_not(address(second))), _budget(i));
            _compose(second, ANY, _terms(_is(address(composite))), _budget(i + 1));
            _scan(agent, Answer.Unknown);
        }
    }

    function test_CycleWithTwoNegations() external {
        for (uint256 i = 0; i < 3; i++) {
            _compose(composite, ANY, _terms(_not(address(second))), _budget(i));
            _compose(second, ALL, _terms(_not(address(composite))), _budget(i + 1));
            _scan(agent, Answer.Unknown);
        }
    }

    function test_CycleOfThree() external {
        for (uint256 negations = 0; negations < 8; negations++) {
            _compose(composite, ALL, _terms(_termOf(second, negations & 1 != 0)), _budget(0));
            _compose(second, ANY, _terms(_termOf(third, negations & 2 != 0)), _budget(1));
            _compose(third, ALL, _terms(_termOf(composite, negations & 4 != 0)), _budget(2));
            _scan(agent, Answer.Unknown);
        }
    }

    function test_CycleThroughAnother() external {
        address another = address(new ForwardingPredicate(composite, false));
        _compose(composite, ALL, _terms(_is(another)));
        _scan(agent, Answer.Unknown);
        _compose(composite, ALL, _terms(_not(another)));
        _scan(agent, Answer.Unknown);
        _compose(composite, ANY, _terms(_not(another), _is(another)), 20_000);
        _scan(agent, Answer.Unknown);
    }

    function test_CycleWithDecidingTerm() external {
        _compose(second, ANY, _terms(_not(address(composite)), _is(address(noPredicate))), 30_000);
        _compose(composite, ANY, _terms(_not(address(second)), _is(address(yesPredicate))));
        _scan(agent, Answer.Yes);
        _compose(composite, ALL, _terms(_not(address(second)), _is(address(noPredicate))));
        _scan(agent, Answer.No);
    }

    /* WORST CASES */

    function test_WorstCase() external {
        for (uint256 row = 0; row < 4; row++) {
            Term[] memory terms = new Term[](8);
            for (uint256 i = 0; i < 7; i++) {
                terms[i] = Term({ predicate: address(new GasBurner()), negate: row % 2 == 1 });
            }
            terms[7] = Term({ predicate: address(yesPredicate), negate: row > 1 });
            uint8 op = row > 1 ? ALL : ANY;
            _compose(composite, op, terms);
            Answer expected = op == ANY ? Answer.Yes : Answer.No;
            assertAnswer(_askRegistry(agent, "", PLENTY), expected, "the last term did not decide");
            bytes memory data = new bytes(2048);
            assertAnswer(_askRegistry(agent, data, PLENTY), expected, "the last term did not decide, with data");
            uint256 least = _leastGas(address(composite), agent, LEAST, MOST);
            emit log_named_uint("gas needed, of 200,000", least);
            assertLt(least, 198_000, "hardly any gas is left");
        }
    }

    function test_WorstCase_WhenDataArePerTerm() external {
        IMerkleAllowlistPredicate merkle =
            IMerkleAllowlistPredicate(_deployShipped("MerkleAllowlistPredicate", abi.encode(registry)));
        bytes32[] memory proof = new bytes32[](24);
        bytes32 root = merkle.leafOf(toolId, agent);
        for (uint256 i = 0; i < proof.length; i++) {
            proof[i] = keccak256(abi.encode(i));
            root = root < proof[i] ? keccak256(abi.encode(root, proof[i])) : keccak256(abi.encode(proof[i], root));
        }
        vm.prank(creator);
        merkle.setAllowlistRoot(toolId, root);
        Term[] memory terms = new Term[](8);
        bytes[] memory entries = new bytes[](8);
        for (uint256 i = 0; i < 7; i++) {
            terms[i] = _is(address(new GasBurner()));
        }
        terms[7] = _is(address(merkle));
        entries[7] = abi.encode(proof);
        _compose(composite, ANY, terms);
        assertAnswer(_askRegistry(agent, _perTerm(entries), PLENTY), Answer.Yes, "a long proof is too much");
        assertAnswer(_askRegistry(stranger, _perTerm(entries), PLENTY), Answer.Unknown, "somebody else's proof");
    }

    /* SUPPORT */

    /// @dev At every gas: the expected answer, or none. At the most gas: the expected one.
    function _scan(address account, Answer expected) private {
        _scan(account, expected, STEP);
    }

    function _scan(address account, Answer expected, uint256 step) private {
        bool found = false;
        for (uint256 gasLimit = LEAST; gasLimit <= MOST; gasLimit += step) {
            Answer direct = _assertOnly(_askWithGas(address(composite), account, gasLimit), expected, gasLimit);
            _assertOnly(_askRegistry(account, "", gasLimit), expected, gasLimit);
            if (direct == Answer.Unknown || found) continue;
            // The first answer: look closely at what lies just before.
            found = true;
            for (uint256 near = gasLimit - step; near < gasLimit; near += 7) {
                _assertOnly(_askWithGas(address(composite), account, near), expected, near);
            }
        }
        assertAnswer(_askWithGas(address(composite), account, MOST), expected, "with the most gas");
        assertAnswer(_askRegistry(account, "", MOST), expected, "with the most gas, from the registry");
        assertAnswer(_ask(composite, account, ""), expected, "with no limit");
    }

    function _scanWarm(Answer expected) private {
        WarmCaller twice = new WarmCaller();
        bytes memory question = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, ""));
        for (uint256 gasLimit = LEAST; gasLimit <= MOST; gasLimit += STEP) {
            (bool success, bytes memory answer) = twice.execute(address(composite), gasLimit, question);
            if (!success) continue;
            _assertOnly(abi.decode(answer, (bool)) ? Answer.Yes : Answer.No, expected, gasLimit);
        }
    }

    function _assertOnly(Answer actual, Answer expected, uint256 gasLimit) private pure returns (Answer) {
        if (actual != expected && actual != Answer.Unknown) {
            assertAnswer(actual, expected, string.concat("another answer with gas ", vm.toString(gasLimit)));
        }
        return actual;
    }

    function _scanNot(address predicate, address account, Answer expected) private {
        _compose(composite, ALL, _terms(_not(predicate)));
        _scan(account, expected);
    }

    /// @dev The agent holds what the predicate asks for, the stranger does not.
    function _scanNotHeld(address predicate) private {
        _scanNot(predicate, agent, Answer.No);
        _scanNot(predicate, stranger, Answer.Yes);
    }

    function _owners(address collection, uint256 count) private returns (address) {
        IERC721OwnerPredicate owners =
            IERC721OwnerPredicate(_deployShipped("ERC721OwnerPredicate", abi.encode(registry)));
        address[] memory collections = new address[](count);
        for (uint256 i = 0; i + 1 < count; i++) {
            collections[i] = address(new MintableERC721());
        }
        collections[count - 1] = collection;
        vm.prank(creator);
        owners.setCollections(toolId, collections);
        return address(owners);
    }

    function _scanNotERC721(uint256 count) private {
        MintableERC721 token = new MintableERC721();
        token.mint(agent, 1);
        _scanNotHeld(_owners(address(token), count));
    }

    /// @dev Terms that flip as soon as they get a little less than their share, half of them negated; all are literally
    ///      yes under ALL and no under ANY, so that every one is asked.
    function _scanCounts(uint8 op) private {
        for (uint256 count = 1; count <= 8; count++) {
            Term[] memory terms = new Term[](count);
            for (uint256 i = 0; i < count; i++) {
                bool negate = i % 2 == 1;
                bool says = (op == ALL) != negate;
                terms[i] = Term({
                    predicate: address(new GasDependentPredicate(150_000 / count - PRELUDE, says)), negate: negate
                });
            }
            _compose(composite, op, terms);
            _scan(agent, op == ALL ? Answer.Yes : Answer.No, 997);
        }
    }

    function _budget(uint256 i) private pure returns (uint256) {
        uint256[3] memory budgets = [uint256(150_000), 50_000, 9000];
        return budgets[i % 3];
    }

    function _termOf(ICompositePredicate at, bool negate) private pure returns (Term memory) {
        return Term({ predicate: address(at), negate: negate });
    }
}
