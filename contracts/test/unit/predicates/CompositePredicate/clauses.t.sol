// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BeaconProxy } from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";
import { UpgradeableBeacon } from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";
import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { IERC20BalancePredicate } from "src/interfaces/predicates/IERC20BalancePredicate.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";
import { ExpectedCallPredicate } from "test/mocks/ExpectedCallPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { PlainERC1155 } from "test/mocks/tokens/PlainERC1155.sol";
import { PlainERC20 } from "test/mocks/tokens/PlainERC20.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { Access } from "test/support/Access.sol";
import { CompositeFixture } from "test/support/CompositeFixture.sol";
import { KleeneEvaluator, Tree } from "test/support/KleeneEvaluator.sol";
import { TokenLists } from "test/support/TokenLists.sol";

contract CompositeClausesTest is CompositeFixture {
    /// @dev Which of three kinds of tokens an account holds.
    uint256 private constant ERC721 = 1;
    uint256 private constant ERC20 = 2;
    uint256 private constant ERC1155 = 4;

    address[3] private tokens;

    /* KLEENE LOGIC */

    function test_TruthTable() external {
        uint256[2][6] memory shapes =
            [[uint256(1), 0], [uint256(2), 0], [uint256(1), 1], [uint256(1), 2], [uint256(2), 1], [uint256(2), 2]];
        for (uint256 i = 0; i < shapes.length; i++) {
            for (uint256 row = 0; row < 2 * 6 ** (shapes[i][0] + shapes[i][1]); row++) {
                (Term[][] memory clauses, Tree memory tree) = _row(shapes[i], row);
                _compose(composite, tree.op, clauses);
                Access expected = KleeneEvaluator.evaluate(tree);
                assertResult(_access(composite, ""), expected, vm.toString(row));
            }
        }
    }

    function test_GivenTermFails() external {
        // The error names the last failed term of the last clause that is unknown.
        Term[] memory settled = _terms(_is(address(revertingPredicate)), _is(address(grantingPredicate)));
        address burner = address(new GasBurner());
        _compose(composite, ALL, _clauses(_terms(_is(burner), _is(address(denyingPredicate))), settled));
        vm.expectRevert(abi.encodeWithSelector(IPredicate.CallFailed.selector, burner));
        composite.hasAccess(toolId, agent, "");
        _compose(composite, ALL, _clauses(settled));
        assertTrue(composite.hasAccess(toolId, agent, ""), "a failed term of a granted clause was not ignored");
    }

    /// @dev A term after the one that settles its clause is not called.
    function test_GivenClauseIsSettled() external {
        address unused = address(new GasBurner());
        Term[] memory settled = _terms(_is(address(grantingPredicate)), _is(unused), _is(unused));
        _compose(composite, ALL, _clauses(settled, _terms(_not(address(denyingPredicate)))));
        vm.expectCall(unused, abi.encodeWithSelector(IAccessPredicate.hasAccess.selector), 0);
        assertTrue(composite.hasAccess(toolId, agent, ""), "not granted");
    }

    /* CALL DATA */

    /// @dev Entries are counted across clauses.
    function test_WhenDataIsPerTerm() external {
        ExpectedCallPredicate[3] memory expecting =
            [new ExpectedCallPredicate(), new ExpectedCallPredicate(), new ExpectedCallPredicate()];
        bytes[] memory entries = new bytes[](4);
        (entries[0], entries[1], entries[3]) = ("first", "second", "fourth");
        for (uint256 i = 0; i < 3; i++) {
            bytes memory entry = entries[i == 2 ? 3 : i];
            expecting[i].expect(address(composite), abi.encodeCall(IAccessPredicate.hasAccess, (toolId, agent, entry)));
        }
        _compose(
            composite,
            ANY,
            _clauses(
                _terms(_is(address(expecting[0])), _is(address(expecting[1])), _is(address(denyingPredicate))),
                _terms(_is(address(expecting[2])))
            )
        );
        assertResult(_access(composite, _perTerm(entries)), Access.Granted, "the second clause received another entry");
        (entries[3], entries[0]) = (entries[0], entries[3]);
        assertResult(_access(composite, _perTerm(entries)), Access.Denied, "the order of entries has no effect");
        assertResult(_access(composite, _perTerm(new bytes[](2))), Access.Unknown, "one entry per clause");
    }

    /* (ERC-721 OR ERC-20) AND NOT ERC-1155, WITH SHIPPED PREDICATES AND DEFAULT STIPENDS */

    function test_Formula() external {
        _deployTokens();
        _composeFormula(_predicates(1, 1));
        _assertFormula(0, "");
        _assertFormula(0, bytes(_textOf(2048)));
    }

    /// @dev Lists of three collections and of four ids, all behind beacon proxies.
    function test_Formula_GivenLists() external {
        _deployTokens();
        _composeFormula(_predicates(3, 4));
        _assertFormula(0, "");
        _assertFormula(0, bytes(_textOf(2048)));
    }

    function test_Formula_GivenTokenBurnsGas() external {
        _deployTokens();
        _composeFormula(_predicates(1, 1));
        for (uint256 i = 0; i < 3; i++) {
            bytes memory code = tokens[i].code;
            vm.etch(tokens[i], address(new GasBurner()).code);
            _assertFormula(2 ** i, "");
            _assertFormula(2 ** i, bytes(_textOf(2048)));
            vm.etch(tokens[i], code);
        }
    }

    /// @dev The composition is set before its terms are configured.
    function test_Formula_GivenTermsAreConfiguredLater() external {
        _deployTokens();
        address[3] memory predicates = _deployPredicates();
        _composeFormula(predicates);
        assertAccess(registry, toolId, _account(ERC721), "", false, false);
        _configurePredicates(predicates, 1, 1);
        _assertFormula(0, "");
    }

    /* HELPERS */

    /// @dev The clauses and the model of a row: operator, then result and negation of each term.
    function _row(uint256[2] memory shape, uint256 row)
        private
        view
        returns (Term[][] memory clauses, Tree memory tree)
    {
        uint256 count = shape[1] == 0 ? 1 : 2;
        clauses = new Term[][](count);
        tree.op = uint8(row % 2);
        tree.negated = new bool[](count);
        tree.terms = new Tree[](count);
        row /= 2;
        for (uint256 i = 0; i < count; i++) {
            clauses[i] = new Term[](shape[i]);
            tree.terms[i].op = 1 - tree.op;
            tree.terms[i].negated = new bool[](shape[i]);
            tree.terms[i].terms = new Tree[](shape[i]);
            for (uint256 j = 0; j < shape[i]; j++) {
                Tree memory leaf = tree.terms[i].terms[j];
                (leaf.isLeaf, leaf.access) = (true, Access(row % 3));
                tree.terms[i].negated[j] = row / 3 % 2 == 1;
                clauses[i][j] = Term({ predicate: _leaf(leaf.access), negate: row / 3 % 2 == 1 });
                row /= 6;
            }
        }
    }

    /// @dev Tokens behind beacon proxies, and eight accounts that hold every combination of them.
    function _deployTokens() private {
        tokens[0] = _proxy(address(new PlainERC721()), abi.encodeCall(PlainERC721.mint, (creator, 100)));
        tokens[1] = _proxy(address(new PlainERC20()), abi.encodeCall(PlainERC20.mint, (creator, 5)));
        tokens[2] = _proxy(address(new PlainERC1155()), abi.encodeCall(PlainERC1155.mint, (creator, 4, 1)));
        for (uint256 held = 0; held < 8; held++) {
            if (held & ERC721 != 0) PlainERC721(tokens[0]).mint(_account(held), held);
            if (held & ERC20 != 0) PlainERC20(tokens[1]).mint(_account(held), 5);
            if (held & ERC1155 != 0) PlainERC1155(tokens[2]).mint(_account(held), 4, 1);
        }
    }

    function _predicates(uint256 collections, uint256 ids) private returns (address[3] memory predicates) {
        predicates = _deployPredicates();
        _configurePredicates(predicates, collections, ids);
    }

    function _deployPredicates() private returns (address[3] memory) {
        return [
            _deployArtifact("ERC721OwnerPredicate", abi.encode(registry)),
            _deployArtifact("ERC20BalancePredicate", abi.encode(registry)),
            _deployArtifact("ERC1155OwnerPredicate", abi.encode(registry))
        ];
    }

    /// @dev The accounts hold tokens of the last collection and of the last id.
    function _configurePredicates(address[3] memory predicates, uint256 collections, uint256 ids) private {
        address[] memory list = new address[](collections);
        for (uint256 i = 0; i + 1 < collections; i++) {
            list[i] = _proxy(address(new PlainERC721()), abi.encodeCall(PlainERC721.mint, (creator, 1)));
        }
        list[collections - 1] = tokens[0];
        CollectionTokens[] memory collectionTokens = new CollectionTokens[](1);
        collectionTokens[0] = CollectionTokens({ collection: tokens[2], tokenIds: TokenLists.ids(ids, 5 - ids) });
        vm.startPrank(creator);
        IERC721OwnerPredicate(predicates[0]).setCollections(toolId, list);
        IERC20BalancePredicate(predicates[1]).configureToolERC20(toolId, tokens[1], 5);
        IERC1155OwnerPredicate(predicates[2]).setCollectionTokens(toolId, collectionTokens);
        vm.stopPrank();
    }

    function _composeFormula(address[3] memory predicates) private {
        _compose(composite, ALL, _clauses(_terms(_is(predicates[0]), _is(predicates[1])), _terms(_not(predicates[2]))));
    }

    /// @dev The result for each of the eight accounts through the registry, if the tokens `failed` fail.
    function _assertFormula(uint256 failed, bytes memory data) private {
        for (uint256 held = 0; held < 8; held++) {
            Access[] memory either = new Access[](2);
            (either[0], either[1]) = (_holds(held, failed, ERC721), _holds(held, failed, ERC20));
            Access[] memory both = new Access[](2);
            both[0] = KleeneEvaluator.combine(ANY, either, new bool[](2));
            both[1] = _holds(held, failed, ERC1155);
            bool[] memory negated = new bool[](2);
            negated[1] = true;
            Access expected = KleeneEvaluator.combine(ALL, both, negated);
            assertResult(_registryAccess(_account(held), data, AMPLE_GAS), expected, vm.toString(held));
        }
        assertResult(_registryAccess(address(0), data, AMPLE_GAS), Access.Unknown, "zero address");
    }

    function _holds(uint256 held, uint256 failed, uint256 kind) private pure returns (Access) {
        if (failed & kind != 0) return Access.Unknown;
        return held & kind != 0 ? Access.Granted : Access.Denied;
    }

    function _account(uint256 held) private pure returns (address) {
        return address(uint160(0xacc0 + held));
    }

    function _proxy(address implementation, bytes memory firstCall) private returns (address) {
        return address(new BeaconProxy(address(new UpgradeableBeacon(implementation, creator)), firstCall));
    }
}
