// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

import { IAccessPredicate } from "src/interfaces/IAccessPredicate.sol";
import { IERC165 } from "src/interfaces/external/IERC165.sol";

/// @dev How a question is answered: with a return or a revert of `size` bytes that begin with these two words.
struct Answer {
    bool succeeds;
    uint256 size;
    uint256 first;
    uint256 second;
}

/// @dev A contract of which nothing is known, as its storage is not: it answers in any way, but the same question alike.
///      A revert also stands for running out of gas, an invalid opcode and an attempt to write.
contract AnyContract {
    Answer private _access;
    Answer private _erc165;
    Answer private _predicate;
    Answer private _others;

    function answerTo(bytes4 question) external view returns (Answer memory) {
        return _answerTo(question);
    }

    fallback() external {
        Answer storage answer =
            _answerTo(msg.sig == IERC165.supportsInterface.selector ? bytes4(msg.data[4:]) : msg.sig);
        uint256 size = answer.size;
        // The size of an answer has to be a number. These stand for all.
        if (size == 0) _end(answer, 0);
        if (size == 1) _end(answer, 1);
        if (size == 31) _end(answer, 31);
        if (size == 32) _end(answer, 32);
        if (size == 33) _end(answer, 33);
        _end(answer, 64);
    }

    /// @dev A question is an ERC-165 id, or the selector of `hasAccess`.
    function _answerTo(bytes4 question) private view returns (Answer storage) {
        if (question == IAccessPredicate.hasAccess.selector) return _access;
        if (question == type(IERC165).interfaceId) return _erc165;
        if (question == type(IAccessPredicate).interfaceId) return _predicate;
        return _others;
    }

    function _end(Answer storage answer, uint256 size) private view {
        (bool succeeds, uint256 first, uint256 second) = (answer.succeeds, answer.first, answer.second);
        assembly ("memory-safe") {
            mstore(0x00, first)
            mstore(0x20, second)
            if iszero(succeeds) { revert(0x00, size) }
            return(0x00, size)
        }
    }
}
