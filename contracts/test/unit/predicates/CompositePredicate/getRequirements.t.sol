// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { AccessRequirement, IAccessPredicate, RequirementLogic } from "src/interfaces/IAccessPredicate.sol";
import {
    IAlwaysDenied,
    IERC1155Holding,
    IERC721Holding,
    INegatedRequirement,
    INestedRequirements,
    ISubscription
} from "src/interfaces/IRequirementTypes.sol";
import { Term } from "src/interfaces/predicates/ICompositePredicate.sol";
import { IConfiguredPredicate } from "src/interfaces/predicates/IConfiguredPredicate.sol";
import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { IPredicate } from "src/interfaces/predicates/IPredicate.sol";
import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { AliasedRequirementsPredicate } from "test/mocks/AliasedRequirementsPredicate.sol";
import { FixedRequirementsPredicate } from "test/mocks/FixedRequirementsPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { NonERC165Predicate } from "test/mocks/NonERC165Predicate.sol";
import { OversizeReturnPredicate } from "test/mocks/OversizeReturnPredicate.sol";
import { OversizeRevertPredicate } from "test/mocks/OversizeRevertPredicate.sol";
import { PresetResponsePredicate } from "test/mocks/PresetResponsePredicate.sol";
import { CompositeFixture } from "test/support/CompositeFixture.sol";

