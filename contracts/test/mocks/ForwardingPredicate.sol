// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { CompliantPredicate } from "test/mocks/CompliantPredicate.sol";

/// @dev Forwards `hasAccess` to another predicate with all remaining gas. If that call reverts, either reverts too or
///      returns false.
contract ForwardingPredicate is CompliantPredicate {
    IAccessPredicate private immutable _TARGET;
    bool private immutable _DENIES_ON_REVERT;

    constructor(IAccessPredicate target, bool deniesOnRevert) {
        _TARGET = target;
        _DENIES_ON_REVERT = deniesOnRevert;
    }

    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        try _TARGET.hasAccess(toolId, account, data) returns (bool granted) {
            return granted;
        } catch {
            require(_DENIES_ON_REVERT, "target reverted");
            return false;
        }
    }
}
