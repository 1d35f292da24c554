// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { Text } from "test/mocks/tokens/RecitingToken.sol";

/// @dev Recites the bytes a test gave it, whatever it is asked, if it is asked with a given amount of gas. With less it
///      reverts at once, and leaves what it got to whoever asked.
contract DemandingPredicate {
    address private _text;
    uint64 private _least;

    function recite(uint64 least, bytes calldata returndata) external {
        (_text, _least) = (address(new Text(returndata)), least);
    }

    fallback() external {
        uint256 left = gasleft();
        address text = _text;
        if (left < _least) revert();
        assembly ("memory-safe") {
            let at := mload(0x40)
            let size := sub(extcodesize(text), 1)
            extcodecopy(text, at, 1, size)
            return(at, size)
        }
    }
}
