// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

/// @dev Asks with plenty of gas first, so that all that is looked at is warm, and then with as much as it is told to.
contract TwiceAskingCaller {
    function execute(address target, uint256 gasLimit, bytes calldata question)
        external
        view
        returns (bool success, bytes memory answer)
    {
        (success, answer) = target.staticcall(question);
        (success, answer) = target.staticcall{ gas: gasLimit }(question);
    }
}
