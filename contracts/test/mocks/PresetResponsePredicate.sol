// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev Returns or reverts with preset bytes per function selector, or per interface id for `supportsInterface`. Calls
///      without a preset revert without data.
contract PresetResponsePredicate {
    struct Response {
        bool success;
        bytes returndata;
    }

    mapping(bytes4 key => Response) private _responses;

    function setResponse(bytes4 key, bool success, bytes calldata returndata) external {
        _responses[key] = Response(success, returndata);
    }

    function setHasAccess(bool success, bytes calldata returndata) external {
        _responses[IAccessPredicate.hasAccess.selector] = Response(success, returndata);
    }

    fallback() external {
        bool isProbe = msg.sig == IERC165.supportsInterface.selector;
        Response memory response = _responses[isProbe ? bytes4(msg.data[4:8]) : msg.sig];
        bytes memory returndata = response.returndata;
        if (response.success) {
            assembly ("memory-safe") {
                return(add(returndata, 0x20), mload(returndata))
            }
        }
        assembly ("memory-safe") {
            revert(add(returndata, 0x20), mload(returndata))
        }
    }
}
