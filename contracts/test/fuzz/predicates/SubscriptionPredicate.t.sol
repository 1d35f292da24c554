// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { ISubscriptionPredicate } from "src/interfaces/predicates/ISubscriptionPredicate.sol";
import { PlainSubscription } from "test/mocks/tokens/PlainSubscription.sol";
import { Access } from "test/support/Access.sol";
import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

contract SubscriptionPredicateFuzzTest is TokenPredicateTest {
    PlainSubscription private token;

    function setUp() public override {
        super.setUp();
        _setUp(_deployArtifact("SubscriptionPredicate", abi.encode(registry)));
        token = new PlainSubscription();
    }

    function testFuzz_MatchesModel(
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
        _configure(abi.encodeWithSignature("configureToolGating(uint256,address,uint8)", tool, address(token), minTier));

        bool active = tokenId != 0 && end > time && tier >= minTier;
        Access expected = active ? Access.Granted : Access.Denied;
        assertEq(uint256(_predicateAccess(agent, "", AMPLE_GAS)), uint256(expected), "predicate");
        assertEq(uint256(_registryAccess(agent, "", AMPLE_GAS)), uint256(expected), "registry");
        Access limited = _predicateAccess(agent, "", bound(gasLimit, 0, 60_000));
        assertTrue(limited == expected || limited == Access.Unknown, "result depends on gas");

        (bool success, bytes memory status) =
            predicate.staticcall(abi.encodeCall(ISubscriptionPredicate.getSubscriptionStatus, (tool, agent)));
        assertTrue(success, "getSubscriptionStatus reverted");
        bool hasNft = tokenId != 0;
        bytes memory model = abi.encode(hasNft, hasNft ? tier : 0, minTier, hasNft ? end : 0, active);
        assertEq(status, model, "status");
    }
}
