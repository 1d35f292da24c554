// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { CollectionTokens, IERC1155OwnerPredicate } from "src/interfaces/predicates/IERC1155OwnerPredicate.sol";
import { GasBurner } from "test/mocks/GasBurner.sol";
import { GasConsumingToken } from "test/mocks/tokens/GasConsumingToken.sol";
import { PlainERC1155 } from "test/mocks/tokens/PlainERC1155.sol";
import { Dice } from "test/support/Dice.sol";
import { TokenLists } from "test/support/TokenLists.sol";
import { Answer, TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract ERC1155OwnerPredicateFuzzTest is TokenPredicateTest {
    PlainERC1155[] private honest;
    address[] private hostile;
    address private burner;
    address private thirsty;

    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("ERC1155OwnerPredicate", abi.encode(registry)));
        for (uint256 i = 0; i < 3; i++) {
            honest.push(new PlainERC1155());
            bytes memory mint = abi.encodeCall(PlainERC1155.mint, (creator, 0, 1));
            honest.push(PlainERC1155(_proxied(address(new PlainERC1155()), mint)));
        }
        hostile = _hostileTokens();
        burner = address(new GasBurner());
        thirsty = address(new GasConsumingToken(1));
    }

    function testFuzz_AnswerIsTheModels(uint256 seed, bytes calldata data) external {
        Dice memory dice = Dice(seed);
        uint256 held = dice.roll(4);
        for (uint256 i = 0; i < held; i++) {
            honest[dice.roll(honest.length)].mint(agent, dice.roll(20), dice.roll(3));
        }
        CollectionTokens[] memory list = _shape(dice, 20);
        Answer expected = Answer.No;
        bool allowsHostile = dice.oneIn(2);
        for (uint256 i = 0; i < list.length; i++) {
            uint256 side = dice.roll(8);
            if (side == 0) continue;
            if (side == 1 && allowsHostile) {
                list[i].collection = hostile[dice.roll(hostile.length)];
                if (expected == Answer.No) expected = Answer.Unknown;
                continue;
            }
            PlainERC1155 collection = honest[dice.roll(honest.length)];
            list[i].collection = address(collection);
            for (uint256 j = 0; j < list[i].tokenIds.length; j++) {
                if (collection.balanceOf(agent, list[i].tokenIds[j]) > 0) expected = Answer.Yes;
            }
        }
        _set(list);
        assertEq(uint256(_askPredicate(agent, data, PLENTY)), uint256(expected), "the predicate");
        assertEq(uint256(_askRegistry(agent, data, PLENTY)), uint256(expected), "the registry");

        Answer starved = _askPredicate(agent, data, dice.roll(220_000));
        assertTrue(starved == expected || starved == Answer.Unknown, "less gas, another answer");
    }

    function testFuzz_GreatestListsAreUsable(uint256 seed) external {
        Dice memory dice = Dice(seed);
        CollectionTokens[] memory list = _greatestShape(dice);
        for (uint256 i = 0; i < list.length; i++) {
            list[i].collection = _copy(burner, i);
        }
        uint256 last = list.length - 1;
        uint256 lastId = list[last].tokenIds[list[last].tokenIds.length - 1];
        address good = address(honest[1]);
        if (PlainERC1155(good).balanceOf(agent, lastId) == 0) PlainERC1155(good).mint(agent, lastId, 1);
        list[last].collection = good;
        _set(list);
        assertEq(uint256(_askRegistry(agent, "", PLENTY)), uint256(Answer.Yes), "every other burns all it gets");

        list[last].collection = thirsty;
        _set(list);
        assertEq(uint256(_askRegistry(agent, "", PLENTY)), uint256(Answer.Yes), "all use all they get");
    }

    function testFuzz_TokensAreKept(uint256 seed) external {
        Dice memory dice = Dice(seed);
        CollectionTokens[] memory list = _shape(dice, type(uint256).max);
        bytes32[] memory topics = _topics(IERC1155OwnerPredicate.CollectionTokensSet.selector, tool);
        bytes memory call = abi.encodeCall(IERC1155OwnerPredicate.setCollectionTokens, (tool, list));
        _configure(call, topics, abi.encode(list));
        assertEq(abi.encode(IERC1155OwnerPredicate(predicate).getCollectionTokens(tool)), abi.encode(list), "the list");
    }

    function testFuzz_LimitIsExact(uint8 groups, uint8 ids) external {
        CollectionTokens[] memory list = TokenLists.even(bound(groups, 1, 14), bound(ids, 1, 60), ids);
        uint256 needed = TokenLists.gasOf(IERC1155OwnerPredicate(predicate), list);
        uint256 limit = IERC1155OwnerPredicate(predicate).MAX_GAS();
        bytes memory call = abi.encodeCall(IERC1155OwnerPredicate.setCollectionTokens, (tool, list));
        if (needed <= limit) {
            _configure(call);
        } else {
            _assertRefused(call, abi.encodeWithSelector(IERC1155OwnerPredicate.TooManyTokens.selector, needed, limit));
        }
    }

    /// @dev Any list that is accepted, ids below `ids`.
    function _shape(Dice memory dice, uint256 ids) private view returns (CollectionTokens[] memory list) {
        uint256[] memory counts = new uint256[](dice.roll(12));
        uint256 left = IERC1155OwnerPredicate(predicate).MAX_GAS();
        uint256 groups = 0;
        for (uint256 i = 0; i < counts.length; i++) {
            counts[i] = 1 + dice.roll(dice.oneIn(3) ? 20 : 4);
            uint256 cost = IERC1155OwnerPredicate(predicate).gasToAsk(counts[i]);
            if (cost > left) break;
            left -= cost;
            groups++;
        }
        return _list(dice, counts, groups, ids);
    }

    /// @dev A list to which no id can be added.
    function _greatestShape(Dice memory dice) private view returns (CollectionTokens[] memory) {
        IERC1155OwnerPredicate asked = IERC1155OwnerPredicate(predicate);
        uint256[] memory counts = new uint256[](20);
        uint256 taken = 0;
        uint256 groups = 0;
        uint256 most = TokenLists.maxIds(asked, 0);
        uint256 widest = 1 + dice.roll(most);
        while (most > 0) {
            counts[groups] = 1 + dice.roll(most < widest ? most : widest);
            taken += asked.gasToAsk(counts[groups++]);
            most = TokenLists.maxIds(asked, taken);
        }
        taken -= asked.gasToAsk(counts[groups - 1]);
        counts[groups - 1] = TokenLists.maxIds(asked, taken);
        return _list(dice, counts, groups, type(uint256).max);
    }

    function _list(Dice memory dice, uint256[] memory counts, uint256 groups, uint256 ids)
        private
        pure
        returns (CollectionTokens[] memory list)
    {
        list = new CollectionTokens[](groups);
        for (uint256 i = 0; i < groups; i++) {
            list[i].collection = address(uint160(uint256(dice.word())));
            list[i].tokenIds = new uint256[](counts[i]);
            for (uint256 j = 0; j < counts[i]; j++) {
                list[i].tokenIds[j] = dice.roll(ids);
            }
        }
    }

    function _set(CollectionTokens[] memory list) private {
        _configure(abi.encodeCall(IERC1155OwnerPredicate.setCollectionTokens, (tool, list)));
    }
}
