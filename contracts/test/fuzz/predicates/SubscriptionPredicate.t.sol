// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { PlainSubscription } from "test/mocks/tokens/PlainSubscription.sol";
import { Answer, TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract SubscriptionPredicateFuzzTest is TokenPredicateTest {
    PlainSubscription private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployShipped("SubscriptionPredicate", abi.encode(registry)));
        token = new PlainSubscription();
    }

    function testFuzz_AnswerIsTheModels(
        uint256 tokenId,
        uint64 end,
        uint64 time,
        uint8 tier,
        uint8 minTier,
        bool isClose,
        uint256 gasLimit
    ) external {
        if (isClose) time = end < type(uint64).max - 3 ? end + time % 3 : end;
        if (isClose) minTier = tier < 253 ? tier + minTier % 3 : tier;
        vm.warp(time);
        token.set(agent, tokenId, end, tier);
        _configure(abi.encodeCall(ISubscriptionPredicate.configureToolGating, (tool, address(token), minTier)));

        bool active = tokenId != 0 && end > time;
        Answer expected = active && tier >= minTier ? Answer.Yes : Answer.No;
        assertEq(uint256(_askPredicate(agent, "", PLENTY)), uint256(expected), "the predicate");
        assertEq(uint256(_askRegistry(agent, "", PLENTY)), uint256(expected), "the registry");
        Answer starved = _askPredicate(agent, "", bound(gasLimit, 0, 60_000));
        assertTrue(starved == expected || starved == Answer.Unknown, "less gas, another answer");

        (bool success, bytes memory status) =
            predicate.staticcall(abi.encodeCall(ISubscriptionPredicate.getSubscriptionStatus, (tool, agent)));
        assertTrue(success, "no status");
        bool hasNft = tokenId != 0;
        bytes memory model = abi.encode(hasNft, hasNft ? tier : 0, minTier, hasNft ? end : 0, active);
        assertEq(status, model, "the status");
    }
}
