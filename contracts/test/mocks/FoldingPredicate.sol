// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { HonestPredicate } from "test/mocks/HonestPredicate.sol";

/// @dev Hands the question to another predicate with all the gas it has. Passes on a failure, or folds it into a no.
contract FoldingPredicate is HonestPredicate {
    IAccessPredicate private immutable _TARGET;
    bool private immutable _FOLDS;

    constructor(IAccessPredicate target, bool folds) {
        _TARGET = target;
        _FOLDS = folds;
    }

    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        try _TARGET.hasAccess(toolId, account, data) returns (bool granted) {
            return granted;
        } catch {
            require(_FOLDS, "cannot tell");
            return false;
        }
    }
}
