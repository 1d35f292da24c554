// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Recites, with success or failure as told, exactly the bytes a test gave it for a selector. What it was not told
///      anything about reverts without data. Takes 5,000 gas and a little, however long the answer is.
contract RecitingToken {
    struct Answer {
        bool success;
        address text;
    }

    mapping(bytes4 selector => Answer) private _answers;

    function recite(bytes4 selector, bool success, bytes calldata returndata) external {
        _answers[selector] = Answer(success, address(new Text(returndata)));
    }

    fallback() external {
        Answer memory answer = _answers[msg.sig];
        bool success = answer.success;
        address text = answer.text;
        if (text == address(0)) revert();
        assembly ("memory-safe") {
            let at := mload(0x40)
            let size := sub(extcodesize(text), 1)
            extcodecopy(text, at, 1, size)
            if success { return(at, size) }
            revert(at, size)
        }
    }
}

/// @dev Bytes kept as code, behind a STOP.
contract Text {
    constructor(bytes memory text) {
        bytes memory code = bytes.concat(hex"00", text);
        assembly ("memory-safe") {
            return(add(code, 0x20), mload(code))
        }
    }
}
