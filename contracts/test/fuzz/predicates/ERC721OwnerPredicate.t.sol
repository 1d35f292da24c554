// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC721OwnerPredicate } from "src/interfaces/predicates/IERC721OwnerPredicate.sol";
import { PlainERC721 } from "test/mocks/tokens/PlainERC721.sol";
import { Dice } from "test/support/Dice.sol";
import { Answer, TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC721OwnerPredicateFuzzTest is TokenPredicateTest {
    PlainERC721[] private honest;
    address[] private hostile;

    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC721OwnerPredicate", abi.encode(registry)));
        for (uint256 i = 0; i < 4; i++) {
            honest.push(new PlainERC721());
            bytes memory mint = abi.encodeCall(PlainERC721.mint, (creator, 0));
            honest.push(PlainERC721(_proxied(address(honest[0]), mint)));
        }
        hostile = _hostileTokens();
    }

    function testFuzz_AnswerIsTheModels(uint256 seed, bytes calldata data) external {
        Dice memory dice = Dice(seed);
        uint256 held = dice.roll(4);
        for (uint256 i = 0; i < held; i++) {
            honest[dice.roll(honest.length)].mint(agent, i + 1);
        }
        address[] memory list = new address[](dice.roll(IERC721OwnerPredicate(predicate).MAX_COLLECTIONS() + 1));
        Answer expected = Answer.No;
        bool allowsHostile = dice.oneIn(2);
        for (uint256 i = 0; i < list.length; i++) {
            uint256 side = dice.roll(10);
            if (side == 0) list[i] = address(uint160(uint256(dice.word())));
            else if (side == 1 && allowsHostile) list[i] = hostile[dice.roll(hostile.length)];
            else list[i] = address(honest[dice.roll(honest.length)]);

            if (side == 1 && allowsHostile && expected == Answer.No) expected = Answer.Unknown;
            if (list[i].code.length > 0 && side > 1 && PlainERC721(list[i]).balanceOf(agent) > 0) {
                expected = Answer.Yes;
            }
            if (side == 1 && !allowsHostile && PlainERC721(list[i]).balanceOf(agent) > 0) expected = Answer.Yes;
        }
        _configure(abi.encodeCall(IERC721OwnerPredicate.setCollections, (tool, list)));
        assertEq(uint256(_askPredicate(agent, data, PLENTY)), uint256(expected), "the predicate");
        assertEq(uint256(_askRegistry(agent, data, PLENTY)), uint256(expected), "the registry");

        Answer starved = _askPredicate(agent, data, dice.roll(220_000));
        assertTrue(starved == expected || starved == Answer.Unknown, "less gas, another answer");
    }

    function testFuzz_CollectionsAreKept(address[] calldata list) external {
        uint256 max = IERC721OwnerPredicate(predicate).MAX_COLLECTIONS();
        bytes memory call = abi.encodeCall(IERC721OwnerPredicate.setCollections, (tool, list));
        if (list.length > max) {
            _assertRefused(
                call, abi.encodeWithSelector(IERC721OwnerPredicate.TooManyCollections.selector, list.length, max)
            );
            return;
        }
        bytes32[] memory topics = _topics(IERC721OwnerPredicate.CollectionsSet.selector, tool);
        _configure(call, topics, abi.encode(list));
        assertEq(abi.encode(IERC721OwnerPredicate(predicate).getCollections(tool)), abi.encode(list), "the list");
    }
}
