// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { Access } from "test/support/Access.sol";
import { Random } from "test/support/Random.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC721OwnerPredicateFuzzTest is TokenPredicateTest {
    PlainERC721[] private valid;
    address[] private failing;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("ERC721OwnerPredicate", abi.encode(registry)));
        for (uint256 i = 0; i < 4; i++) {
            valid.push(new PlainERC721());
            bytes memory mint = abi.encodeCall(PlainERC721.mint, (creator, 0));
            valid.push(PlainERC721(_deployProxy(address(valid[0]), mint)));
        }
        failing = _failingTokens();
    }

    function testFuzz_MatchesModel(uint256 seed, bytes calldata data) external {
        Random memory random = Random(seed);
        uint256 held = random.below(4);
        for (uint256 i = 0; i < held; i++) {
            valid[random.below(valid.length)].mint(agent, i + 1);
        }
        address[] memory list = new address[](random.below(IERC721OwnerPredicate(predicate).MAX_COLLECTIONS() + 1));
        Access expected = Access.Denied;
        bool allowsFailing = random.oneIn(2);
        for (uint256 i = 0; i < list.length; i++) {
            uint256 choice = random.below(10);
            if (choice == 0) list[i] = address(uint160(uint256(random.word())));
            else if (choice == 1 && allowsFailing) list[i] = failing[random.below(failing.length)];
            else list[i] = address(valid[random.below(valid.length)]);

            if (choice == 1 && allowsFailing && expected == Access.Denied) expected = Access.Unknown;
            if (list[i].code.length > 0 && choice > 1 && PlainERC721(list[i]).balanceOf(agent) > 0) {
                expected = Access.Granted;
            }
            if (choice == 1 && !allowsFailing && PlainERC721(list[i]).balanceOf(agent) > 0) expected = Access.Granted;
        }
        _configure(abi.encodeCall(IERC721OwnerPredicate.setCollections, (tool, list)));
        assertEq(uint256(_predicateAccess(agent, data, AMPLE_GAS)), uint256(expected), "predicate");
        assertEq(uint256(_registryAccess(agent, data, AMPLE_GAS)), uint256(expected), "registry");

        Access limited = _predicateAccess(agent, data, random.below(220_000));
        assertTrue(limited == expected || limited == Access.Unknown, "result depends on gas");
    }

    function testFuzz_StoresCollections(address[] calldata list) external {
        uint256 max = IERC721OwnerPredicate(predicate).MAX_COLLECTIONS();
        bytes memory call = abi.encodeCall(IERC721OwnerPredicate.setCollections, (tool, list));
        if (list.length > max) {
            _assertReverts(
                call, abi.encodeWithSelector(IERC721OwnerPredicate.TooManyCollections.selector, list.length, max)
            );
            return;
        }
        bytes32[] memory topics = _topics(IERC721OwnerPredicate.CollectionsSet.selector, tool);
        _configure(call, topics, abi.encode(list));
        assertEq(abi.encode(IERC721OwnerPredicate(predicate).getCollections(tool)), abi.encode(list), "list");
    }
}
