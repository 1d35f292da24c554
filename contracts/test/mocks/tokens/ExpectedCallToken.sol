// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { UniformReturnToken } from "test/mocks/tokens/UniformReturnToken.sol";

/// @dev Returns 1 to exactly the expected calldata and reverts on any other.
contract ExpectedCallToken is UniformReturnToken {
    bytes32 private _expected;

    function expect(bytes calldata callData) external {
        _expected = keccak256(callData);
    }

    fallback() external {
        require(keccak256(msg.data) == _expected, "unexpected calldata");
        _return(1);
    }
}
