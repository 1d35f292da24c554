// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { TokenPredicateTest } from "test/support/TokenPredicateTest.sol";

/// @dev Tests that every predicate must pass. The tests of each predicate inherit this contract.
abstract contract AccessPredicateTest is TokenPredicateTest {
    function _predicateName() internal pure virtual returns (string memory);

    function _readsCallData() internal pure virtual returns (bool) {
        return false;
    }

    function test_Identity() external view {
        // B-02, B-04
        assertIdentity(predicate, _predicateName(), _readsCallData());
    }
}
