// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { PredicateCallLib } from "src/libraries/PredicateCallLib.sol";
import { DirtyMemory } from "test/support/DirtyMemory.sol";

contract PredicateCallLibHarness {
    function tryHasAccess(address predicate, uint256 toolId, address account, bytes calldata data)
        external
        view
        returns (bool ok, bool granted)
    {
        bytes memory existing = "existing memory";
        bytes32 before = keccak256(existing);
        uint256 freeMemory = _freeMemory();
        DirtyMemory.fill(data.length + 256);
        (ok, granted) = PredicateCallLib.tryHasAccess(predicate, toolId, account, data);
        require(keccak256(existing) == before, "allocated memory was overwritten");
        require(_freeMemory() == freeMemory, "memory was allocated");
        bytes4 selector = IAccessPredicate.hasAccess.selector;
        require(
            _wordAt(freeMemory) >> 224 == uint32(selector), "the calldata does not start at the free memory pointer"
        );
        require(new bytes(256).length == 256, "memory is unusable");
    }

    function _wordAt(uint256 at) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(at)
        }
    }

    function _freeMemory() private pure returns (uint256 at) {
        assembly ("memory-safe") {
            at := mload(0x40)
        }
    }
}
