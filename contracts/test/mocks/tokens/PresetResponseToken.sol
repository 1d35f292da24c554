// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Returns or reverts with preset bytes per function selector. Calls without a preset revert without data. The
///      response is stored as code, so a call costs little more than 5,000 gas, whatever the length.
contract PresetResponseToken {
    struct Response {
        bool success;
        address data;
    }

    mapping(bytes4 selector => Response) private _responses;

    function setResponse(bytes4 selector, bool success, bytes calldata returndata) external {
        _responses[selector] = Response(success, address(new DataContract(returndata)));
    }

    fallback() external {
        Response memory response = _responses[msg.sig];
        bool success = response.success;
        address data = response.data;
        if (data == address(0)) revert();
        assembly ("memory-safe") {
            let ptr := mload(0x40)
            let size := sub(extcodesize(data), 1)
            extcodecopy(data, ptr, 1, size)
            if success { return(ptr, size) }
            revert(ptr, size)
        }
    }
}

/// @dev Stores bytes as contract code, after a STOP opcode.
contract DataContract {
    constructor(bytes memory data) {
        bytes memory code = bytes.concat(hex"00", data);
        assembly ("memory-safe") {
            return(add(code, 0x20), mload(code))
        }
    }
}
