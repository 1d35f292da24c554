// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BaseTest } from "test/BaseTest.sol";
import { DenyingPredicate } from "test/mocks/DenyingPredicate.sol";
import { Random } from "test/support/Random.sol";
import { URIShapes } from "test/support/URIShapes.sol";

contract SetAccessPredicateFuzzTest is BaseTest {
    function testFuzz_ChangesNothingElse(uint256 seed, address noCode) external {
        // A-02, A-16, A-17
        vm.assume(noCode.code.length == 0);
        Random memory random = Random(seed);
        address[4] memory predicates = [address(0), address(grantingPredicate), address(new DenyingPredicate()), noCode];
        address predicate = predicates[random.below(4)];
        string memory uri = string(URIShapes.valid(random));
        uint256 toolId = _register(uri, predicate);
        for (uint256 i = 0; i < 8; i++) {
            address next = predicates[random.below(4)];
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
