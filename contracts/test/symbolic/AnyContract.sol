// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev The result of a call: a return or a revert with `size` bytes that start with these two words.
struct CallResult {
    bool succeeds;
    uint256 size;
    uint256 first;
    uint256 second;
}

/// @dev A contract with arbitrary behaviour: its storage is symbolic and determines the result of each call. The same
///      call always has the same result. A revert also represents out of gas, an invalid opcode and a write attempt.
contract AnyContract {
    CallResult private _access;
    CallResult private _erc165;
    CallResult private _predicate;
    CallResult private _otherSelectors;

    function resultOf(bytes4 id) external view returns (CallResult memory) {
        return _resultOf(id);
    }

    fallback() external {
        CallResult storage result =
            _resultOf(msg.sig == IERC165.supportsInterface.selector ? bytes4(msg.data[4:]) : msg.sig);
        uint256 size = result.size;
        // halmos needs a concrete return data size. These sizes represent all others.
        if (size == 0) _finish(result, 0);
        if (size == 1) _finish(result, 1);
        if (size == 31) _finish(result, 31);
        if (size == 32) _finish(result, 32);
        if (size == 33) _finish(result, 33);
        _finish(result, 64);
    }

    /// @dev `id` is an ERC-165 interface id, or the selector of `hasAccess`.
    function _resultOf(bytes4 id) private view returns (CallResult storage) {
        if (id == IAccessPredicate.hasAccess.selector) return _access;
        if (id == type(IERC165).interfaceId) return _erc165;
        if (id == type(IAccessPredicate).interfaceId) return _predicate;
        return _otherSelectors;
    }

    function _finish(CallResult storage result, uint256 size) private view {
        (bool succeeds, uint256 first, uint256 second) = (result.succeeds, result.first, result.second);
        assembly ("memory-safe") {
            mstore(0x00, first)
            mstore(0x20, second)
            if iszero(succeeds) { revert(0x00, size) }
            return(0x00, size)
        }
    }
}