contract CompositeGetRequirementsTest is CompositeFixture {
    RequirementLogic private constant AND = RequirementLogic.AND;
    RequirementLogic private constant OR = RequirementLogic.OR;
    uint256 private constant MAX_COST = 3_000_000;
    bytes4 private constant KIND = type(IERC721Holding).interfaceId;

    /* NO REQUIREMENTS */

    function test_RevertGiven_NeverConfigured() external {
        vm.expectRevert(abi.encodeWithSelector(IConfiguredPredicate.NotConfigured.selector, toolId));
        composite.getRequirements(toolId);
    }

    function test_GivenThereAreNoTerms() external {
        for (uint8 op = 0; op < 2; op++) {
            _compose(composite, op, new Term[](0));
            (AccessRequirement[] memory entries, RequirementLogic logic) = composite.getRequirements(toolId);
            assertEq(entries.length, 1, "number of entries is not one");
            assertEq(entries[0].kind, type(IAlwaysDenied).interfaceId, "kind is not IAlwaysDenied");
            assertEq(entries[0].data, "", "data");
            assertEq(uint256(logic), uint256(AND), "logic");
        }
    }

    /* VALID TERMS */

    function test_GivenPlainTerms() external {
        // B-03
        address[3] memory children =
            [_predicateWith(AND, 1, "a"), _predicateWith(OR, 1, "b"), _predicateWith(AND, 1, "c")];
        for (uint8 op = 0; op < 2; op++) {
            _compose(composite, op, _terms(_is(children[0]), _is(children[1]), _is(children[2])));
            (bool success, bytes memory returndata) =
                address(composite).staticcall(abi.encodeCall(IAccessPredicate.getRequirements, (toolId)));
            assertTrue(success, "call failed");
            (AccessRequirement[] memory entries, uint256 logic) = abi.decode(returndata, (AccessRequirement[], uint256));
            assertEq(logic, op, "AND is 0 and belongs to ALL, OR is 1 and belongs to ANY");
            assertEq(entries.length, 3, "entries");
            assertEq(string.concat(entries[0].label, entries[1].label, entries[2].label), "a0b0c0", "order");
        }
    }

    function test_GivenChildHasOneEntry() external {
        for (uint8 i = 0; i < 4; i++) {
            _compose(composite, i / 2, _terms(_is(_predicateWith(RequirementLogic(i % 2), 1, "only "))));
            AccessRequirement memory entry = _only();
            assertEq(entry.kind, KIND, "kind");
            assertEq(entry.data, abi.encode(0), "data");
            assertEq(entry.label, "only 0", "label");
        }
    }

    function test_GivenChildHasSameLogic() external {
        for (uint8 op = 0; op < 2; op++) {
            Term[] memory terms =
                _terms(_is(_predicateWith(RequirementLogic(op), 3, "a")), _is(_predicateWith(AND, 1, "b")));
            _compose(composite, op, terms);
            (AccessRequirement[] memory entries,) = composite.getRequirements(toolId);
            assertEq(entries.length, 4, "entries");
            for (uint256 i = 0; i < 3; i++) {
                assertEq(entries[i].label, string.concat("a", vm.toString(i)), "order");
                assertEq(entries[i].data, abi.encode(i), "data");
            }
            assertEq(entries[3].label, "b0", "the next term");
        }
    }

    function test_GivenChildHasOtherLogic() external {
        for (uint8 op = 0; op < 2; op++) {
            RequirementLogic inner = RequirementLogic(1 - op);
            _compose(composite, op, _terms(_is(_predicateWith(inner, 3, "a")), _is(_predicateWith(AND, 1, "b"))));
            (AccessRequirement[] memory entries,) = composite.getRequirements(toolId);
            assertEq(entries.length, 2, "entries");
            assertEq(entries[0].kind, type(INestedRequirements).interfaceId, "kind");
            (uint8 logic, AccessRequirement[] memory nested) = abi.decode(entries[0].data, (uint8, AccessRequirement[]));
            assertEq(logic, uint8(inner), "logic");
            assertEq(abi.encode(nested), abi.encode(_requirements(3, "a")), "nested entries");
            assertEq(entries[0].label, inner == AND ? "All of these" : "Any of these", "label");
            assertEq(entries[1].label, "b0", "the next term");
        }
    }

    function test_GivenChildHasNoEntries() external {
        for (uint8 i = 0; i < 4; i++) {
            RequirementLogic inner = RequirementLogic(i % 2);
            _compose(composite, i / 2, _terms(_is(_predicateWith(AND, 1, "a")), _is(_predicateWith(inner, 0, ""))));
            (AccessRequirement[] memory entries,) = composite.getRequirements(toolId);
            assertEq(entries.length, 2, "a term without requirements was dropped");
            assertEq(entries[1].kind, type(INestedRequirements).interfaceId, "kind");
            assertEq(entries[1].data, abi.encode(uint8(inner), new AccessRequirement[](0)), "data");
        }
    }

    function test_GivenBuiltInPredicates() external {
        // B-05
        IERC721OwnerPredicate erc721 =
            IERC721OwnerPredicate(_deployArtifact("ERC721OwnerPredicate", abi.encode(registry)));
        IERC1155OwnerPredicate erc1155 =
            IERC1155OwnerPredicate(_deployArtifact("ERC1155OwnerPredicate", abi.encode(registry)));
        ISubscriptionPredicate subscription =
            ISubscriptionPredicate(_deployArtifact("SubscriptionPredicate", abi.encode(registry)));
        address[] memory collections = new address[](1);
        collections[0] = _withCode(address(0x721));
        CollectionTokens[] memory tokens = new CollectionTokens[](1);
        tokens[0].collection = _withCode(address(0x1155));
        tokens[0].tokenIds = new uint256[](1);
        tokens[0].tokenIds[0] = type(uint256).max;
        vm.startPrank(creator);
        erc721.setCollections(toolId, collections);
        erc1155.setCollectionTokens(toolId, tokens);
        subscription.configureToolGating(toolId, _withCode(address(0x5643)), 200);
        vm.stopPrank();

        _compose(composite, ALL, _terms(_is(address(erc721)), _is(address(erc1155)), _is(address(subscription))));
        (AccessRequirement[] memory entries,) = composite.getRequirements(toolId);
        assertEq(entries.length, 3, "entries");
        assertEq(entries[0].kind, bytes4(0xbdf8c428), "ERC-721 kind");
        assertEq(entries[0].data, abi.encode(address(0x721)), "ERC-721 layout");
        assertEq(entries[1].kind, bytes4(0xcb429230), "ERC-1155 kind");
        assertEq(entries[1].data, abi.encode(address(0x1155), type(uint256).max), "ERC-1155 layout");
        assertEq(entries[2].kind, bytes4(0x44387cc2), "subscription kind");
        assertEq(entries[2].data, abi.encode(address(0x5643), uint8(200)), "subscription layout");
    }

    function test_GivenNestedComposite() external {
        _compose(second, ALL, _terms(_is(_predicateWith(AND, 1, "a")), _not(_predicateWith(AND, 1, "b"))), 50_000);
        _compose(composite, ANY, _terms(_is(address(second)), _not(_deployArtifact("AlwaysDenyPredicate", ""))));
        (AccessRequirement[] memory entries,) = composite.getRequirements(toolId);
        assertEq(entries.length, 2, "entries");
        assertEq(entries[0].kind, type(INestedRequirements).interfaceId, "kind");
        (uint8 logic, AccessRequirement[] memory nested) = abi.decode(entries[0].data, (uint8, AccessRequirement[]));
        assertEq(logic, uint8(AND), "logic");
        assertEq(nested.length, 2, "nested entries");
        assertEq(nested[0].kind, KIND, "nested kind");
        assertEq(nested[1].kind, type(INegatedRequirement).interfaceId, "nested negated kind");
        assertEq(entries[1].kind, type(INegatedRequirement).interfaceId, "negated kind");
        assertEq(entries[1].data, abi.encode(type(IAlwaysDenied).interfaceId, bytes("")), "negated data");
    }

    /// @dev `(a or not b) and c`, and the same with the other operators.
    function test_GivenClauses() external {
        Term[] memory pair = _terms(_is(_predicateWith(AND, 1, "a")), _not(_predicateWith(AND, 1, "b")));
        for (uint8 op = 0; op < 2; op++) {
            RequirementLogic inner = RequirementLogic(1 - op);
            _compose(composite, op, _clauses(pair, _terms(_is(_predicateWith(AND, 1, "c")))));
            (AccessRequirement[] memory entries, RequirementLogic logic) = composite.getRequirements(toolId);
            assertEq(uint256(logic), op, "logic");
            assertEq(entries.length, 2, "entries");
            assertEq(entries[0].kind, type(INestedRequirements).interfaceId, "kind");
            assertEq(entries[0].label, inner == AND ? "All of these" : "Any of these", "label");
            (uint8 nestedLogic, AccessRequirement[] memory nested) =
                abi.decode(entries[0].data, (uint8, AccessRequirement[]));
            assertEq(nestedLogic, uint8(inner), "nested logic");
            assertEq(nested.length, 2, "nested entries");
            assertEq(nested[0].label, "a0", "first nested entry");
            assertEq(nested[1].kind, type(INegatedRequirement).interfaceId, "second nested entry");
            assertEq(entries[1].label, "c0", "the next clause");

            // A list with the logic of the clause is inlined in the clause, a failing term is one unknown entry of it.
            Term[] memory lists = _terms(_is(_predicateWith(inner, 2, "a")), _is(address(new NonERC165Predicate())));
            _compose(composite, op, _clauses(lists));
            (nestedLogic, nested) = abi.decode(_only().data, (uint8, AccessRequirement[]));
            assertEq(nested.length, 3, "nested entries of a list");
            assertEq(nested[1].label, "a1", "second entry of a list");
            _assertUnknownRequirement(nested[2]);
        }
    }

    /* NEGATED TERMS */

    function test_GivenTermIsNegated() external {
        for (uint8 i = 0; i < 4; i++) {
            _compose(composite, i / 2, _terms(_not(_predicateWith(RequirementLogic(i % 2), 1, "a"))));
            AccessRequirement memory entry = _only();
            assertEq(entry.kind, type(INegatedRequirement).interfaceId, "a negated term is listed without negation");
            (bytes4 kind, bytes memory data) = abi.decode(entry.data, (bytes4, bytes));
            assertEq(kind, KIND, "negated kind");
            assertEq(data, abi.encode(0), "negated data");
            assertEq(entry.data, abi.encode(KIND, abi.encode(0)), "encoding");
            assertEq(entry.label, "Not: a0", "label");
        }
    }

    function test_GivenNegatedTermHasSeveralEntries() external {
        for (uint8 i = 0; i < 4; i++) {
            RequirementLogic inner = RequirementLogic(i % 2);
            _compose(composite, i / 2, _terms(_not(_predicateWith(inner, 2, "a"))));
            AccessRequirement memory entry = _only();
            assertEq(entry.kind, type(INegatedRequirement).interfaceId, "kind");
            (bytes4 kind, bytes memory data) = abi.decode(entry.data, (bytes4, bytes));
            assertEq(kind, type(INestedRequirements).interfaceId, "negated kind");
            assertEq(data, abi.encode(uint8(inner), _requirements(2, "a")), "negated data");
        }
    }

    function test_GivenNegatedTermIsUnknown() external {
        AccessRequirement[] memory unknown = new AccessRequirement[](1);
        unknown[0].label = "unknown";
        address[3] memory children = [
            address(new NonERC165Predicate()),
            address(new FixedRequirementsPredicate(true, AND, unknown)),
            address(new AliasedRequirementsPredicate(32, 4096, 10, 0))
        ];
        for (uint256 i = 0; i < children.length; i++) {
            _compose(composite, ALL, _terms(_not(children[i])));
            _assertUnknownRequirement(_only());
        }
    }

    /* FAILING TERMS */

    function test_GivenChildReturnsGarbage() external {
        // B-08
        AccessRequirement[] memory list = _requirements(2, "a");
        bytes[] memory malformed = new bytes[](13);
        malformed[1] = new bytes(31);
        malformed[2] = new bytes(32);
        malformed[3] = abi.encode(true);
        malformed[4] = bytes(_textOf(320));
        malformed[5] = abi.encode(list, uint256(2));
        malformed[6] = abi.encode(list, type(uint256).max);
        malformed[7] = abi.encode(uint256(0x40), uint256(0), type(uint256).max);
        malformed[8] = abi.encode(uint256(0x40), uint256(0), uint256(2 ** 32));
        malformed[9] = abi.encode(uint256(0x40), uint256(0), uint256(3), uint256(0x60));
        malformed[10] = abi.encode(type(uint256).max, uint256(0), uint256(0));
        malformed[11] = abi.encode(
            uint256(0x40), uint256(0), uint256(1), uint256(0x20), type(uint256).max, uint256(0x60), uint256(0x60), 0
        );
        malformed[12] = abi.encode(
            uint256(0x40), uint256(0), uint256(1), uint256(0x20), KIND, uint256(0x60), uint256(0x60), 2 ** 64
        );
        PresetResponsePredicate child = new PresetResponsePredicate();
        for (uint256 i = 0; i < malformed.length; i++) {
            child.setResponse(IAccessPredicate.getRequirements.selector, true, malformed[i]);
            _assertSentinelAmongSiblings(address(child));
        }
        child.setResponse(IAccessPredicate.getRequirements.selector, true, abi.encode(list, uint256(1)));
        _compose(composite, ANY, _terms(_is(address(child))));
        (AccessRequirement[] memory entries,) = composite.getRequirements(toolId);
        assertEq(entries.length, 2, "valid data was discarded");
    }

    function test_GivenChildFails() external {
        // B-08
        address removed = address(new NonERC165Predicate());
        address[5] memory children = [
            address(new NonERC165Predicate()),
            address(new GasBurner()),
            address(new OversizeReturnPredicate(20_000)),
            address(new OversizeRevertPredicate(100_000)),
            removed
        ];
        for (uint256 i = 0; i < children.length; i++) {
            _assertSentinelAmongSiblings(children[i]);
        }
        vm.etch(removed, "");
        (AccessRequirement[] memory entries,) = composite.getRequirements(toolId);
        assertEq(entries.length, 3, "entries");
        _assertUnknownRequirement(entries[1]);
    }

    function test_GivenChildExceedsLimits() external {
        // B-08
        _assertSentinelAmongSiblings(address(new AliasedRequirementsPredicate(33, 32, 10, 1)));
        _assertSentinelAmongSiblings(address(new AliasedRequirementsPredicate(2000, 32, 10, 1)));
        _assertSentinelAmongSiblings(address(new AliasedRequirementsPredicate(1, 4097, 10, 1)));
        _assertSentinelAmongSiblings(address(new AliasedRequirementsPredicate(1, 32, 257, 1)));
        _assertSentinelAmongSiblings(address(new AliasedRequirementsPredicate(1, 100_000, 10, 1)));
        _assertSentinelAmongSiblings(address(new AliasedRequirementsPredicate(32, 4097, 256, 1)));
    }

    function test_GivenChildIsAtLimits() external {
        uint256[3][3] memory shapes = [[uint256(32), 32, 10], [uint256(1), 4096, 10], [uint256(1), 32, 256]];
        for (uint256 i = 0; i < shapes.length; i++) {
            _compose(
                composite,
                ANY,
                _terms(_is(address(new AliasedRequirementsPredicate(shapes[i][0], shapes[i][1], shapes[i][2], 1))))
            );
            (AccessRequirement[] memory entries,) = composite.getRequirements(toolId);
            assertEq(entries.length, shapes[i][0], "entries");
            assertEq(entries[0].kind, KIND, "kind");
            assertEq(entries[0].data.length, shapes[i][1], "data");
            assertEq(bytes(entries[0].label).length, shapes[i][2], "label");
        }
    }

    function test_GivenNestedListIsTooLong() external {
        _compose(composite, ALL, _terms(_is(address(new AliasedRequirementsPredicate(32, 32, 10, 1)))));
        _assertUnknownRequirement(_only());
        _compose(composite, ALL, _terms(_is(address(new AliasedRequirementsPredicate(8, 32, 10, 1)))));
        assertEq(_only().kind, type(INestedRequirements).interfaceId, "a list within the limit was not nested");
        _compose(composite, ALL, _terms(_not(address(new AliasedRequirementsPredicate(1, 4096, 10, 1)))));
        _assertUnknownRequirement(_only());
    }

    function test_GivenNegatedLabelIsTooLong() external {
        _compose(composite, ALL, _terms(_not(address(new AliasedRequirementsPredicate(1, 32, 251, 1)))));
        assertEq(bytes(_only().label).length, 256, "the longest label");
        _compose(composite, ALL, _terms(_not(address(new AliasedRequirementsPredicate(1, 32, 252, 1)))));
        assertEq(_only().label, "Not", "overlong label");
    }

    /* COST AND SIZE */

    function test_CostOfFailures() external {
        address[8] memory children = [
            address(new GasBurner()),
            address(new NonERC165Predicate()),
            address(new OversizeRevertPredicate(300_000)),
            address(new AliasedRequirementsPredicate(33, 32, 10, 0)),
            address(new AliasedRequirementsPredicate(2000, 32, 10, 0)),
            address(new AliasedRequirementsPredicate(1, 4097, 10, 0)),
            address(new AliasedRequirementsPredicate(1, 150_000, 10, 0)),
            address(new AliasedRequirementsPredicate(600, 600, 10, 0))
        ];
        for (uint256 i = 0; i < children.length; i++) {
            for (uint8 op = 0; op < 2; op++) {
                _compose(composite, op, _repeat(i % 2 == 0 ? _is(children[i]) : _not(children[i]), 8));
                (AccessRequirement[] memory entries, uint256 cost) = _measured();
                assertLt(cost, MAX_COST, string.concat("child ", vm.toString(i)));
                assertEq(entries.length, 8, "entries");
                for (uint256 j = 0; j < 8; j++) {
                    _assertUnknownRequirement(entries[j]);
                }
            }
        }
    }

    function test_CostOfMaximumLists() external {
        uint256[3][4] memory shapes =
            [[uint256(32), 4096, 256], [uint256(32), 1000, 256], [uint256(16), 4096, 256], [uint256(32), 32, 256]];
        uint256 maxCost = 0;
        for (uint256 i = 0; i < shapes.length; i++) {
            address child = address(new AliasedRequirementsPredicate(shapes[i][0], shapes[i][1], shapes[i][2], 0));
            for (uint256 j = 0; j < 4; j++) {
                _compose(composite, uint8(j / 2), _repeat(j % 2 == 0 ? _is(child) : _not(child), 8));
                (, uint256 cost) = _measured();
                emit log_named_uint(string.concat(vm.toString(shapes[i][0]), " of ", vm.toString(shapes[i][1])), cost);
                if (cost > maxCost) maxCost = cost;
            }
        }
        assertLt(maxCost, MAX_COST, "eight lists within the limits cost too much gas");
    }

    function test_AtMost256Entries() external {
        _compose(composite, ANY, _repeat(_is(address(new AliasedRequirementsPredicate(32, 64, 40, 1))), 8));
        (AccessRequirement[] memory entries, uint256 cost) = _measured();
        assertEq(entries.length, 256, "entries");
        assertLt(cost, MAX_COST, "cost");
    }

    /* HELPERS */

    function _requirements(uint256 count, string memory label) private pure returns (AccessRequirement[] memory list) {
        list = new AccessRequirement[](count);
        for (uint256 i = 0; i < count; i++) {
            list[i] = AccessRequirement(KIND, abi.encode(i), string.concat(label, vm.toString(i)));
        }
    }

    function _predicateWith(RequirementLogic logic, uint256 count, string memory label) private returns (address) {
        return address(new FixedRequirementsPredicate(true, logic, _requirements(count, label)));
    }

    function _withCode(address account) private returns (address) {
        vm.etch(account, hex"00");
        return account;
    }

    function _only() private view returns (AccessRequirement memory) {
        (AccessRequirement[] memory entries,) = composite.getRequirements(toolId);
        assertEq(entries.length, 1, "number of entries is not one");
        return entries[0];
    }

    function _assertUnknownRequirement(AccessRequirement memory entry) private pure {
        assertEq(entry.kind, bytes4(0), "kind of an unknown requirement");
        assertEq(entry.data, "", "data of an unknown requirement");
        assertEq(entry.label, "unknown", "label of an unknown requirement");
    }

    function _assertSentinelAmongSiblings(address child) private {
        for (uint8 op = 0; op < 2; op++) {
            _compose(
                composite,
                op,
                _terms(_is(_predicateWith(AND, 1, "before")), _is(child), _is(_predicateWith(AND, 1, "after")))
            );
            (AccessRequirement[] memory entries,) = composite.getRequirements(toolId);
            assertEq(entries.length, 3, "entries");
            assertEq(entries[0].label, "before0", "the term before");
            _assertUnknownRequirement(entries[1]);
            assertEq(entries[2].label, "after0", "the term after");
        }
    }

    function _measured() private view returns (AccessRequirement[] memory entries, uint256 cost) {
        (entries,) = composite.getRequirements(toolId);
        cost = vm.lastCallGas().gasTotalUsed;
    }
}
