// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { BoundedCallLib } from "src/libraries/BoundedCallLib.sol";

contract BoundedCallLibHarness {
    error NoCode();

    /// @dev As the predicates do: looks at the code first, which makes the account warm.
    modifier withCode(address target) {
        if (target.code.length == 0) revert NoCode();
        _;
    }

    function gasToAsk(uint256 stipend) external pure returns (uint256) {
        return BoundedCallLib.gasRequired(stipend);
    }

    function askWord(address target, uint256 stipend, bytes memory question)
        external
        view
        withCode(target)
        returns (bool answered, uint256 word)
    {
        return BoundedCallLib.tryStaticCallWord(target, stipend, question);
    }

    function askBool(address target, uint256 stipend, bytes memory question)
        external
        view
        withCode(target)
        returns (bool answered, bool yes)
    {
        return BoundedCallLib.tryStaticCallBool(target, stipend, question);
    }

    /// @dev Makes sure besides that the array stays inside its own memory.
    function askArray(address target, uint256 stipend, bytes memory question, uint256 length)
        external
        view
        withCode(target)
        returns (bool answered, uint256[] memory words)
    {
        bytes32 asked = keccak256(question);
        (answered, words) = BoundedCallLib.tryStaticCallArray(target, stipend, question, length);
        bytes memory behind = new bytes(64);
        require(keccak256(behind) == keccak256(new bytes(64)), "memory behind the array was written");
        require(keccak256(question) == asked, "memory in use was overwritten");
        require(words.length == length, "the array has another length");
        uint256 end;
        uint256 next;
        assembly ("memory-safe") {
            end := add(add(words, 0x20), shl(5, length))
            next := behind
        }
        require(end == next, "the array does not end where free memory begins");
    }
}
