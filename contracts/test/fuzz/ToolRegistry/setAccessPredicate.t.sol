// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BaseTest } from "test/BaseTest.sol";
import { DenyingPredicate } from "test/mocks/DenyingPredicate.sol";
import { Dice } from "test/support/Dice.sol";
import { URIShapes } from "test/support/URIShapes.sol";

contract SetAccessPredicateFuzzTest is BaseTest {
    function testFuzz_KeepsEverythingElse(uint256 seed, address somebody) external {
        // A-02, A-16, A-17
        vm.assume(somebody.code.length == 0);
        Dice memory dice = Dice(seed);
        address[4] memory predicates = [address(0), address(yesPredicate), address(new DenyingPredicate()), somebody];
        address predicate = predicates[dice.roll(4)];
        string memory uri = string(URIShapes.valid(dice));
        uint256 toolId = _register(uri, predicate);
        for (uint256 i = 0; i < 8; i++) {
            address next = predicates[dice.roll(4)];
            vm.recordLogs();
            vm.record();
            vm.prank(creator);
            registry.setAccessPredicate(toolId, next);
            if (next == predicate) {
                assertNoLogs();
                assertNoWrites(address(registry));
            } else {
                assertOnlyLogIsPredicateUpdate(address(registry), toolId, next);
            }
            predicate = next;
            assertConfig(registry, toolId, _config(creator, uri, MANIFEST_HASH, predicate));
        }
        _deregister(toolId);
        assertOnlyTombstone(address(registry), toolId);
    }
}
