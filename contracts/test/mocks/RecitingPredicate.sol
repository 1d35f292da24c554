// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev Recites, with success or failure as told, exactly the bytes a test gave it for a question. What it was not told
///      anything about reverts without data.
contract RecitingPredicate {
    struct Answer {
        bool success;
        bytes returndata;
    }

    mapping(bytes4 question => Answer) private _answers;

    function setProbe(bytes4 interfaceId, bool success, bytes calldata returndata) external {
        _answers[interfaceId] = Answer(success, returndata);
    }

    function setHasAccess(bool success, bytes calldata returndata) external {
        _answers[IAccessPredicate.hasAccess.selector] = Answer(success, returndata);
    }

    fallback() external {
        bool isProbe = msg.sig == IERC165.supportsInterface.selector;
        Answer memory answer = _answers[isProbe ? bytes4(msg.data[4:8]) : msg.sig];
        bytes memory returndata = answer.returndata;
        if (answer.success) {
            assembly ("memory-safe") {
                return(add(returndata, 0x20), mload(returndata))
            }
        }
        assembly ("memory-safe") {
            revert(add(returndata, 0x20), mload(returndata))
        }
    }
}
