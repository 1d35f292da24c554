// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { UniformReturnToken } from "test/mocks/tokens/UniformReturnToken.sol";

/// @dev Writes to its own storage, then returns 1. Fails in a static call.
contract StorageWritingToken is UniformReturnToken {
    uint256 public writes;

    fallback() external {
        writes++;
        _return(1);
    }
}
