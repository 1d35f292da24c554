// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "../interfaces/IAccessPredicate.sol";
import { ConstantsLib } from "./ConstantsLib.sol";
import { StrictBoolLib } from "./StrictBoolLib.sol";

/// @title PredicateCallLib
/// @notice The registry's call to an untrusted predicate.
library PredicateCallLib {
    /// @dev Returns `(true, result)` if the predicate returned exactly 32 bytes that encode 0 or 1, and `(false,
    ///      false)` otherwise. A predicate cannot make this function revert.
    function tryHasAccess(address predicate, uint256 toolId, address account, bytes calldata data)
        internal
        view
        returns (bool ok, bool granted)
    {
        bytes4 selector = IAccessPredicate.hasAccess.selector;
        uint256 gasLimit = ConstantsLib.PREDICATE_GAS_LIMIT;
        bool success;
        // Equivalent to:
        //     bytes memory callData = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data));
        //     (success,) = predicate.staticcall{ gas: gasLimit }(callData);
        // The call data is written to free memory without allocating it. Only the first 32 bytes of the return data are
        // copied, so the registry does not pay for large return data.
        assembly ("memory-safe") {
            let callData := mload(0x40)
            mstore(callData, selector)
            mstore(add(callData, 0x04), toolId)
            mstore(add(callData, 0x24), account)
            mstore(add(callData, 0x44), 0x60) // offset of data
            mstore(add(callData, 0x64), data.length)
            calldatacopy(add(callData, 0x84), data.offset, data.length)
            mstore(add(add(callData, 0x84), data.length), 0)
            let size := add(0x84, and(add(data.length, 0x1f), not(0x1f)))

            success := staticcall(gasLimit, predicate, callData, size, 0x00, 0x20)
        }
        return StrictBoolLib.decode(success);
    }
}
