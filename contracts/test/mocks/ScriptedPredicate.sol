// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @notice What a `ScriptedPredicate` does when it is asked.
enum Manner {
    Returns, // `length` bytes that begin with `word`
    Reverts, // the same, as a revert
    BurnsGas, // all of it, in a loop
    IsInvalid, // the invalid opcode
    Writes, // a storage slot, which a static call forbids
    AsksBack, // puts the question to whoever asks, and passes on the answer
    CountsGas, // yes, if it was given `word` gas and no more
    ReadsQuestion // yes or no, by the hash of the question's bytes
}

/// @notice The answer to one question.
struct Script {
    Manner manner;
    uint32 length;
    uint256 word;
}

/// @notice Misbehaves as told, and for each question as told for that one. A question is an ERC-165 id, or the selector of
///         `hasAccess`.
contract ScriptedPredicate {
    mapping(bytes4 question => Script) private _scripts;
    uint256 private _written;

    function setScript(bytes4 question, Script calldata script) external {
        _scripts[question] = script;
    }

    function mannerOf(bytes4 question) external view returns (Manner) {
        return _scripts[question].manner;
    }

    fallback() external {
        uint256 gasAtStart = gasleft();
        bytes4 question = msg.sig == IERC165.supportsInterface.selector ? bytes4(msg.data[4:]) : msg.sig;
        Script memory script = _scripts[question];

        if (script.manner == Manner.Reverts) _end(false, script.length, script.word);
        if (script.manner == Manner.BurnsGas) while (true) { }
        if (script.manner == Manner.IsInvalid) assembly ("memory-safe") { invalid() }
        if (script.manner == Manner.Writes) _written = 1;
        if (script.manner == Manner.AsksBack) {
            (bool success, bytes memory answer) = msg.sender.staticcall(msg.data);
            // forge-lint: disable-next-line(unsafe-typecast)
            _end(success, answer.length, uint256(bytes32(answer)));
        }
        if (script.manner == Manner.CountsGas) {
            script.word = gasAtStart <= script.word && gasAtStart + 500 > script.word ? 1 : 0;
        }
        if (script.manner == Manner.ReadsQuestion) script.word = uint256(keccak256(msg.data)) & 1;
        _end(true, script.length, script.word);
    }

    function _end(bool success, uint256 length, uint256 word) private pure {
        assembly ("memory-safe") {
            let answer := mload(0x40)
            mstore(answer, word)
            if iszero(success) { revert(answer, length) }
            return(answer, length)
        }
    }
}
